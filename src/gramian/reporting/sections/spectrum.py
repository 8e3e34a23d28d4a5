"""The spectrum: how the variance is shared out among the principal components."""

from __future__ import annotations

import numpy as np

from gramian.reporting.blocks import Section, bounded, fact, facts, figure, share
from gramian.reporting.study import Study

DRAWN = 50  # components of the picture
UNKNOWN = "unknown"  # where landmarks see too little to tell


def section(study: Study) -> Section:
    """Return the shares of variance and how many components hold most of it."""
    shares = np.asarray(study.pca.explained_variance_ratio_)
    total = np.cumsum(shares)
    k = np.arange(1, min(len(shares), DRAWN) + 1)

    def needed(part: float) -> int | None:
        return int(np.searchsorted(total, part - 1e-12) + 1) if len(total) and total[-1] >= part - 1e-12 else None

    def told(part: float) -> str:
        many = needed(part)
        if study.left_out:  # landmarks see every component too small
            return f"at most {many:,}" if many else UNKNOWN
        return f"{many:,}" if many else f"more than {len(shares):,}"

    blind = told(0.99) == UNKNOWN
    seen = f"at least {bounded(float(total[-1]) if len(total) else 0.0, above=False)}"
    two = float(total[min(1, len(total) - 1)]) if len(total) else 0.0
    held = f"at least {bounded(two, above=False)}" if study.left_out else share(two)
    return Section(
        "spectrum",
        "The spectrum",
        f"Two directions hold {held} of the variance; {_nine_tenths(told(0.9))}.",
        [
            facts(
                *(
                    fact(f"{part:.0%} of the variance", told(part), "components needed", "pca", study.error)
                    for part in (0.5, 0.9, 0.99)
                    if told(part) != UNKNOWN
                ),
                *([fact("seen at all", seen, f"by {len(shares):,} components", "pca", study.error)] if blind else []),
            ),
            figure(
                "shares",
                "Variance along the principal components",
                "lines",
                {
                    "x_label": "component",
                    "y_label": "share of the variance",
                    "x_log": False,
                    "y_log": False,
                    "series": [
                        {"name": "this component", "x": k, "y": shares[: len(k)], "dashed": False},
                        {"name": "all so far", "x": k, "y": total[: len(k)], "dashed": True},
                    ],
                    "marks": [],
                },
                f"The first component holds {share(float(shares[0]) if len(shares) else 0.0)} of the variance; a curve "
                "that falls fast means that a flat map shows most of what there is.",
                "pca",
                study.error,
            ),
        ],
        {
            "shares": shares[:100],
            "needed": {"50%": needed(0.5), "90%": needed(0.9), "99%": needed(0.99)},
            "trace_error": float(getattr(study.pca, "trace_error_", 0.0)),
            "solver": study.pca.solver_,
            "total_variance": study.pca.total_variance_,
            "left_out": study.left_out,
        },
    )


def _nine_tenths(many: str) -> str:
    if many == UNKNOWN:
        return "how many hold nine tenths of it the landmarks do not tell"
    return "one holds nine tenths of it" if many == "1" else f"nine tenths of it need {many}"
