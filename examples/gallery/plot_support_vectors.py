"""
A support vector machine on strings
===================================

scikit-learn's ``SVC`` takes a matrix of similarities. ``GramRows`` makes it from objects of any kind, inside a
pipeline, so that cross-validation and grid search cut the *objects*.
"""

import matplotlib.pyplot as plt
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

import gramian as gm

dna = gm.load_promoters()
machine = make_pipeline(gm.GramRows(gm.Spectrum(3).normalize()), SVC(kernel="precomputed"))
grid = {"gramrows__kernel__base__length": [2, 3, 4, 5], "svc__C": [0.1, 1, 10, 100]}
search = GridSearchCV(machine, grid, cv=5).fit(dna.data, dna.target)
table = search.cv_results_["mean_test_score"].reshape(4, 4)
figure, ax = plt.subplots(figsize=(5.6, 4.2), layout="constrained")
picture = ax.imshow(100 * table, cmap="viridis")
ax.set_xticks(range(4), grid["svc__C"])
ax.set_yticks(range(4), grid["gramrows__kernel__base__length"])
ax.set_xlabel("C")
ax.set_ylabel("length of substrings")
figure.colorbar(picture, label="accuracy, %")
print(search.best_params_, round(search.best_score_, 3))

# %%
# With a small C the machine hardly looks at the data. From C = 1 on the length of the substrings matters more than C.
