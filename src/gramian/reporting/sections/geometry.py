"""The geometry: how long the images are, where their centre is, how far they spread, in how many directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian.checks import Array
from gramian.factor.psd import is_psd
from gramian.reporting.blocks import Block, Section, fact, facts, figure, histogram_of, number, share
from gramian.reporting.measures import dimension_error, effective_dimension, nearest_cosine, standard_error
from gramian.reporting.study import Study

RIGHT_ANGLES = 0.1  # the largest cosine up to which objects are like none
FAR = 0.99  # of the mean squared length in the centre, from which on images lie close together


def section(study: Study) -> Section:
    """Return norms, centre, total variance, effective dimension and the certificate."""
    S = study.images
    distances = study.from_center
    items, numbers = _measured(study, distances)
    middle = float(np.median(distances))
    return Section(
        "geometry",
        "The geometry",
        f"In feature space {_shape(study, numbers)}.",
        [
            facts(*items),
            figure(
                "distances",
                "Distances to the centre",
                "histogram",
                histogram_of({"objects": distances}, "distance to the centre", [(middle, "median")]),
                f"At least half of the objects lie within {number(middle)} of the centre of all, the farthest at "
                f"{number(float(distances.max()))}.",
                "center",
                study.drawn(len(S)),
            ),
        ],
        numbers | {"distances": {"median": middle, "mean": distances.mean(), "largest": distances.max()}},
    )


def _measured(study: Study, distances: Array) -> tuple[list[Block], dict[str, Any]]:
    """Return the key figures, for people and for programs; `errors` are standard errors, 0 where all is looked at."""
    S = study.images
    norms, center, variance, squares = S.norms(), S.mean(), S.total_variance(), np.square(distances)
    along = (np.square(norms) + center.norm() ** 2 - squares) / 2  # ⟨φ(x), center⟩
    errors = {
        "mean_norm": standard_error(norms),
        "center_norm": standard_error(along) / center.norm() if center.norm() > 0 else 0.0,
        "total_variance": standard_error(squares),
    }
    if len(S) == study.n:
        errors = dict.fromkeys(errors, 0.0)
    rows = study.compared()
    few = len(rows)
    K = study.kernel.gram(study.objects(rows))
    certificate = is_psd(K)
    centred = np.asarray(K.center().dense(), dtype=np.float64)
    dimension = effective_dimension(centred, study.n)
    errors["effective_dimension"] = 0.0 if few == study.n else dimension_error(centred, study.n)
    ratio = float(center.norm() ** 2 / np.square(norms).mean()) if norms.any() else 0.0
    verdict = "not negative beyond rounding, as it must be" if certificate else "negative: no kernel on these data"
    if few < study.n:
        verdict += "; of all objects it is no larger"

    def badge(figure: str) -> str | None:
        return study.drawn(few if figure == "effective_dimension" else len(S), errors[figure])

    spread = "mean squared distance to the centre"
    items = [
        fact("mean length", number(float(norms.mean())), _lengths(norms), "norm", badge("mean_norm")),
        fact("length of the centre", number(center.norm()), _part(ratio), "center", badge("center_norm")),
        fact("total variance", number(variance), spread, "variance", badge("total_variance")),
        fact("effective dimension", number(dimension), _most(study), "dimension", badge("effective_dimension")),
        fact("smallest eigenvalue", number(certificate.smallest), verdict, "psd", study.drawn(few)),
    ]
    numbers = {
        "norms": {"least": norms.min(), "mean": norms.mean(), "largest": norms.max()},
        "center_norm": center.norm(),
        "center_share": ratio,
        "nearest_cosine": nearest_cosine(np.asarray(K.dense(), dtype=np.float64)),
        "total_variance": variance,
        "effective_dimension": dimension,
        "smallest_eigenvalue": certificate.smallest,
        "is_psd": bool(certificate),
        "errors": errors,
        "looked_at": len(S),
        "looked_at_in_pairs": few,
    }
    return items, numbers


def _shape(study: Study, numbers: dict[str, Any]) -> str:
    dimension, ratio = numbers["effective_dimension"], numbers["center_share"]
    if numbers["total_variance"] == 0:
        return "all images coincide: to this kernel the objects are equal"
    spread = f"spread over about {number(dimension, 2)} {'direction' if dimension < 1.05 else 'directions'}"
    if numbers["nearest_cosine"] < RIGHT_ANGLES and study.n == numbers["looked_at_in_pairs"] > 2:
        return "most images are nearly at right angles to all others: to this kernel few objects are like another"
    if ratio > FAR:
        return f"the images lie close together, seen from the origin; about their centre they {spread}"
    return f"the images {spread}"


def _part(ratio: float) -> str:
    return f"{share(ratio)} of the mean square"


def _most(study: Study) -> str:
    return f"of at most {study.n - 1:,}"


def _lengths(norms: Array) -> str:
    least, largest = float(norms.min()), float(norms.max())
    if largest - least <= 1e-9 * largest:
        return "all are equal"
    return f"{number(least)} to {number(largest)}"
