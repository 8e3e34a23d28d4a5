"""Model files: fitted learners and kernels on disk, in a format that is safe to take from strangers.

`save` writes one file and `load` gives back a model that answers to the last bit as the one before. A file holds
numbers, texts and the names of gramian's own classes, and no code: nothing in it is unpickled, imported or called. What
is damaged, cut short, or more than a file may be is refused with the reason. The same model gives the same bytes.
"""

from __future__ import annotations

import json
from functools import partial
from io import BufferedReader
from os import PathLike
from typing import Any, NoReturn

from gramian.models.arrays import bytes_of, read_arrays, size_of
from gramian.models.codec import Encoder, decode
from gramian.models.container import (
    Envelope,
    ModelFileError,
    check_format,
    check_sum,
    open_file,
    read_envelope,
    write,
)
from gramian.places.moving import on_the_host
from gramian.writing import may_write

__all__ = ["ModelFileError", "describe", "load", "save"]


def save(model: Any, path: str | PathLike[str], *, overwrite: bool = False) -> None:
    """Write a model to a file, whole or not at all.

    Parameters
    ----------
    model : object
        A learner, fitted or not, or a kernel; numbers, texts, NumPy arrays, sparse arrays; or lists, tuples and dicts
        of these. What was one object within the model is one object when it is loaded.
    path : str or path
        The file. By custom its name ends in ``.gramian``.
    overwrite : bool
        Whether a file of that name may be replaced. It stays as it was until the new one is complete.

    Raises
    ------
    TypeError
        If something in the model cannot be stored, such as a function or a kernel of your own; the message says where
        it is. Nothing is written then.
    FileExistsError
        If the file exists and may not be replaced.
    OSError
        If there is no room for the file, or no permission to write it. No half of it is left behind.

    See Also
    --------
    load : read a model file
    ModelFileError : a file that is no sound model

    Notes
    -----
    Cost: time and memory linear in the numbers that the model holds: n d for an exact learner, rank · d in low rank.

    `checkpoint`, a directory of the machine where the model was fitted, is not stored.

    Examples
    --------
    >>> import tempfile, os
    >>> import gramian as gm
    >>> from gramian.models import load, save
    >>> flowers = gm.load_iris()
    >>> model = gm.FisherDiscriminant().fit(flowers.data, flowers.target)
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "iris.gramian")
    ...     save({"model": model, "columns": flowers.feature_names}, path)
    ...     found = load(path)
    >>> bool((found["model"].predict(flowers.data) == model.predict(flowers.data)).all())
    True
    """
    target = may_write(path, overwrite)
    encoder = Encoder(on_the_host(model))
    head = json.dumps(encoder.tree(), allow_nan=False, separators=(",", ":")).encode("ascii")
    write(target, head, [(size_of(array), partial(bytes_of, array)) for array in encoder.arrays])


def load(path: str | PathLike[str]) -> Any:
    """Return the model that a file holds.

    Nothing that a file says is run, and no more memory is taken than a multiple of its length, so that a file may be
    loaded from anybody. (What a model of a stranger predicts is another matter.)

    Parameters
    ----------
    path : str or path
        A file that `save` has written.

    Returns
    -------
    estimator or Kernel
        An equal of what was saved.

    Raises
    ------
    ModelFileError
        If the file is none of `save`'s, is damaged or truncated, has a format that this version does not read, or holds
        what this version does not know; the message says which.
    OSError
        If the file cannot be read.

    See Also
    --------
    save : write a model file
    ModelFileError : a file that is no sound model

    Notes
    -----
    Cost: O(length of the file).

    Examples
    --------
    >>> import tempfile, os
    >>> import gramian as gm
    >>> from gramian.models import load, save
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "kernel.gramian")
    ...     save(2 * gm.Gaussian(bandwidth=3.0) + gm.Spectrum(length=3), path)
    ...     load(path)
    2 * Gaussian(bandwidth=3.0) + Spectrum(length=3)
    """
    with open_file(path) as file:
        envelope = read_envelope(file, str(path))
        check_sum(file, envelope, str(path))
        check_format(envelope, str(path))
        try:
            tree = _head(file, envelope)
            return decode(tree, read_arrays(file, _table(tree, "arrays"), envelope.data, envelope.length))
        except OSError:
            raise
        except Exception as error:  # whatever a hostile head runs into on its way is the fault of the head
            raise ModelFileError(str(path), _reason(error)) from error


def describe(path: str | PathLike[str]) -> dict[str, Any]:
    """Return what a model file says of itself, from its head alone: the arrays are not read, nor is their checksum.

    Returns
    -------
    dict
        `class`, what is stored, and for a dict `contents`, the class of each entry; `classes`, all classes that occur;
        `format` and `gramian`, the format and the version that wrote it; `bytes`, the size of the file, `arrays` and
        `array_bytes`, the number and size of the arrays in it.

    Raises
    ------
    ModelFileError
        If the file is no model file, is truncated, or has a format that this version does not read.

    Examples
    --------
    >>> import tempfile, os
    >>> import gramian as gm
    >>> from gramian.models import describe, save
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     path = os.path.join(directory, "model.gramian")
    ...     save({"model": gm.KernelRidge(), "note": "not fitted yet"}, path)
    ...     about = describe(path)
    >>> about["class"], about["contents"], about["classes"]
    ('dict', {'model': 'KernelRidge', 'note': 'str'}, ['Gaussian', 'KernelRidge'])
    """
    with open_file(path) as file:
        envelope = read_envelope(file, str(path))
        check_format(envelope, str(path))
        try:
            tree = _head(file, envelope)
            parts = _table(tree, "parts")
            root = tree["root"]
            pairs = root.get("dict", []) if isinstance(root, dict) else []
            return {
                "class": _kind(root, parts),
                **({"contents": {str(key): _kind(held, parts) for key, held in pairs}} if pairs else {}),
                "classes": sorted({str(part["class"]) for part in parts if "class" in part}),
                "format": envelope.format,
                "gramian": envelope.writer,
                "bytes": envelope.length,
                "arrays": len(_table(tree, "arrays")),
                "array_bytes": max(envelope.length - envelope.data, 0),
            }
        except OSError:
            raise
        except Exception as error:
            raise ModelFileError(str(path), _reason(error)) from error


def _head(file: BufferedReader, envelope: Envelope) -> dict[str, Any]:
    text = file.read(envelope.head).decode("ascii")
    found = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    if not isinstance(found, dict):
        raise ValueError("its head is no table")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a table of pairs, unless a name stands there twice: readers do not agree which of the two counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("its head says something twice")
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"its head holds {name}, which JSON does not have")


def _table(tree: dict[str, Any], name: str) -> list[Any]:
    found = tree.get(name)
    if not isinstance(found, list):
        raise ValueError(f"its head has no {name}")
    return found


def _kind(node: Any, parts: list[Any]) -> str:
    """Name what a node of a tree stands for."""
    if not isinstance(node, dict):
        return type(node).__name__
    ((kind, inner),) = node.items()
    if kind == "ref":
        part = parts[inner]
        return str(part.get("class") or part.get("sparse") or "array of objects")
    return {"scalar": "number", "text": "str"}.get(kind, str(kind))


def _reason(error: Exception) -> str:
    """Say in one line what was wrong with a head."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "its head cannot be read"
    if isinstance(error, RecursionError):
        return "it does not hold a model: parts stand within parts, too many levels deep"
    if isinstance(error, MemoryError):
        return "what it holds takes more memory than there is"
    text = " ".join(str(error).split()) or type(error).__name__
    return f"it does not hold a model: {text[:400]}"
