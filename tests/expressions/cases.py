"""Expressions with the kernels they mean, for the tests of reading and of writing."""

import gramian as gm

GRAPH = gm.Graph.from_edges([("mill", "church", 0.5), ("church", "inn"), ("inn", "mill", 2.0)])
AGE = gm.Gaussian("median").on("age", "weight")

MEANINGS = {
    "linear": gm.Linear(),
    "0.5*gaussian(bandwidth=2) + polynomial(2)": 0.5 * gm.Gaussian(2) + gm.Polynomial(2),
    "spectrum(3) on promoter": gm.Spectrum(3).on("promoter"),
    'gaussian("median") on age, weight + spectrum(3) on promoter * bag_of_words() on note': AGE
    + gm.Spectrum(3).on("promoter") * gm.BagOfWords().on("note"),
    "normalize(full_spectrum(max_length=5)) ** 2": gm.FullSpectrum(max_length=5).normalize() ** 2,
    "standardize(gaussian(median))": gm.Gaussian("median").pullback(gm.Standardize()),
    'gaussian(median) on "body mass", age': gm.Gaussian("median").on("body mass", "age"),
    "exponential_diffusion(beta=0.5)": gm.ExponentialDiffusion(GRAPH, beta=0.5),
    "exponential_diffusion(-0.5, laplacian)": gm.ExponentialDiffusion(GRAPH, beta=-0.5, of="laplacian"),
    "linear + 1": gm.Linear() + 1,
    "1 + linear": gm.Linear() + 1,
    "linear + 0": gm.Linear(),
    "linear * 2 / 4": (gm.Linear() * 2) / 4,
    "1/4 * linear": 0.25 * gm.Linear(),
    "(1 + 2) * 3 * linear": 9 * gm.Linear(),
    "3 - 1 + linear": gm.Linear() + 2,
    "linear + gaussian * anova ** 2": gm.Linear() + gm.Gaussian() * gm.Anova() ** 2,
    "linear + (gaussian + anova)": gm.Linear() + (gm.Gaussian() + gm.Anova()),
    "(linear ^ 2) ^ 3": (gm.Linear() ** 2) ** 3,
    "linear on age ** 2": gm.Linear().on("age") ** 2,
    "(linear ** 2) on age": (gm.Linear() ** 2).on("age"),
    "2 * linear on age": 2 * gm.Linear().on("age"),
    "linear on (age, weight)": gm.Linear().on("age", "weight"),
    "linear on 0, -1": gm.Linear().on(0, -1),
    "equality on on": gm.Equality().on("on"),
    "equality ON Größe": gm.Equality().on("Größe"),
    'linear.on("a", b).exp().normalize()': gm.Linear().on("a", "b").exp().normalize(),
    "exp(0.1 * linear)": (0.1 * gm.Linear()).exp(),
    "linear.standardize()": gm.Linear().pullback(gm.Standardize()),
    "gm.Linear().pullback(gm.Standardize())": gm.Linear().pullback(gm.Standardize()),
    "gaussian.polynomial((1, 0, 2))": gm.Gaussian().polynomial((1, 0, 2)),
    "random_fourier(gaussian, seed=9223372036854775807)": gm.RandomFourier(gm.Gaussian(), seed=2**63 - 1),
    "linear + 0.0 + 0e5 + 00": gm.Linear(),
    "periodic(7)": gm.Periodic(7),
    "periodic(365.2425, bandwidth=median) on date": gm.Periodic(365.2425, "median").on("date"),
    "matern(median, 5/2)": gm.Matern("median", 2.5),
    "matern(nu=.5, bandwidth=2e-1)": gm.Matern(0.2, 0.5),
    "composition(ACGT)": gm.Composition("ACGT"),
    "composition(alphabet=none)": gm.Composition(),
    "composition(ACGT, length=3)": gm.Composition("ACGT", 3),
    "full_spectrum(0, decay=0.5)": gm.FullSpectrum(0, decay=0.5),
    r'composition("\"\\\n")': gm.Composition('"\\\n'),
    "composition([ab, 'cd', 3])": gm.Composition(("ab", "cd", 3)),
    "all_subsets((1, 0.5))": gm.AllSubsets((1, 0.5)),
    "all_subsets([2])": gm.AllSubsets((2,)),
    "all_subsets((2,))": gm.AllSubsets((2,)),
    "bag_of_words(tf-idf, lowercase=false, ngram_range=(1, 2), stop_words=[the, a])": gm.BagOfWords(
        "tf-idf", lowercase=False, ngram_range=(1, 2), stop_words=("the", "a")
    ),
    "nystrom(gaussian on age, weight, rank=50)": gm.Nystrom(gm.Gaussian().on("age", "weight"), rank=50),
    "random_fourier(laplacian(2), 10, seed=3)": gm.RandomFourier(gm.Laplacian(2), rank=10, seed=3),
    " \n linear\t+\n 1 ": gm.Linear() + 1,
}
