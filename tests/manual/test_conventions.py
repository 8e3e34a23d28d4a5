"""The tables of docs/migrate/scikit-learn.md: each row against scikit-learn itself."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, ExpSineSquared, Matern
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import pairwise
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.svm import SVC

import gramian as gm

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(30, 4)), RNG.normal(size=(7, 4))
Y = np.sin(X[:, 0]) + X[:, 1]
LABELS = (X[:, 0] > 0).astype(int)
TEXTS = ["the cat sat on the mat", "the dog sat", "a mat for the cat"]
G, Q, C = 0.3, 3, 1.7

KERNELS = {
    "rbf_kernel": (pairwise.rbf_kernel(X, Z, gamma=G), gm.Gaussian((2 * G) ** -0.5)),
    "laplacian_kernel": (pairwise.laplacian_kernel(X, Z, gamma=G), gm.Laplacian(1 / G)),
    "polynomial_kernel": (pairwise.polynomial_kernel(X, Z, degree=Q, gamma=1, coef0=C), gm.Polynomial(Q, C)),
    "polynomial_kernel, gamma": (pairwise.polynomial_kernel(X, Z, Q, G, C), (G * gm.Linear() + C) ** Q),
    "linear_kernel": (pairwise.linear_kernel(X, Z), gm.Linear()),
    "cosine_similarity": (pairwise.cosine_similarity(X, Z), gm.Linear().normalize()),
    "RBF": (RBF(0.7)(X, Z), gm.Gaussian(0.7)),
    "Matern": (Matern(0.7, nu=2.5)(X, Z), gm.Matern(0.7, nu=2.5)),
    "ConstantKernel": ((ConstantKernel(C) * RBF(0.7) + ConstantKernel(2.0))(X, Z), C * gm.Gaussian(0.7) + 2.0),
    "DotProduct": (DotProduct(C)(X, Z), gm.Linear() + C**2),
}


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_has_the_values_of_its_row(name):
    theirs, ours = KERNELS[name]
    np.testing.assert_allclose(ours(X, Z), theirs, rtol=1e-9, atol=1e-12)


def test_the_periodic_kernel_takes_its_parameters_the_other_way_round():
    theirs = ExpSineSquared(length_scale=0.7, periodicity=2.5)(X[:, :1], Z[:, :1])
    np.testing.assert_allclose(gm.Periodic(2.5, 0.7)(X[:, :1], Z[:, :1]), theirs, rtol=1e-9)


@pytest.mark.parametrize(
    ("vectorizer", "kernel"),
    [(CountVectorizer(), gm.BagOfWords()), (TfidfVectorizer(), gm.BagOfWords("tf-idf").normalize())],
)
def test_bags_of_words_are_those_of_the_vectorizers(vectorizer, kernel):
    D = vectorizer.fit_transform(TEXTS)
    np.testing.assert_allclose(kernel.fit(TEXTS)(TEXTS), (D @ D.T).toarray(), rtol=1e-12)


def test_ridge_is_alpha():
    theirs = KernelRidge(alpha=0.2, kernel="rbf", gamma=G).fit(X, Y)
    ours = gm.KernelRidge(gm.Gaussian((2 * G) ** -0.5), ridge=0.2).fit(X, Y)
    np.testing.assert_allclose(ours.predict(Z), theirs.predict(Z), rtol=1e-8)


def test_a_gaussian_process_with_noise_has_the_mean_of_the_ridge_regression():
    theirs = GaussianProcessRegressor(RBF(0.7, "fixed"), alpha=0.2, optimizer=None).fit(X, Y)
    ours = gm.KernelRidge(gm.Gaussian(0.7), ridge=0.2).fit(X, Y)
    np.testing.assert_allclose(ours.predict(Z), theirs.predict(Z), rtol=1e-8)
    deviations = ours.predict(Z, return_std=True)[1] * 0.2**0.5 / ours.noise_
    np.testing.assert_allclose(deviations, theirs.predict(Z, return_std=True)[1], rtol=1e-8)


def test_the_linear_kernel_with_an_intercept_is_ridge():
    theirs = Ridge(alpha=0.2).fit(X, Y)
    ours = gm.KernelRidge(gm.Linear(), ridge=0.2, fit_intercept=True).fit(X, Y)
    np.testing.assert_allclose(ours.predict(Z), theirs.predict(Z), rtol=1e-8)


def test_two_balanced_classes_are_parted_as_by_linear_discriminants():
    half = np.argsort(Y) >= len(Y) // 2
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, half)
    ours = gm.FisherDiscriminant(gm.Linear(), ridge=0).fit(X, half)
    assert (ours.predict(Z) == theirs.predict(Z)).all()
    np.testing.assert_allclose(np.abs(np.corrcoef(ours.transform(Z)[:, 0], theirs.transform(Z)[:, 0])[0, 1]), 1.0)


def test_landmarks_that_are_given_make_the_features_of_nystroem():
    theirs = Nystroem(kernel="rbf", gamma=G, n_components=5, random_state=0).fit(X)
    ours = gm.Nystrom(gm.Gaussian((2 * G) ** -0.5), landmarks=theirs.components_)
    np.testing.assert_allclose(ours(Z), theirs.transform(Z) @ theirs.transform(Z).T, rtol=1e-8)


def test_a_support_vector_machine_on_rows_of_the_gram_is_one_with_the_kernel():
    theirs = SVC(kernel="rbf", gamma=G).fit(X, LABELS)
    ours = make_pipeline(gm.GramRows(gm.Gaussian((2 * G) ** -0.5)), SVC(kernel="precomputed")).fit(X, LABELS)
    np.testing.assert_allclose(ours.decision_function(Z), theirs.decision_function(Z), atol=1e-2)
    assert (ours.predict(Z) == theirs.predict(Z)).all()


def test_components_are_the_same_but_for_their_signs():
    theirs = KernelPCA(3, kernel="rbf", gamma=G).fit(X).transform(Z)
    ours = gm.KernelPCA(3, gm.Gaussian((2 * G) ** -0.5)).fit(X).transform(Z)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-6, atol=1e-9)


def test_least_squares_on_classes_is_the_ridge_classifier():
    theirs = RidgeClassifier(alpha=2.0).fit(X, LABELS)
    ours = gm.KernelClassifier(gm.Linear(), ridge=2.0).fit(X, LABELS)
    np.testing.assert_allclose(ours.decision_function(Z), theirs.decision_function(Z), rtol=1e-8, atol=1e-12)


def test_the_nearest_centre_of_mass_is_the_nearest_centroid():
    theirs, ours = NearestCentroid().fit(X, LABELS), gm.ParzenClassifier(gm.Linear()).fit(X, LABELS)
    assert (ours.predict(Z) == theirs.predict(Z)).all()


def test_k_means_in_the_linear_space_is_k_means():
    points = np.vstack([X, X + 20])
    theirs = KMeans(2, n_init=3, random_state=0).fit(points)
    ours = gm.KernelKMeans(2, gm.Linear(), random_state=0).fit(points)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_, rtol=1e-9)


def test_centring_is_that_of_the_kernel_centerer():
    k = gm.Gaussian(1.0)
    theirs = KernelCenterer().fit(k(X))
    np.testing.assert_allclose(k.center(X)(Z, X), theirs.transform(k(Z, X)), atol=1e-12)


def test_standardizing_is_that_of_the_scaler():
    scaler = StandardScaler().fit(X)
    ours = gm.Linear().pullback(gm.Standardize()).fit(X)
    np.testing.assert_allclose(ours(Z), scaler.transform(Z) @ scaler.transform(Z).T, rtol=1e-9, atol=1e-12)
