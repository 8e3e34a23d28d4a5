"""The geometry: how long the images are, where their centre is, how far they spread, in how many directions."""

from __future__ import annotations

import numpy as np

from gramian.checks import Array
from gramian.factor.psd import is_psd
from gramian.reporting.blocks import Section, fact, facts, figure, histogram_of, number, share
from gramian.reporting.study import DENSE, Study


def section(study: Study) -> Section:
    """Return norms, centre, total variance, effective dimension and the certificate."""
    S = study.images
    norms, center = S.norms(), S.mean()
    distances, variance = S.distances(center), S.total_variance()
    eigenvalues = study.pca.eigenvalues_
    dimension = _effective_dimension(study)
    certificate = is_psd(S.gram() if study.n <= DENSE else study.kernel.gram(study.objects(study.some(DENSE))))
    sampled = None if len(S) == study.n else f"from {len(S):,} objects drawn at random"
    ratio = float(center.norm() ** 2 / np.square(norms).mean()) if norms.any() else 0.0
    items = [
        fact("mean length", number(float(norms.mean())), _lengths(norms), "norm", sampled),
        fact("length of the centre", number(center.norm()), f"{share(ratio)} of the mean square", "center", sampled),
        fact("total variance", number(variance), "mean squared distance to the centre", "variance", sampled),
        fact("effective dimension", number(dimension), f"of at most {study.n - 1:,}", "dimension", study.error),
        fact(
            "smallest eigenvalue",
            number(certificate.smallest),
            "no negative one beyond rounding: a true kernel" if certificate else "negative: not a kernel on these data",
            "psd",
            None if study.n <= DENSE else f"from {DENSE:,} objects drawn at random",
        ),
    ]
    middle = float(np.median(distances))
    reading = (
        f"Half of the objects are nearer than {number(middle)} to the centre of all, the farthest is at "
        f"{number(float(distances.max()))}."
    )
    shape = (
        "all images nearly coincide: to this kernel the objects look alike"
        if ratio > 0.99
        else "the images are nearly at right angles: to this kernel each object is like none but itself"
        if dimension > 0.5 * (study.n - 1) and study.n > 20
        else f"the images spread over about {number(dimension, 2)} directions"
    )
    return Section(
        "geometry",
        "The geometry",
        f"In feature space {shape}.",
        [
            facts(*items),
            figure(
                "distances",
                "Distances to the centre",
                "histogram",
                histogram_of({"objects": distances}, "distance to the centre", [(middle, "median")]),
                reading,
                "center",
                sampled,
            ),
        ],
        {
            "norms": {"least": norms.min(), "mean": norms.mean(), "largest": norms.max()},
            "center_norm": center.norm(),
            "total_variance": variance,
            "effective_dimension": dimension,
            "smallest_eigenvalue": certificate.smallest,
            "is_psd": bool(certificate),
            "distances": {"median": middle, "mean": distances.mean(), "largest": distances.max()},
            "leading_eigenvalue": eigenvalues[0] if len(eigenvalues) else 0.0,
            "looked_at": len(S),
        },
    )


def _effective_dimension(study: Study) -> float:
    """Return (Σλ)² / Σλ², with the variance outside the components that are known spread thinly over the rest."""
    values = study.pca.explained_variance_
    squares = float(np.square(values).sum())
    return float(study.pca.total_variance_**2 / squares) if squares > 0 else 0.0


def _lengths(norms: Array) -> str:
    least, largest = float(norms.min()), float(norms.max())
    if largest - least <= 1e-9 * largest:
        return "all are equal"
    return f"{number(least)} to {number(largest)}"
