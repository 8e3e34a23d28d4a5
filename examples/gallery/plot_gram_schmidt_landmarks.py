"""
Which points stand for the others? Pivots of a Cholesky factor
==============================================================

Partial Gram–Schmidt takes the point that is farthest from the span of those it has. After a few dozen of them
everything else is nearly a combination of them. Which point comes next? Greedy: the one that is farthest. Random: one
drawn with a probability that grows with its distance.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(300, 2)), 0.4 * rng.normal(size=(300, 2)) + [3, 3]])
K = gm.Gaussian(bandwidth=1.0).gram(X)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.9), layout="constrained")
for ax, pivoting in zip(axes, ("greedy", "random"), strict=False):
    low = gm.cholesky(K, rank=25, pivoting=pivoting, rng=0)
    ax.scatter(*X.T, s=6, color="0.75")
    ax.scatter(*X[low.pivots].T, s=40, color="tab:red", marker="x")
    ax.set_title(f"{pivoting} pivots, {100 * low.relative_error:.1f} % left")
for pivoting in ("greedy", "random"):
    left = [gm.cholesky(K, rank=r, pivoting=pivoting, rng=0).relative_error for r in (5, 10, 20, 40, 80)]
    axes[2].semilogy((5, 10, 20, 40, 80), left, "o-", label=pivoting)
axes[2].set_xlabel("rank")
axes[2].set_ylabel("share of the trace left out")
axes[2].legend(frameon=False)

# %%
# Greedy pivots lie on the rim, where single points are far from all others. Random ones lie where most points are,
# and leave less out at equal rank. That is why they are the default for landmarks.
