"""
Kernel PCA pulls two circles apart
==================================

Two rings cannot be separated by a line. Linear PCA only turns the plane. Kernel PCA with a Gaussian looks at
neighbourhoods: its first component is the ring a point lies on. This is the picture that scikit-learn's manual shows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

import gramian as gm

X, ring = make_circles(400, factor=0.3, noise=0.05, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
axes[0].scatter(*X.T, c=ring, s=12, cmap="coolwarm")
axes[0].set_title("the data")
for ax, kernel, title in (
    (axes[1], gm.Linear(), "linear"),
    (axes[2], gm.Gaussian(bandwidth=0.22), "Gaussian, σ = 0.22"),
):
    pca = gm.KernelPCA(2, kernel).fit(X)
    gm.plot.components(pca, X, ring, ax=ax)
    ax.set_title(title)

# %%
# scikit-learn's ``gamma=10`` is ``bandwidth = 1 / sqrt(2 * 10) = 0.22`` here. How much of the variance in feature
# space do two components hold? Little, because the feature space has many directions:

share = gm.KernelPCA(2, gm.Gaussian(bandwidth=0.22)).fit(X).explained_variance_ratio_
print(share.round(3))
