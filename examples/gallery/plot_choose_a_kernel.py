"""
Which kernel? Ask by leave-one-out
==================================

Each candidate is fitted once; its ridge is chosen along the way, and so is its score. No folds, no grid of refits.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import gramian as gm

X, y = load_diabetes(return_X_y=True)
candidates = [
    gm.Linear(),
    gm.Polynomial(2),
    gm.Polynomial(3),
    gm.Gaussian("median"),
    gm.Gaussian("median") + gm.Linear(),
    gm.Laplacian("median"),
    gm.Matern("median", nu=1.5),
]
search = gm.KernelSearch(gm.KernelRidge(fit_intercept=True), candidates).fit(X, y)
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.plot([(-found.score) ** 0.5 for found in search.results_], [str(k) for k in candidates], "o")
ax.grid(axis="x", alpha=0.4)
ax.set_xlabel("leave-one-out error (root mean square)")
ax.invert_yaxis()
print("best:", search.best_estimator_.kernel_)

# %%
# The best and the worst differ by one percent: on these data a straight line does nearly as well as anything.
