"""What is wrong with data, in one sentence that opens with the file and, where that helps, the line and the column."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gramian.intake.rows import listed


class DataError(ValueError):
    """Data that cannot be taken in as they are; the message says where, why and what to do.

    Parameters
    ----------
    message : str
        What is wrong, where, and what to do.

    See Also
    --------
    read_data : a file of any kind as objects
    KernelSyntaxError : an expression that cannot be read
    ModelFileError : a file that is no sound model

    Examples
    --------
    >>> import gramian.intake.reading as intake
    >>> intake.read_data("nowhere.csv")
    Traceback (most recent call last):
        ...
    gramian.intake.errors.DataError: nowhere.csv: no such file or folder; check the name, which is relative to ...
    """


@contextmanager
def refusing(path: Path, name: str) -> Iterator[None]:
    """Turn what readers and the operating system refuse into a DataError that names the file as it was given."""
    try:
        yield
    except DataError as error:
        if str(path) == name:
            raise
        raise DataError(_named(path, name, str(error))) from error
    except OSError as error:
        words = f"cannot be read ({error.strerror})" if error.strerror else str(error)
        raise DataError(_named(path, name, words)) from error
    except (ValueError, TypeError, ImportError) as error:
        raise DataError(_named(path, name, str(error))) from error


def _named(path: Path, name: str, message: str) -> str:
    if message.startswith(str(path)):
        return name + message.removeprefix(str(path))
    return message if message.startswith(name) else f"{name}: {message}"


def unknown(where: str, what: str, name: object, known: Sequence[str]) -> DataError:
    """Return the error of a name that is not there, with the nearest ones that are."""
    near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.6)
    folded = [other for other in known if other.casefold() == str(name).casefold()]
    hint = f"did you mean {' or '.join(map(repr, folded or near))}?" if folded or near else f"there is {listed(known)}"
    return DataError(f"{where}: no {what} {name!r}; {hint if known else 'there is none'}")


def counted(number: int, word: str, words: str = "") -> str:
    """Return a number with its noun, such as "1 row" or "2,000 rows"."""
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def shortened(text: str, length: int) -> str:
    """Return a text on one line, cut at a length."""
    text = " ".join(text[: 4 * length].split())
    return text if len(text) <= length else f"{text[: length - 1]}…"
