"""
How sure is a prediction? Two answers
=====================================

``predict_interval`` holds the next observation as often as it says, whatever the noise is. ``return_std`` is the
standard deviation of a Gaussian process, which grows where there are no data. They answer different questions.
"""

import matplotlib.pyplot as plt
import numpy as np

import gramian as gm

rng = np.random.default_rng(0)
X = np.sort(np.concatenate([rng.uniform(0, 3, 60), rng.uniform(5, 8, 60)]))[:, None]
y = np.sin(X[:, 0]) + 0.2 * rng.normal(size=120)
grid = np.linspace(-1, 9, 300)[:, None]
model = gm.KernelRidge(gm.Gaussian(bandwidth=1.0), fit_intercept=True).fit(X, y)
figure, axes = plt.subplots(1, 2, figsize=(11.5, 4), sharey=True, layout="constrained")
intervals = model.predict_interval(grid, alpha=0.1)
mean, deviation = model.predict(grid, return_std=True)
bands = {
    "90 % prediction interval": (intervals.low, intervals.high),
    "± 2 deviations": (mean - 2 * deviation, mean + 2 * deviation),
}
for ax, (title, (low, high)) in zip(axes, bands.items(), strict=True):
    ax.scatter(X[:, 0], y, s=10, color="0.5")
    ax.plot(grid, mean)
    ax.fill_between(grid[:, 0], low, high, alpha=0.2)
    ax.set_title(title)

# %%
# Does the interval keep its promise? On a thousand new points where there are data:

new = np.concatenate([rng.uniform(0, 3, 500), rng.uniform(5, 8, 500)])[:, None]
seen = np.sin(new[:, 0]) + 0.2 * rng.normal(size=1000)
found = model.predict_interval(new, alpha=0.1)
print(f"{np.mean((found.low <= seen) & (seen <= found.high)):.1%} inside, 90 % promised")

# %%
# The interval, left, is for new *observations*: it has the width of the noise everywhere, also where there are no
# data, and there it promises nothing. The deviations, right, are those of the *curve*: narrow where there are data,
# wide where there are none.
