"""
How many landmarks are enough?
==============================

Large Gram matrices are replaced by matrices of low rank. ``Nystrom`` describes all objects by their kernel values with
a few of them, the landmarks. ``RandomFourier`` takes random waves as features and does not look at the data. How good
is that, at which rank?
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
X = rng.normal(size=(800, 3))
kernel = gm.Gaussian(bandwidth=1.5)
K = kernel(X)
ranks = (10, 20, 50, 100, 200, 400)
errors = {
    "Nystrom": [np.linalg.norm(gm.Nystrom(kernel, rank=r).fit(X)(X) - K) / np.linalg.norm(K) for r in ranks],
    "RandomFourier": [np.linalg.norm(gm.RandomFourier(kernel, rank=r)(X) - K) / np.linalg.norm(K) for r in ranks],
}
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, values in errors.items():
    ax.loglog(ranks, values, "o-", label=name)
ax.set_xlabel("rank")
ax.set_ylabel("relative error of K")
ax.legend(frameon=False)

# %%
# At equal rank landmarks are far better here:

for name, values in errors.items():
    print(name, {rank: f"{error:.1e}" for rank, error in zip(ranks, values, strict=True)})
