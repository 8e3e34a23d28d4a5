"""
Of this class, of that one, of both, or of none?
================================================

A classifier must choose. A p-value for each class can also say: this object could be of either class, or it is of
neither.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.patches import Patch

import gramian as gm

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(120, 2)), rng.normal((3, 0), 1, (120, 2))])
y = np.repeat([0, 1], 120)
model = gm.ParzenClassifier(gm.Gaussian(bandwidth=1.5)).fit(X, y)
across, up = np.meshgrid(np.linspace(-4, 7, 120), np.linspace(-5, 5, 110))
possible = model.p_values(np.column_stack([across.ravel(), up.ravel()])) > 0.05
answer = (possible @ [1, 2]).reshape(across.shape)
figure, ax = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
areas = {"none": "0.92", "left": "#9ecae1", "right": "#fdae6b", "either": "#c7e9c0"}
ax.pcolormesh(across, up, answer, cmap=ListedColormap(areas.values()), vmin=0, vmax=3)
ax.scatter(*X.T, c=np.array(["tab:blue", "tab:orange"])[y], s=10)
ax.legend(handles=[Patch(color=color, label=name) for name, color in areas.items()], title="at 5 %", loc="upper right")

# %%
# Above a p-value of 5 % an object is a possible member of the class. In the middle both classes are possible. In the
# grey area neither is, and a classifier that has to choose would give a wrong answer there without a warning.
