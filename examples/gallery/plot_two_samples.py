"""
Are two samples from the same distribution?
===========================================

Same mean, same variance, different shape: a t-test sees nothing. The distance of two centres in feature space, tested
by permutation, sees any difference.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import ttest_ind

import gramian as gm

rng = np.random.default_rng(0)
one = rng.normal(size=(200, 1))
two = rng.choice([-1, 1], size=(200, 1)) * np.sqrt(1 - 0.3**2) + 0.3 * rng.normal(size=(200, 1))
phi = gm.FeatureSpace(gm.Gaussian(bandwidth=0.5))
test = gm.mean_test(phi(one), phi(two), rng=0)
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
ax.hist([one[:, 0], two[:, 0]], bins=40, label=["one", "two"])
ax.set_title(f"t-test p = {ttest_ind(one, two).pvalue[0]:.2f}; mean_test p = {test.p_value:.3f}")
ax.legend(frameon=False)

# %%
# Where do they differ? The difference of the centres is a function:

witness = phi(one).mean() - phi(two).mean()
grid = np.linspace(-3, 3, 200)[:, None]
figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.plot(grid, witness(grid))
ax.axhline(0, color="0.6", linewidth=1)
ax.set_ylabel("more of two ↔ more of one")

# %%
# The first sample has more points around 0, the second around −1 and 1.
