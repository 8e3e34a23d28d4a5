"""Every public name says what it takes, gives back, refuses and costs, shows an example and where to look next."""

import inspect
import re
from operator import attrgetter

import pytest

import gramian as gm

MODULES = ("plot", "testing")
PUBLIC = set(gm.__all__) - {*MODULES, "__version__"}
NAMES = sorted(PUBLIC | {f"{module}.{name}" for module in MODULES for name in getattr(gm, module).__all__})
HEADING = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)


def named(name: str) -> object:
    """The object of a public name, which may be one of a module."""
    return attrgetter(name)(gm)


LEARNERS = {name for name in NAMES if hasattr(named(name), "fit") and not hasattr(named(name), "encode")}
KERNELS = {name for name in NAMES if hasattr(named(name), "encode")} - {"Kernel"}
FUNCTIONS = {name for name in NAMES if inspect.isfunction(named(name))}
ERRORS = {name for name in NAMES if inspect.isclass(named(name)) and issubclass(named(name), Exception)}
REFUSING = LEARNERS | KERNELS - {"AllSubsequences", "Equality", "Linear"}
REFUSING |= FUNCTIONS - {"progress"} - {name for name in NAMES if name.startswith("load_")}
REFUSING |= {"Batches", "FeatureSpace", "Gram", "Graph", "Standardize"}


def sections(name: str) -> dict[str, str]:
    """The numpydoc sections of a docstring; what stands before the first is called "Summary"."""
    parts = HEADING.split(inspect.getdoc(named(name)) or "")
    return {"Summary": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


def entries(text: str) -> list[str]:
    """The names before the colons of a section: those of parameters, attributes or related objects."""
    heads = [line.split(" : ")[0] for line in text.splitlines() if line and not line.startswith(" ")]
    return [name.strip() for head in heads for name in head.split(",")]


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_summary_of_one_line_and_an_example(name):
    assert sections(name)["Summary"].splitlines()[0].strip()
    assert ">>> " in sections(name)["Examples"]


@pytest.mark.parametrize("name", NAMES)
def test_every_parameter_is_described_and_every_description_has_a_parameter(name):
    made_by_others = name in ERRORS
    found = sections(name)
    parameters = entries(found.get("Parameters", ""))
    described = parameters + entries(found.get("Attributes", ""))
    taken = [] if made_by_others else list(inspect.signature(named(name)).parameters)
    assert set(taken) <= set(described)
    assert made_by_others or set(parameters) <= set(taken)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_say_what_they_return(name):
    returned = inspect.signature(named(name)).return_annotation
    assert "Returns" in sections(name) or returned in ("None", "Iterator[None]")


@pytest.mark.parametrize("name", NAMES)
def test_it_says_where_to_look_next_and_all_of_that_is_public(name):
    related = entries(sections(name)["See Also"])
    assert related
    assert set(related) <= PUBLIC - {name}


@pytest.mark.parametrize("name", sorted(set(NAMES) - ERRORS))
def test_it_says_what_it_costs(name):
    assert re.search(r"O\(|Cost: ", inspect.getdoc(named(name)) or "")


@pytest.mark.parametrize("name", sorted(REFUSING))
def test_it_says_what_it_refuses(name):
    assert re.search(r"(Error|Warning)", sections(name)["Raises"])
