"""
A trend with seasons: kernels add up
====================================

Monthly numbers that grow and come again each year. A sum of two kernels has one part for each, and the prediction can
be taken apart again.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
t = np.arange(0, 10, 1 / 12)[:, None]
y = (
    0.08 * t[:, 0] ** 2
    + np.sin(2 * np.pi * t[:, 0])
    + 0.4 * np.cos(4 * np.pi * t[:, 0])
    + 0.2 * rng.normal(size=len(t))
)
ahead = np.arange(0, 13, 1 / 12)[:, None]

trend, season = gm.Gaussian(bandwidth=5.0), gm.Periodic(period=1.0, bandwidth=0.8)
both = gm.KernelRidge(trend + season, fit_intercept=True).fit(t, y)
plain = gm.KernelRidge(gm.Gaussian("median"), fit_intercept=True).fit(t, y)
figure, ax = plt.subplots(figsize=(9, 3.4), layout="constrained")
ax.scatter(t[:, 0], y, s=8, color="0.5")
ax.plot(ahead, plain.predict(ahead), ":", label="Gaussian alone")
ax.plot(ahead, both.predict(ahead), label="Gaussian + Periodic")
ax.axvline(10, color="0.8")
ax.legend(frameon=False)

# %%
# The learnt function is a sum over the sample, so each kernel has its own share of it:

figure, ax = plt.subplots(figsize=(9, 3.4), layout="constrained")
for name, kernel in (("trend", trend), ("season", season)):
    ax.plot(ahead, kernel(ahead, t) @ both.dual_coef_, label=name)
ax.legend(frameon=False)
ax.set_xlabel("years; data end at 10")

# %%
# Beyond the data the Gaussian alone falls back to the mean, while the sum goes on with the seasons. The level of the
# trend is below zero because the intercept carries the rest. How far ahead a trend may be trusted no kernel can tell.
