"""The report: all sections of a data set, for a page and for programs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from gramian import __version__
from gramian.expressions import parse_kernel
from gramian.intake.dataset import Dataset
from gramian.intake.errors import DataError
from gramian.intake.reading import from_objects
from gramian.kernels.algebra import Kernel
from gramian.reporting.blocks import Section, count, note
from gramian.reporting.contest import Contest, hold
from gramian.reporting.fitting import written
from gramian.reporting.formulas import appendix
from gramian.reporting.matters import matters
from gramian.reporting.pace import (
    ASKING,
    CHOOSING,
    LAST,
    PREDICTING,
    SHOWING,
    SURE,
    Pace,
    at_first,
    by_choice,
    by_fold,
    by_judging,
)
from gramian.reporting.page import fragment, render
from gramian.reporting.sections import (
    came_in,
    chart,
    clusters,
    columns,
    columns_that_matter,
    geometry,
    kernel,
    novelty,
    prediction,
    spectrum,
    uncertainty,
    verdict,
)
from gramian.reporting.study import Study
from gramian.runtime.progress import task
from gramian.runtime.threads import one_blas_thread
from gramian.writing import write_text

SECTIONS = (came_in, columns, kernel, geometry, spectrum, chart, clusters, novelty)
QUICK = (came_in, chart)
LATE = (columns, clusters, novelty)
# The reader's questions first, then everything else, but what speaks of feature spaces at the end,
FIRST = ("verdict", "also", "input", "prediction", "columns_that_matter", "map")
AT_THE_END = ("kernel", "geometry", "spectrum")
FOLDED = ("input", *AT_THE_END)  # folded until it is asked for


@dataclass(frozen=True, eq=False)
class Report:
    """A data set seen in feature space: verdict, what came in, kernel, geometry, map, clusters, novelty, predictions.

    It shows itself in a notebook. `data` holds everything as plain values, `to_json` the same as text, `html` the page
    that opens without a network, and `save` writes that page.

    Parameters
    ----------
    data : dict
        Every number and sentence of the page, as plain values.

    See Also
    --------
    report : a page about a data set
    read_data : a file of any kind as objects

    Notes
    -----
    Cost: the page holds a few hundred points, drawn from n, and the numbers of each section: some megabytes at most,
    whatever n is.

    Examples
    --------
    >>> import gramian as gm
    >>> found = gm.report(["ACGTACGT", "ACGTTCGT", "GGGTTTCC", "GGGTTCCC"], kernel="spectrum(2)")
    >>> found.html[:15], found.data["sections"][1]["lead"]
    ('<!doctype html>', 'X holds 4 objects: strings.')
    """

    data: dict[str, Any]

    @property
    def html(self) -> str:
        """The page, one file that needs nothing else."""
        return render(self.data)

    def to_json(self) -> str:
        """Return every number of the report."""
        return json.dumps(self.data, ensure_ascii=False, allow_nan=False)

    def save(self, path: Any, *, overwrite: bool = False) -> None:
        """Write the page; an existing file is kept unless `overwrite` says otherwise."""
        write_text(path, self.html, overwrite=overwrite)

    def _repr_html_(self) -> str:
        return fragment(self.data)

    def __repr__(self) -> str:
        titles = ", ".join(section["title"] for section in self.data["sections"])
        return f"Report({self.data['title']!r}: {titles})"


def report(
    X: Any,
    y: Any = None,
    kernel: Kernel | str | None = None,
    *,
    random_state: int = 0,
    missing: str | Iterable[str] | None = None,
    group: Any = None,
    order: Any = None,
    quick: bool = False,
) -> Report:
    """Look at data in feature space: kernel, geometry, map, clusters, novelty and, with a target, predictions.

    Parameters
    ----------
    X : array, data frame, list of strings or documents, Graph, or Dataset
        The objects.
    y : array, optional
        Classes or numbers to be predicted.
    kernel : Kernel or expression, optional
        By default one is chosen among candidates for this kind of data.
    random_state : int
        For samples, folds and starts.
    missing : str or iterable of str, optional
        What marks a missing value in columns of texts, as for `read_data`; a Dataset has no marks left.
    group : str or sequence, optional
        A column, or one value for each object: those with equal values stay together when predictions are judged.
    order : str or sequence, optional
        A column of dates or numbers, or one for each object, by which time orders them: models learn from the past.

    quick : bool
        Only verdict, map and prediction, judged by fewer folds and objects, in about a third of the time.

    Returns
    -------
    Report
        Shows itself in a notebook; `save("report.html")` writes the page.

    Raises
    ------
    TypeError
        If `kernel` is neither a kernel nor an expression.
    DataError
        If X, y, `group` or `order` cannot be taken as they are.

    See Also
    --------
    Report : what `report` answers
    read_data : a file of any kind as objects

    Notes
    -----
    Cost: a few exact learners up to some thousand rows; of larger tables landmarks and samples, so that time grows
    slowly with n, and memory as the n × d table.

    Examples
    --------
    >>> import gramian as gm
    >>> flowers = gm.load_iris()
    >>> found = gm.report(flowers.data[::5], flowers.target[::5], kernel=gm.Gaussian("median"))
    >>> [section["title"] for section in found.data["sections"]][:3]
    ['The verdict', 'Also worth knowing', 'What came in']
    """
    if not isinstance(X, Dataset):
        data = from_objects(X, y, missing=missing, group=group, order=order)
    elif not all(one is None or isinstance(one, str) for one in (group, order)):
        raise TypeError(
            "group and order of a Dataset are names of its columns; other values are given with the objects"
        )
    else:
        data = X.divided(group, order)
    return build(data, kernel, random_state, quick)


@one_blas_thread()  # thousands of products too small to be shared: its threads would only wait for each other
def build(data: Dataset, kernel_given: Kernel | str | None = None, seed: int = 0, quick: bool = False) -> Report:
    """Return the report of a data set; a quick one has verdict, map and prediction only."""
    begun = time.perf_counter()
    data = replace(data, source=PurePath(data.source).name or data.source)  # a page is sent to others
    sections: list[Section] = []
    chosen = QUICK if quick else SECTIONS
    steps = [CHOOSING, *map(_name, chosen), PREDICTING, SHOWING, ASKING, SURE, LAST]
    with task("report", 1.0, timed=True) as progress:
        pace = Pace(progress, steps, at_first(data, quick))
        pace.begin(CHOOSING, "choosing a kernel")
        study = Study.of(data, _as_kernel(kernel_given, data), seed, quick)
        if study.images.total_variance() <= 0:
            raise DataError(
                f"{data.source}: to the kernel {written(study.choice.kernel)} all {study.n:,} objects are equal, and "
                "there is nothing to see; another kernel expected"
            )
        pace.expect(by_choice(data, pace.took, quick))
        for one in chosen:
            pace.begin(_name(one))
            found = _made(one, study)
            if found is not None:
                sections.append(found)
        contest, predicted = _judged(study, quick, pace)
        pace.begin(ASKING)
        matter = None if quick else matters(study, contest)
        after = [] if quick else [columns_that_matter.section(study, matter)]
        pace.begin(SURE)
        after += [] if quick else [uncertainty.section(study, contest)]
        pace.begin(LAST)
        first = verdict.section(study, contest, {one.id: one.numbers for one in sections}, matter, quick)
        sections = ordered([*first, *sections, *predicted, *filter(None, after)])
    return Report(
        {
            "title": study.data.source,
            "subtitle": _subtitle(study),
            "version": __version__,
            "seconds": time.perf_counter() - begun,
            "sections": [section.plain() for section in sections],
            "formulas": appendix(),
        }
    )


def ordered(sections: list[Section]) -> list[Section]:
    """Return sections in the order in which a reader asks, those on feature spaces last and folded."""

    def place(one: Section) -> int:
        if one.id in FIRST:
            return FIRST.index(one.id)
        return len(FIRST) + (1 + AT_THE_END.index(one.id) if one.id in AT_THE_END else 0)

    return [replace(one, folded=one.folded or one.id in FOLDED) for one in sorted(sections, key=place)]


def _subtitle(study: Study) -> str:
    aim = f", and what tells “{study.data.target}”" if study.data.task != "none" else ""
    return f"What is in {count(study.n, 'object')}{aim}"


def _name(section: Any) -> str:
    return str(section.__name__.rpartition(".")[2].replace("_", " "))


def _judged(study: Study, quick: bool, pace: Pace) -> tuple[Contest | None, list[Section]]:
    """Return the contest and the section on it, if there is something to predict."""
    if study.data.task == "none":
        return None, []
    contest = None

    def told(share: float) -> None:
        pace.expect(by_fold(study.data, pace.took / share, quick))
        pace.within(share)

    pace.begin(PREDICTING)
    try:
        contest = hold(study, quick, told)
        pace.expect(by_judging(study.data, contest, quick))
        pace.begin(SHOWING)
        return contest, [prediction.section(study, contest)]
    except (ValueError, ArithmeticError) as error:
        return contest, [_failed("prediction", error)]


def _failed(name: str, error: Exception) -> Section:
    return Section(name, name.capitalize(), "This could not be computed.", [note(str(error), "warning")])


def _made(section: Any, study: Study) -> Section | None:
    """Return a section; what later ones cannot do is said in its place, so that it does not sink the others."""
    if section not in LATE:
        found: Section | None = section.section(study)
        return found
    try:
        found = section.section(study)
    except (ValueError, ArithmeticError) as error:
        return _failed(section.__name__.rpartition(".")[2], error)
    return found


def _as_kernel(given: Kernel | str | None, data: Dataset) -> Kernel | None:
    if given is None or isinstance(given, Kernel):
        return given
    if not isinstance(given, str):
        raise TypeError(f"kernel is {given!r}; a kernel, or an expression such as 'gaussian(2)', expected")
    return parse_kernel(given, graph=data.graph)
