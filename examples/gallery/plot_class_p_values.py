"""
Of this class, of that one, of both, or of none?
================================================

A classifier must choose. A p-value for each class can also say: this object could be of either class, or it is of
neither.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
X = np.vstack([rng.normal(size=(120, 2)), rng.normal((3, 0), 1, (120, 2))])
y = np.repeat([0, 1], 120)
model = gm.ParzenClassifier(gm.Gaussian(bandwidth=1.5)).fit(X, y)
across, up = np.meshgrid(np.linspace(-4, 7, 120), np.linspace(-5, 5, 110))
possible = model.p_values(np.column_stack([across.ravel(), up.ravel()])) > 0.05
answer = (possible @ [1, 2]).reshape(across.shape)
figure, ax = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
areas = ax.contourf(
    across, up, answer, levels=[-0.5, 0.5, 1.5, 2.5, 3.5], colors=["0.92", "#9ecae1", "#fdae6b", "#c7e9c0"]
)
ax.scatter(*X.T, c=np.array(["tab:blue", "tab:orange"])[y], s=10)
ax.legend(areas.legend_elements()[0], ["none", "left", "right", "either"], title="at 5 %", loc="upper right")
