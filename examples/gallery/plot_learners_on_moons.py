"""
Five classifiers on two moons
=============================

Which one draws which boundary? All have the same Gaussian kernel. The nearest centre smooths most; Fisher's
discriminant and least squares follow the moons; a support vector machine gives nearly the same line.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import gramian as gm

X, y = make_moons(200, noise=0.25, random_state=0)
kernel = gm.Gaussian(bandwidth=0.5)
models = {
    "ParzenClassifier": gm.ParzenClassifier(kernel),
    "FisherDiscriminant": gm.FisherDiscriminant(kernel),
    "KernelClassifier": gm.KernelClassifier(kernel),
    "GramSchmidt + logistic": make_pipeline(gm.GramSchmidt(kernel, rank=40), LogisticRegression(C=10)),
    "SVC": SVC(gamma=1 / (2 * 0.5**2)),
    "linear": LogisticRegression(),
}
figure, axes = plt.subplots(2, 3, figsize=(12, 7), layout="constrained")
for ax, (name, model) in zip(axes.flat, models.items(), strict=True):
    gm.plot.decision_regions(model.fit(X, y), X, y, ax=ax)
    ax.set_title(f"{name}, {model.score(X, y):.0%} of these points")

# %%
# The percentages are of the points that the models were fitted to, so they say how closely a line follows the sample,
# and not how well it does on new points.
