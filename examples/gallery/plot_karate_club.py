"""
The karate club: two known members are enough
=============================================

A club of 34 people split in two. We know who the instructor (0) and the president (33) are, and who is friends with
whom. Where did the others go? A diffusion kernel makes similarity of friendship, and the nearest centre decides.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import gramian as gm

club = nx.karate_club_graph()
nodes = list(club)
side = np.array([club.nodes[node]["club"] for node in nodes])
heat = gm.ExponentialDiffusion(gm.Graph(nx.Graph(list(club.edges))), beta=0.5, of="laplacian").normalize()
model = gm.ParzenClassifier(heat).fit([0, 33], ["Mr. Hi", "Officer"])
guess = model.predict(nodes)
print(f"{(guess == side).sum()} of 34 right; wrong: {[n for n in nodes if guess[n] != side[n]]}")

# %%
# Two coordinates by kernel PCA draw the club. Circles went with the instructor, squares with the president; colours
# are what the model says.

place = gm.KernelPCA(2, heat).fit_transform(nodes)
figure, ax = plt.subplots(figsize=(7, 5), layout="constrained")
for u, v in club.edges:
    ax.plot(*place[[u, v]].T, color="0.8", linewidth=0.8, zorder=0)
for name, marker in (("Mr. Hi", "o"), ("Officer", "s")):
    these = side == name
    colors = np.where(guess[these] == "Mr. Hi", "tab:blue", "tab:orange")
    ax.scatter(*place[these].T, c=colors, marker=marker, s=70, label=name)
for node in (0, 33):
    ax.annotate(str(node), place[node], fontsize=13, weight="bold")
ax.legend(frameon=False, title="went with")
