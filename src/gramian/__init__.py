"""gramian: data analysis in the feature space of a kernel, using nothing but inner products.

    import gramian as gm

Everything public is a flat name of this module, loaded when it is first used: importing gramian itself loads neither
NumPy nor SciPy. `__init__.pyi` tells type checkers the same list.
"""

from importlib import import_module

__version__ = "0.2.0"

_HOME = {
    "AllSubsequences": "kernels.strings.subsequences",
    "AllSubsets": "kernels.subsets",
    "Anova": "kernels.subsets",
    "BagOfWords": "kernels.text.bag_of_words",
    "Batches": "intake.batches",
    "Bilinear": "kernels.dotproduct",
    "CholeskyMap": "space.maps",
    "Clusters": "explain.groups",
    "ColumnEffect": "explain.effects",
    "ColumnImportance": "explain.importance",
    "Composition": "kernels.strings.spectrum",
    "DataError": "intake.errors",
    "Eigen": "factor.eigen",
    "EmpiricalMap": "space.maps",
    "Encoded": "formula.encoded",
    "Equality": "kernels.equality",
    "Explanation": "learn.unusual",
    "ExponentialDiffusion": "kernels.graphs.diffusion",
    "Fasta": "intake.readers",
    "FeatureSpace": "space.vectors",
    "FeatureWeights": "learn.weights",
    "FisherDiscriminant": "learn.fisher",
    "FoldErrors": "learn.folds",
    "FullSpectrum": "kernels.strings.full_spectrum",
    "Gaussian": "kernels.radial",
    "Gram": "gram.gram",
    "GramRows": "learn.gram_rows",
    "GramSchmidt": "learn.gram_schmidt",
    "Graph": "kernels.graphs.graph",
    "Kernel": "kernels.algebra",
    "KernelClassifier": "learn.classifier",
    "KernelKMeans": "learn.kmeans",
    "KernelPCA": "learn.pca",
    "KernelRidge": "learn.ridge",
    "KernelSearch": "learn.search",
    "KernelSyntaxError": "expressions.errors",
    "Laplacian": "kernels.radial",
    "Linear": "kernels.dotproduct",
    "LowRank": "factor.cholesky",
    "Matern": "kernels.radial",
    "MeanTest": "space.means",
    "MercerMap": "space.maps",
    "Mismatch": "kernels.strings.mismatch",
    "ModelFileError": "models.container",
    "NoveltyDetector": "learn.novelty",
    "Nystrom": "kernels.nystrom",
    "ParzenClassifier": "learn.parzen",
    "Periodic": "kernels.periodic",
    "Polynomial": "kernels.dotproduct",
    "PowerDiffusion": "kernels.graphs.diffusion",
    "Precomputed": "kernels.precomputed",
    "Profile": "explain.profiles",
    "PsdCertificate": "factor.psd",
    "RandomFourier": "kernels.fourier",
    "Report": "reporting.build",
    "RidgePath": "learn.path",
    "Solution": "factor.solve",
    "Spectrum": "kernels.strings.spectrum",
    "Standardize": "kernels.standardize",
    "Subsequences": "kernels.strings.subsequences",
    "Subspace": "space.subspace",
    "Texts": "intake.readers",
    "Vectors": "space.vectors",
    "VonNeumannDiffusion": "kernels.graphs.diffusion",
    "alignment": "learn.alignment",
    "cholesky": "factor.cholesky",
    "effects": "explain.effects",
    "eigen": "factor.eigen",
    "find_clusters": "explain.groups",
    "format_kernel": "expressions.writing",
    "importance": "explain.importance",
    "is_psd": "factor.psd",
    "leave_fold_out": "learn.folds",
    "load": "models",
    "load_addresses": "intake.datasets",
    "load_cars": "intake.datasets",
    "load_football": "intake.datasets",
    "load_iris": "intake.datasets",
    "load_promoters": "intake.datasets",
    "mean_distance": "space.means",
    "mean_test": "space.means",
    "parse_kernel": "expressions.reading",
    "plot": "",
    "profiles": "explain.profiles",
    "progress": "runtime.progress",
    "read_data": "intake.reading",
    "read_edges": "intake.readers",
    "read_fasta": "intake.readers",
    "read_lines": "intake.readers",
    "read_texts": "intake.readers",
    "report": "reporting.build",
    "save": "models",
    "solve": "factor.solve",
    "stability_bound": "space.means",
    "testing": "",
    "to_device": "places.moving",
}

__all__ = ["__version__", *sorted(_HOME)]  # noqa: PLE0604 - the names are strings


def __getattr__(name: str) -> object:
    """Load a public name from the module it lives in, once."""
    if name not in _HOME:
        raise AttributeError(f"module 'gramian' has no attribute {name!r}")
    home = _HOME[name]
    found = getattr(import_module(f"gramian.{home}"), name) if home else import_module(f"gramian.{name}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
