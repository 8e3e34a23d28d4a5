"""
Removing noise from digits by pre-images
========================================

Project a noisy picture on the leading kernel principal components, then look for the picture whose image is nearest.
Noise lies in the many directions that were left out.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import gramian as gm

X, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(0)
noisy = X + rng.normal(scale=4.0, size=X.shape)
learn, show = slice(0, 700), [int(np.flatnonzero(digit[1000:] == number)[0]) + 1000 for number in range(10)]

kernel = gm.Gaussian("median").fit(X[learn])
model = gm.KernelPCA(60, kernel).fit(X[learn])
clean = model.inverse_transform(model.transform(noisy[show]))

figure, axes = plt.subplots(3, 10, figsize=(10, 3.4), layout="constrained")
for row, (title, pictures) in zip(
    axes, {"original": X[show], "noisy": noisy[show], "cleaned": clean}.items(), strict=True
):
    row[0].set_ylabel(title)
    for ax, picture in zip(row, pictures, strict=True):
        ax.imshow(picture.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        ax.set_xticks([])
        ax.set_yticks([])

# %%
# How far from the original, as the root of the mean squared error of a pixel (a pixel has 0 to 16):

for name, pictures in (("noisy", noisy[show]), ("cleaned", clean)):
    print(f"{name}: {np.sqrt(((pictures - X[show]) ** 2).mean()):.2f}")
