"""
What does one column do, if the others stay as they are?
========================================================

A kernel model is no black box. Accumulated local effects show how its answer changes with one column, with errors
that say how far the curve depends on the sample.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes

import gramian as gm

data = load_diabetes(scaled=False)
kernel = gm.Gaussian("median").pullback(gm.Standardize())
model = gm.KernelRidge(kernel, fit_intercept=True).fit(data.data, data.target)
figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for ax, column in zip(axes, ("bmi", "s5", "age"), strict=True):
    found = gm.effects(model, data.data, column, data.target, names=data.feature_names)
    gm.plot.effects(found, ax=ax)

# %%
# A curve that rises by 60 says: from the smallest value of this column to the largest, the prediction rises by 60,
# the other columns being what they are. The band is a standard error over parts of the sample. Body mass (``bmi``)
# and the blood value ``s5`` matter; what age does is within its error.
