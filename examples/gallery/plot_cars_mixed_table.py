"""
A table of numbers, a category and a name in one kernel
=======================================================

How far does a car drive on a gallon? Weight and horsepower are numbers, the origin is a category, the name is a
string. A kernel can be built from one for each, and judged column by column.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import KFold, cross_val_predict

import gramian as gm

cars = gm.load_cars()
columns = ("weight", "horsepower", "year", "displacement")
numbers = gm.Gaussian("median").pullback(gm.Standardize()).on(*columns)
kernel = numbers * (gm.Equality().on("origin") + 1) + 0.1 * gm.Spectrum(3).normalize().on("name")
print(kernel)

folds = KFold(5, shuffle=True, random_state=0)
model = gm.KernelRidge(kernel, fit_intercept=True)
said = cross_val_predict(model, cars.data, cars.target, cv=folds)
figure, ax = plt.subplots(figsize=(5.5, 4.2), layout="constrained")
ax.scatter(cars.target, said, s=12, alpha=0.6)
ax.axline((20, 20), slope=1, color="0.5", linewidth=1)
ax.set_xlabel("miles per gallon")
ax.set_ylabel("predicted without having seen the car")
error = np.sqrt(np.mean((said - cars.target) ** 2))
ax.set_title(f"typical error {error:.1f} miles per gallon")

# %%
# Dots on the line are predicted exactly. How much does each column matter? Permute it among cars that the model has
# not seen, and look at how much larger the error becomes. Columns that say nearly the same are also permuted together
# (the lowest bar), because one of them can stand in for another:

ridge = gm.KernelRidge(kernel, ridge=0.1, fit_intercept=True)
gm.plot.importance(gm.importance(ridge, cars.data, cars.target, repeats=2))
