"""
Why is this one unusual?
========================

An alarm that cannot be explained is ignored. The detector names the columns that put an object outside, and what
would bring it back.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

iris = gm.load_iris()
setosa = iris.data[:50]
names = ["sepal length", "sepal width", "petal length", "petal width"]
detector = gm.NoveltyDetector(alpha=0.05, random_state=0).fit(setosa)
odd = np.vstack([setosa[0] + [0, 0, 2.5, 0], setosa[1] + [0, -1.5, 0, 0.6], iris.data[60]])
for explanation in detector.explain(odd, names=names):
    print(explanation)

# %%
# In the first line, for example: the distance is 1.26, the threshold 1.15, and petal length is what is unusual. All
# flowers by their distance from the centre of the setosa, and the threshold:

figure, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
gm.plot.novelty_distances(detector, np.vstack([setosa, odd]), ax=ax)
