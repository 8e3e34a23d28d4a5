"""
k-means for clusters that are not round
=======================================

Plain k-means cuts rings into slices. In the feature space of a Gaussian with a small bandwidth the rings are two
clouds, and k-means finds them.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles

import gramian as gm

X, ring = make_circles(300, factor=0.35, noise=0.06, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained")
plain = KMeans(2, n_init=10, random_state=0).fit(X)
kernel = gm.Gaussian(bandwidth=0.2)
ours = gm.KernelKMeans(2, kernel, random_state=0).fit(X)
for ax, (title, labels) in zip(
    axes, {"KMeans(2)": plain.labels_, "KernelKMeans(2)": ours.labels_}.items(), strict=False
):
    ax.scatter(*X.T, c=labels, s=14, cmap="coolwarm")
    ax.set_title(title)
    ax.set_aspect("equal")
gm.plot.gram_heatmap(kernel.gram(X), ours.labels_, ax=axes[2])

# %%
# Right, the Gram matrix with its objects ordered by cluster. Inside a block objects are alike (bright), between the
# blocks they are not (dark). That is all the algorithm sees.
