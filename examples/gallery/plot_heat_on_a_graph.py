"""
Heat on a graph: what β means
=============================

Put heat on one node of a grid with a wall and wait. The exponential diffusion kernel on the Laplacian is how much has
arrived where, after the time β. Similarity flows around the wall, not through it.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import gramian as gm

grid = nx.grid_2d_graph(21, 21)
grid.remove_edges_from([((10, y), (11, y)) for y in range(3, 21)])
nodes = list(grid)
start = nodes.index((6, 14))
figure, axes = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
for ax, beta in zip(axes, (1.0, 10.0, 100.0), strict=True):
    heat = gm.ExponentialDiffusion(grid, beta=beta, of="laplacian")
    column = heat(nodes, [nodes[start]])[:, 0]
    ax.imshow(np.log10(np.maximum(column, 1e-6)).reshape(21, 21).T, origin="lower", cmap="magma")
    ax.plot([10.5, 10.5], [2.5, 20.5], color="white", linewidth=3)
    ax.set_title(f"β = {beta:g}")

# %%
# Bright is hot, on a logarithmic scale. The white line is the wall.
