"""Examples of modules whose library is not installed are left out."""

from importlib.util import find_spec

LIBRARIES = {"torch": ["torch"], "dask": ["dask", "distributed"]}

collect_ignore_glob = [
    f"gramian/places/{place}/*" for place, needed in LIBRARIES.items() if not all(map(find_spec, needed))
]
