"""gramian: from a file to an understanding, on the command line.

    gramian report [DATA] [--target COLUMN] [--kernel EXPR] [-o report.html]
    gramian fit DATA [--target COLUMN] -o model.gramian
    gramian predict MODEL DATA
    gramian novelty MODEL DATA
    gramian gram DATA -o K.npy
    gramian kernels

Exit codes, for scripts: 0 done; 2 the command or a kernel expression is wrong; 3 the data cannot be read or used; 4 the
output exists or cannot be written; 5 the model file cannot be read or used; 130 stopped by Ctrl-C, 143 by a signal to
end; 70 a mistake of gramian's own. An error is one sentence on standard error, never a traceback (--debug shows it).
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from gramian import __version__
from gramian.cli import commands

DONE, WRONG_USE, BAD_DATA, NO_OUTPUT, BAD_MODEL, OWN_MISTAKE, STOPPED, ENDED = 0, 2, 3, 4, 5, 70, 130, 143
FORMATS = "csv, tsv, parquet, arrow, excel, sqlite, json, jsonl, npy, npz, fasta, lines, texts, edges, graphml"
KINDS = (
    *("number", "category", "string", "text", "id", "date", "day-first", "month-first", "decimal-comma"),
    *("classes", "numbers"),
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser(
        prog="gramian",
        description="Analyse data in the feature space of a kernel, using nothing but inner products.",
        epilog="exit codes: 0 done, 2 wrong use, 3 bad data, 4 output not writable, 5 bad model file, 130 stopped",
    )
    top.add_argument("--version", action="version", version=f"gramian {__version__}")
    every = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    one = _command(every, "report", commands.report, "look at a data set; write a page that opens in any browser")
    _data(one, optional=True)
    _target(one)
    one.add_argument(
        "--group", metavar="COLUMN", help="rows with equal values belong together, and are judged together"
    )
    one.add_argument("--order", metavar="COLUMN", help="time orders the rows by this: predict what comes later")
    _kernel(one)
    _cluster(one)
    one.add_argument("--quick", action="store_true", help="verdict, map and prediction only, in a third of the time")
    one.add_argument("-o", "--output", metavar="FILE", help="where the page goes (report.html)")
    one.add_argument(
        "--json", action="store_true", help="every number of the report as JSON instead, printed or in FILE"
    )
    _force(one)

    one = _command(every, "fit", commands.fit, "learn a target, or what is usual, and keep it in a model file")
    _data(one)
    _target(one)
    _kernel(one)
    one.add_argument(
        "--learner",
        choices=("fisher", "parzen", "ridge"),
        help="by default fisher, for numbers ridge (which learns classes too)",
    )
    _cluster(one)
    one.add_argument("-o", "--output", metavar="FILE", required=True, help="the model file")
    _force(one)

    for name, run, words in (
        ("predict", commands.predict, "predict the target of new data with a model"),
        ("novelty", commands.novelty, "tell which new objects are unlike those the model has seen"),
    ):
        one = _command(every, name, run, words)
        one.add_argument("model", metavar="MODEL", help="a file that `gramian fit` has written")
        _data(one, kinds=False)
        one.add_argument("-o", "--output", metavar="FILE", help="a CSV file; standard output by default")
        one.add_argument(
            "--raw", action="store_true", help="write texts as they are, also those that a spreadsheet would run"
        )
        if name == "predict":
            _cluster(one)
            one.add_argument(
                "--interval",
                metavar="SHARE",
                type=_share,
                default=0.9,
                help="share of new numbers that the columns `low` and `high` are to hold (0.9)",
            )
        _force(one)

    one = _command(every, "gram", commands.gram, "write the Gram matrix to a .npy file, however large it is")
    _data(one)
    _kernel(one)
    one.add_argument("-o", "--output", metavar="FILE", required=True, help="the .npy file")
    one.add_argument("--dtype", choices=("float64", "float32"), default="float64", help="of the numbers (float64)")
    _force(one)

    one = _command(every, "kernels", commands.kernels, "list the kernels that --kernel understands")
    one.add_argument("name", nargs="?", metavar="NAME", help="one of them, in full")
    return top


def _command(every: Any, name: str, run: Callable[..., None], words: str) -> argparse.ArgumentParser:
    one: argparse.ArgumentParser = every.add_parser(name, help=words, description=words[0].upper() + words[1:] + ".")
    one.add_argument("--quiet", "-q", action="store_true", help="say nothing but errors")
    one.add_argument("--debug", action="store_true", help="show where an error comes from")
    one.set_defaults(run=run)
    return one


def _data(one: argparse.ArgumentParser, optional: bool = False, kinds: bool = True) -> None:
    words = (
        "CSV, TSV, Excel or ODS (FILE::SHEET), Parquet, Arrow, SQLite (FILE::TABLE), JSON, JSON lines, .npy, .npz, "
        "FASTA, lines of text, a folder of texts, an edge list or GraphML; compressed by gzip or in a ZIP archive; "
        "- for standard input"
    )
    if optional:
        one.add_argument("data", metavar="DATA", nargs="?", help=f"{words}; a bundled data set if left out")
    else:
        one.add_argument("data", metavar="DATA", help=words)
    one.add_argument("--format", help=f"how to read it, where the name does not say: {FORMATS}")
    one.add_argument(
        "--memory", metavar="SIZE", type=_size, help="what reading may take, such as 4GB (half of what is free)"
    )
    _device(one)
    one.add_argument("--encoding", default="utf-8", type=_encoding, help="of text files (utf-8)")
    if kinds:
        one.add_argument(
            "--kind",
            action="append",
            default=[],
            metavar="COLUMN=KIND",
            type=_kind,
            help=f"take a column as one of: {', '.join(KINDS)}; may be repeated",
        )
        one.add_argument(
            "--columns",
            metavar="A,B,…",
            type=_names,
            help="use these columns only; a name with a comma in it in double quotes",
        )
        one.add_argument(
            "--missing",
            metavar="A,B,…",
            type=_names,
            help="what marks a missing value, besides an empty field, such as '?,-999'; by default NA, NaN, null and "
            "the like, and in columns of numbers also ?, -, none, unknown and more",
        )


def _device(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--device",
        choices=("auto", "cpu", "cuda"),
        default="auto",
        help="where to compute: cuda is the GPU, auto takes it where there is one and the work is worth it (auto)",
    )


def _kind(words: str) -> tuple[str, str]:
    column, equals, kind = words.rpartition("=")
    if not equals or not column or kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{words!r} is not COLUMN=KIND with KIND one of {', '.join(KINDS)}")
    return column, kind


def _encoding(words: str) -> str:
    try:
        "a".encode(words).decode(words)
    except (LookupError, ValueError):
        raise argparse.ArgumentTypeError(f"{words!r} is no encoding; one such as utf-8 or latin-1 expected") from None
    return words


def _size(words: str) -> int:
    from gramian.checks import as_bytes

    try:
        return as_bytes(words)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _share(words: str) -> float:
    try:
        share = float(words)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"{words!r} is no share; a number between 0 and 1 expected, such as 0.9")
    return share


def _names(words: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([words], skipinitialspace=True), [])]


def _seed(words: str) -> int:
    if not words.isdecimal() or int(words) >= 2**32:
        raise argparse.ArgumentTypeError(f"{words!r} is no whole number from 0 to 2^32 - 1")
    return int(words)


def _target(one: argparse.ArgumentParser) -> None:
    one.add_argument("--target", metavar="COLUMN", help="what is to be predicted")
    one.add_argument("--nodes", metavar="FILE", help="a table of the nodes of a graph, whose first column names them")
    one.add_argument("--seed", type=_seed, default=0, help="for samples, folds and starts (0)")


def _kernel(one: argparse.ArgumentParser) -> None:
    one.add_argument("--kernel", metavar="EXPR", help="such as '0.5*gaussian(2) + polynomial(2)'; chosen by default")


def _cluster(one: argparse.ArgumentParser) -> None:
    """Let a command be worked on by a cluster."""
    either = one.add_mutually_exclusive_group()
    either.add_argument(
        "--cluster", metavar="ADDRESS", help="let the workers of this scheduler of Dask read DATA, and work on it"
    )
    either.add_argument("--workers", metavar="N", type=_count, help="start so many workers on this machine for that")


def _count(words: str) -> int:
    if not words.isdecimal() or not 1 <= int(words) <= 1000:
        raise argparse.ArgumentTypeError(f"{words!r} is no number of workers; a whole number from 1 to 1000 expected")
    return int(words)


def _force(one: argparse.ArgumentParser) -> None:
    one.add_argument("--force", action="store_true", help="replace an output that exists")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    with _interrupts() as stopped, _buffered(), _any_character(sys.stdout):
        try:
            given = parser().parse_args(arguments)
        except SystemExit as stop:
            return int(stop.code or 0)
        except KeyboardInterrupt:
            return _say(*_stopped(stopped))
        with warnings.catch_warnings():
            if not given.debug:
                warnings.simplefilter("always")
                warnings.showwarning = _silent if given.quiet else _tell
            return _guarded(given, stopped)


@contextmanager
def _buffered() -> Iterator[None]:
    """Put a buffer before standard output where it has none (PYTHONUNBUFFERED, python -u).

    Without one a write that finds room for a part of a text, as on a disk that is nearly full, is taken for done.
    """
    stream = sys.stdout
    if not isinstance(getattr(stream, "buffer", None), io.RawIOBase):
        yield
        return
    stream.flush()
    sys.stdout = open(stream.fileno(), "w", encoding=stream.encoding, errors=stream.errors, closefd=False)  # noqa: SIM115
    try:
        yield
    finally:
        with suppress(OSError):
            sys.stdout.close()
        sys.stdout = stream


@contextmanager
def _any_character(stream: Any) -> Iterator[None]:
    """Print characters that a stream has no bytes for as escapes, as standard error does."""
    if not isinstance(stream, io.TextIOWrapper):
        yield
        return
    before = stream.errors
    stream.reconfigure(errors="backslashreplace")
    try:
        yield
    finally:
        if not stream.closed:
            stream.reconfigure(errors=before)


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Note the signals that end the work, which raise KeyboardInterrupt: a library may make another error of that."""
    met: list[int] = []

    def stop(number: int, _: object) -> None:
        met.append(number)
        raise KeyboardInterrupt

    before = {}
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(one) is not signal.SIG_IGN:  # as in the background of a shell
                before[one] = signal.signal(one, stop)
    except ValueError:  # not in the main thread, which signals do not reach
        pass
    try:
        yield met
    finally:
        for one, handler in before.items():
            signal.signal(one, handler or signal.SIG_DFL)


def _stopped(met: list[int]) -> tuple[int, str]:
    return ENDED if signal.SIGTERM in met else STOPPED, "stopped; nothing was written"


def _guarded(given: argparse.Namespace, stopped: list[int]) -> int:
    """Run the command and translate what goes wrong into a sentence and an exit code."""
    try:
        from gramian.runtime.progress import progress

        if sys.stdout is None:
            raise OSError("standard output is closed; nowhere to print to")
        with nullcontext() if given.quiet else progress():
            given.run(given)
            sys.stdout.flush()
    except KeyboardInterrupt:
        return _say(*_stopped(stopped))
    except BrokenPipeError:
        _let_go()
        return DONE
    except Exception as error:
        _let_go()
        if stopped:
            return _say(*_stopped(stopped))
        if given.debug:
            traceback.print_exc()
        return _say(*_explained(error))
    return DONE


def _let_go() -> None:
    """Throw away what standard output has no room for: it would be tried again, at the latest when Python ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _explained(error: Exception) -> tuple[int, str]:
    """Return the exit code and the sentence of an error."""
    from gramian.expressions import KernelSyntaxError
    from gramian.intake.errors import DataError
    from gramian.models import ModelFileError
    from gramian.places import ClusterError

    words = str(error).strip() or type(error).__name__
    if isinstance(error, KernelSyntaxError | commands.WrongUse):
        return WRONG_USE, words
    if isinstance(error, commands.ForAnotherModel | ModelFileError):
        return BAD_MODEL, words
    if isinstance(error, DataError):
        return BAD_DATA, words
    if isinstance(error, FileExistsError):
        return NO_OUTPUT, words.replace("pass overwrite=True", "pass --force")
    if isinstance(error, ConnectionError | TimeoutError | ClusterError):
        return BAD_DATA, words
    if isinstance(error, OSError):
        return NO_OUTPUT, words if error.strerror is None else f"{error.filename or 'the output'}: {error.strerror}"
    if isinstance(error, MemoryError):
        return BAD_DATA, "there is not enough memory for this"
    if isinstance(error, ValueError | TypeError):
        return BAD_DATA, words
    return OWN_MISTAKE, f"{type(error).__name__}: {words}; this is a mistake in gramian (--debug shows where)"


def _say(code: int, words: str) -> int:
    print(f"gramian: {words}", file=sys.stderr)
    return code


def _tell(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    if issubclass(category, UserWarning):
        print(f"gramian: note: {message}", file=sys.stderr)


def _silent(*_: object, **__: object) -> None:
    pass
