"""
Why the line between two centres is not always the best direction
=================================================================

Two long, thin classes side by side. The nearest centre cuts across them. Fisher's discriminant takes the spread into
account and turns the direction.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
stretch = np.array([[2.0, 1.6], [0.0, 0.5]])
X = np.vstack([rng.normal(size=(100, 2)) @ stretch, rng.normal(size=(100, 2)) @ stretch + [1.5, -0.2]])
y = np.repeat(["left", "right"], 100)

figure, axes = plt.subplots(1, 3, figsize=(12.5, 4), layout="constrained")
for ax, model in zip(axes, (gm.ParzenClassifier(gm.Linear()), gm.FisherDiscriminant(gm.Linear())), strict=False):
    gm.plot.decision_regions(model.fit(X, y), X, y, ax=ax)
gm.plot.fisher_projection(model, X, y, ax=axes[2])
print(f"J at its maximum: {model.quotient_:.2f}")

# %%
# Left, the boundary is at a right angle to the line between the two centres. In the middle, Fisher's direction.
# Right, all points projected on that direction: two heaps with little overlap. J is the squared distance of their
# means, divided by the sum of their variances and a term for the ridge.
