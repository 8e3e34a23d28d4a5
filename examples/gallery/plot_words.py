"""
Six string kernels, eight words
===============================

What does each kernel call alike? Substrings need letters side by side; subsequences may jump; mismatches forgive a
letter. Each picture is a Gram matrix, normalized so that a word and itself have the value 1.
"""

import matplotlib.pyplot as plt

import gramian as gm

words = ["kernel", "colonel", "kennel", "banana", "bandana", "cabana", "gram", "telegram"]
kernels = {
    "Composition()": gm.Composition(),
    "Spectrum(2)": gm.Spectrum(2),
    "FullSpectrum()": gm.FullSpectrum(),
    "Mismatch(3, 1)": gm.Mismatch(3, 1, "abcdeghiklmnorst"),
    "Subsequences(3, decay=0.5)": gm.Subsequences(3, decay=0.5),
    "AllSubsequences()": gm.AllSubsequences(),
}
figure, axes = plt.subplots(2, 3, figsize=(11.5, 7.6), layout="constrained", sharex=True, sharey=True)
for ax, (title, kernel) in zip(axes.flat, kernels.items(), strict=True):
    ax.imshow(kernel.normalize()(words), vmin=0, vmax=1, cmap="viridis")
    ax.set_xticks(range(8), words, rotation=60, ha="right")
    ax.set_yticks(range(8), words)
    ax.set_title(title)

# %%
# Bright is alike. ``Composition`` finds "kernel" and "telegram" somewhat alike, because they have letters in common;
# ``Spectrum(2)`` does not, because these letters do not stand side by side.
