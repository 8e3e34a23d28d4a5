"""The kernel: what it is, why it was taken, and how the other candidates did."""

from __future__ import annotations

from gramian.reporting.blocks import Section, note, number, share, table, text
from gramian.reporting.study import Study, written


def section(study: Study) -> Section:
    """Return the kernel with its reasons."""
    choice, classes = study.choice, study.data.task == "classes"
    blocks = [text(choice.reason)]
    judged = [one for one in choice.judged if one.error == one.error]
    if judged:
        best = next((k for k, one in enumerate(judged) if one.kernel == choice.kernel), None)
        blocks.append(
            table(
                "Candidates: how often each object is mistaken when predicted from all others"
                if classes
                else "Candidates: root mean squared error when each object is predicted from all others",
                (("kernel", "text"), ("mistakes" if classes else "error", "text"), ("alignment", "bar")),
                [
                    [written(one.kernel), share(one.error) if classes else number(one.error), one.alignment]
                    for one in judged
                ],
                best,
                "loo",
            )
        )
    elif len(choice.judged) > 1:
        others = ", ".join(written(one.kernel) for one in choice.judged[1:])
        blocks.append(note(f"Also sensible here, by --kernel or kernel=: {others}."))
    if choice.sampled < len(study.labelled) and judged:
        blocks.append(note(f"Candidates were judged by {choice.sampled:,} objects drawn at random."))
    return Section(
        "kernel",
        "The kernel, and why",
        f"Objects are compared by {written(choice.kernel)}.",
        blocks,
        {
            "kernel": written(choice.kernel),
            "settled": repr(study.kernel),
            "reason": choice.reason,
            "candidates": [
                {
                    "kernel": written(one.kernel),
                    "loo_error": one.error,
                    "loo_mean_square": one.squares,
                    "alignment": one.alignment,
                }
                for one in choice.judged
            ],
            "judged_on": choice.sampled,
        },
    )
