"""
How large should the ridge be?
==============================

One decomposition gives the leave-one-out error and the effective degrees of freedom at *every* ridge. Left of the
best value the curve follows the noise, right of it the curve is too flat.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(1)
X = np.sort(rng.uniform(0, 6, 50))[:, None]
y = np.sin(2 * X[:, 0]) + 0.4 * rng.normal(size=50)
kernel = gm.Gaussian(bandwidth=0.6)
best = gm.KernelRidge(kernel, fit_intercept=True).fit(X, y)
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
gm.plot.ridge_path(best, ax=left)
grid = np.linspace(0, 6, 300)[:, None]
right.scatter(X[:, 0], y, s=12, color="0.5")
for ridge, style in ((1e-6, ":"), (best.ridge_, "-"), (30.0, "--")):
    model = gm.KernelRidge(kernel, ridge=ridge, fit_intercept=True).fit(X, y)
    right.plot(
        grid, model.predict(grid), style, label=f"λ = {ridge:.1g}, {model.effective_dof_:.0f} degrees of freedom"
    )
right.set_ylim(-2.2, 2.2)
right.legend(frameon=False, fontsize=9)

# %%
# Left, the error is smallest at the chosen ridge; the falling line, with its axis on the right, has the degrees of
# freedom. Right, three of the fits: the dotted one follows the noise, the dashed one is nearly flat.
