"""
How many clusters? Often one
============================

Most methods find as many clusters as they are asked for. ``find_clusters`` tests whether there are any: a cloud
without gaps is one cluster, and it says so.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
cloud = rng.normal(size=(150, 2))
sets = {
    "one cloud": cloud,
    "two clouds": np.vstack([cloud, 0.6 * rng.normal(size=(80, 2)) + [5, 1]]),
    "three clouds": np.vstack([cloud, rng.normal((7, 0), 1, (80, 2)), rng.normal((3, 8), 1, (60, 2))]),
}
figure, axes = plt.subplots(1, 3, figsize=(11.5, 3.8), layout="constrained")
for ax, (title, X) in zip(axes, sets.items(), strict=True):
    found = gm.find_clusters(X, rng=0)
    ax.scatter(*X.T, c=found.labels, s=14, cmap="viridis", vmax=2)
    ax.set_title(f"{title}: {found.count} found")
    ax.set_aspect("equal")

# %%
# Colours are the clusters found. The first set was not cut, because chance would have done as well.
