"""
Two centuries of speeches, from their words alone
=================================================

Passages of 233 messages of U.S. presidents, compared by the words they share. Nobody tells the kernel a date; the
first component is time.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

speeches = gm.load_addresses()
year = speeches.details["year"]
bag = gm.BagOfWords("tf-idf").normalize()
pca = gm.KernelPCA(2, bag).fit(speeches.data)
place = pca.transform(speeches.data)

figure, ax = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
dots = ax.scatter(*place.T, c=year, s=22, cmap="viridis")
figure.colorbar(dots, label="year")
ax.set_xlabel("component 1")
ax.set_ylabel("component 2")
print(f"correlation of the first component with the year: {abs(np.corrcoef(place[:, 0], year)[0, 1]):.2f}")

# %%
# Dots of one colour, which is one time, lie together, and the first component orders the times. Which words drive it?
# Words are explicit features, so the component is a list of weights:

gm.plot.feature_weights(pca.feature_weights(), function="component 1", top=14)

# %%
# Speeches on the right say "we" and "our", those on the left "the" and "of". From 1801 to 1912 the messages were sent
# in writing; since then most of them have been spoken.
