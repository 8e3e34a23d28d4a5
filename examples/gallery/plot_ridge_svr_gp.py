"""
Ridge regression, support vectors and a Gaussian process on one curve
=====================================================================

Which one should fit a noisy curve? All three use the same kernel and give nearly the same line. They differ in what
they say of themselves: a support vector machine gives a line only, the other two tell how sure they are.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.svm import SVR

import gramian as gm

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 6, 60))[:, None]
y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 0] + 0.3 * rng.normal(size=60)
grid = np.linspace(-0.5, 6.5, 200)[:, None]

ridge = gm.KernelRidge(gm.Gaussian(bandwidth=0.7), fit_intercept=True).fit(X, y)
machine = SVR(gamma=1 / (2 * 0.7**2), C=10, epsilon=0.2).fit(X, y)
process = GaussianProcessRegressor(RBF(0.7, "fixed") + WhiteKernel(0.1), normalize_y=True).fit(X, y)

figure, ax = plt.subplots(figsize=(8, 4.5), layout="constrained")
ax.scatter(X[:, 0], y, s=14, color="0.4", label="data")
ax.plot(grid, ridge.predict(grid), label="KernelRidge, ridge by leave-one-out")
ax.plot(grid, machine.predict(grid), "--", label="SVR(C=10)")
ax.plot(grid, process.predict(grid), ":", label="GaussianProcessRegressor")
intervals = ridge.predict_interval(grid, alpha=0.1)
ax.fill_between(grid[:, 0], intervals.low, intervals.high, alpha=0.15, label="90 % prediction interval of KernelRidge")
ax.legend(frameon=False)

# %%
# The ridge was chosen by leaving out one point at a time, in closed form, at every ridge of a grid. No refitting:

print(f"ridge {ridge.ridge_:.2g}, leave-one-out error {ridge.loo_error_**0.5:.2f}, noise put in 0.3")
