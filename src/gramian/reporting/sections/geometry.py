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
    few = None if study.n <= DENSE else f"from {DENSE:,} objects drawn at random"
    sampled = None if len(S) == study.n else f"from {len(S):,} objects drawn at random"
    ratio = float(center.norm() ** 2 / np.square(norms).mean()) if norms.any() else 0.0
    items = [
        fact("mean length", number(float(norms.mean())), _lengths(norms), "norm", sampled),
        fact("length of the centre", number(center.norm()), f"{share(ratio)} of the mean square", "center", sampled),
        fact("total variance", number(variance), "mean squared distance to the centre", "variance", sampled),
        fact("effective dimension", number(dimension), f"of at most {study.n - 1:,}", "dimension", few),
        fact(
            "smallest eigenvalue",
            number(certificate.smallest),
            "no negative one beyond rounding: a true kernel" if certificate else "negative: not a kernel on these data",
            "psd",
            few,
        ),
    ]
    middle = float(np.median(distances))
    reading = (
        f"Half of the objects lie within {number(middle)} of the centre of all, the farthest at "
        f"{number(float(distances.max()))}."
    )
    shape = (
        "all images nearly coincide: to this kernel the objects look alike"
        if ratio > 0.99
        else "the images are nearly at right angles: to this kernel each object is like none but itself"
        if dimension > 0.5 * (study.n - 1) and study.n > 20
        else f"the images spread over about {number(dimension, 2)} {'direction' if dimension < 1.05 else 'directions'}"
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
    """Return (Σλ)² / Σλ², Σλ² = ‖K̂‖²; of many objects by the mean squares on and off the diagonal of a sample."""
    rows = study.some(DENSE)
    X = study.data.X if len(rows) == study.n else study.objects(rows)
    K = np.asarray(study.kernel.gram(X).center().dense(), dtype=np.float64)
    m, diagonal = len(K), np.diagonal(K)
    on = float(np.square(diagonal).mean())
    off = float((np.square(K).sum() - np.square(diagonal).sum()) / max(m * (m - 1), 1))
    squares = (1 - 1 / study.n) * off + on / study.n
    return min(float(diagonal.mean() ** 2 / squares), study.n - 1.0) if squares > 0 else 0.0


def _lengths(norms: Array) -> str:
    least, largest = float(norms.min()), float(norms.max())
    if largest - least <= 1e-9 * largest:
        return "all are equal"
    return f"{number(least)} to {number(largest)}"
