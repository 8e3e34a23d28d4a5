"""
How many landmarks are enough?
==============================

Beyond some thousand objects a kernel is seen from landmarks, or through random waves. How good is that, at which
rank? Landmarks look at the data, waves do not.
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
