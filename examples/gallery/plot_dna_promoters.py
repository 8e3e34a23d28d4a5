"""
Which pieces of DNA are promoters?
==================================

Sequences have no columns. A string kernel compares them by the substrings that they share, and every learner works on
them unchanged. Which lengths of substrings matter?
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import StratifiedKFold, cross_val_score

import gramian as gm

dna = gm.load_promoters()
print(dna.data[0], dna.target_names[dna.target[0]])
folds = StratifiedKFold(10, shuffle=True, random_state=0)
kernels = {f"Spectrum({p})": gm.Spectrum(p) for p in (1, 2, 3, 4, 5)}
kernels |= {"FullSpectrum(2, 5)": gm.FullSpectrum(2, 5), "Mismatch(4, 1)": gm.Mismatch(4, 1, "acgt")}
scores = {
    name: cross_val_score(gm.KernelClassifier(kernel.normalize()), dna.data, dna.target, cv=folds)
    for name, kernel in kernels.items()
}

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.barh(
    list(scores), [100 * s.mean() for s in scores.values()], xerr=[100 * s.std() / 10**0.5 for s in scores.values()]
)
ax.axvline(50, color="0.5", linestyle="--", linewidth=1)
ax.set_xlabel("accuracy, %, ten folds (bars: standard error); chance is 50 %")
ax.invert_yaxis()

# %%
# Single letters (``Spectrum(1)``) tell little, substrings of five letters nearly all. Substrings are explicit
# features, so the weights of the learnt function can be read exactly:

model = gm.KernelClassifier(gm.Spectrum(4).normalize()).fit(dna.data, dna.target)
gm.plot.feature_weights(model.feature_weights(), top=12)

# %%
# On the side of the promoters stands ``tata``, a piece of ``tataat``, which biologists know as the Pribnow box.
