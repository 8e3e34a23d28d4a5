"""Examples of modules whose library is not installed are left out."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["gramian/places/torch/*"]
