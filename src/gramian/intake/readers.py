"""Files at the border: sequences, lines, texts and graphs, read into what the kernels take.

    read_fasta     named sequences in FASTA format     →  Fasta, whose `sequences` are a list of strings
    read_lines     one object per line                 →  list of strings
    read_texts     a folder with one text per file     →  Texts, labelled by subfolder
    read_edges     lines "u v" or "u v weight"         →  Graph

Files are UTF-8, with or without a byte order mark, with line ends of any system, plain or compressed by gzip, and are
read line by line. What cannot be understood is a ValueError that opens with the file and the line: nothing is guessed
and nothing is left out in silence.
"""

from __future__ import annotations

import codecs
import gzip
import math
import os
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TypeAlias

from gramian.checks import flag
from gramian.intake.sources import within
from gramian.kernels.graphs.graph import Graph

PathLike: TypeAlias = str | os.PathLike[str]

_GZIP = b"\x1f\x8b"
_NOT_A_LETTER = re.compile(r"[^A-Za-z*.\-]")
_PIECE = 2**22  # bytes of a line read at a time
_LINE = 64  # bytes of a line beside its letters, and
_EDGE = 600  # of an edge
_SEPARATORS = {None: "white space", "\t": "tabs", ",": "commas"}

Claim: TypeAlias = Callable[[int], None]


def _nothing(size: int) -> None:
    """Claim no memory: what is read is kept, however large it is."""


@dataclass(frozen=True, eq=False)
class Fasta:
    """The records of a FASTA file, in the order of the file.

    Parameters
    ----------
    names : tuple of str
        The first word of each header.
    descriptions : tuple of str
        The rest of each header.
    sequences : list of str
        The sequences, in the order of the file.

    See Also
    --------
    read_fasta : sequences from a FASTA file
    Spectrum : substrings of one length
    FullSpectrum : substrings of all lengths

    Notes
    -----
    Cost: memory for the letters of the file, once.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Fasta(("s1", "s2"), ("first", ""), ["ACGT", "GATTACA"])
    Fasta(2 sequences of length 4 to 7)
    """

    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    sequences: list[str]

    def __len__(self) -> int:
        return len(self.sequences)

    def __repr__(self) -> str:
        return f"Fasta({_count(len(self), 'sequence')} of length {_range([len(s) for s in self.sequences])})"


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of a folder, sorted by path.

    `names` are the paths below the folder, with slashes; `labels` the first subfolder in each, or "" for a file that
    lies in the folder itself.

    Parameters
    ----------
    names : tuple of str
        The paths below the folder.
    texts : list of str
        The texts, in the same order.
    labels : tuple of str
        The first subfolder in each path.

    See Also
    --------
    read_texts : the texts of a folder
    BagOfWords : documents by their words

    Notes
    -----
    Cost: memory for the characters of the files, once.

    Examples
    --------
    >>> import gramian as gm
    >>> gm.Texts(("spam/a.txt", "ham/b.txt"), ["Buy now", "See you"], ("spam", "ham")).labels
    ('spam', 'ham')
    """

    names: tuple[str, ...]
    texts: list[str]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    def __repr__(self) -> str:
        return f"Texts({_count(len(self), 'text')}, {_count(len(set(self.labels)), 'label')})"


def read_fasta(path: PathLike) -> Fasta:
    r"""Return the sequences of a FASTA file with their names and descriptions.

    A record is a line ">name description" and the lines of its sequence, which are joined; blanks and blank lines
    among them do not matter. The name is the first word of the header, the description what follows it. Letters keep
    their case. Gaps (- and .) and stops (*) are kept, but for a * at the end of a sequence, which marks its end and
    is dropped.

    Parameters
    ----------
    path : str or path
        The file, plain or compressed by gzip.

    Returns
    -------
    Fasta
        Names, descriptions and sequences.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is empty, is not text, has text before the first header, a header without a name, a name twice, a
        record without a sequence, or a character that is no letter, gap or stop.

    See Also
    --------
    Fasta : what `read_fasta` answers
    read_lines : one text a line
    read_data : a file of any kind as objects

    Notes
    -----
    Cost: time and memory linear in the file.

    Examples
    --------
    >>> import pathlib, tempfile, gramian as gm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "two.fasta")
    ...     _ = path.write_text(">a first\nACGT\nAC\n>b\nTTT\n")
    ...     found = gm.read_fasta(path)
    >>> found, found.names, found.descriptions, found.sequences
    (Fasta(2 sequences of length 3 to 6), ('a', 'b'), ('first', ''), ['ACGTAC', 'TTT'])
    """
    return fasta(path)


def fasta(path: PathLike, claim: Claim = _nothing) -> Fasta:
    """Return what `read_fasta` does, and claim the memory for each line before it is kept."""
    lines: dict[str, int] = {}
    descriptions, sequences = [], []
    for record in _records(path, claim):
        name, header = record.name, record.header
        if name in lines:
            raise header.error(f"the name {name!r} again, after line {lines[name]}; rename one of the two")
        sequence = "".join(record.pieces).removesuffix("*")
        if not sequence:
            raise header.error(f"the record {name!r} has no sequence; give it one, or delete its header")
        lines[name] = header.number
        descriptions.append(record.description)
        sequences.append(sequence)
    return Fasta(tuple(lines), tuple(descriptions), sequences)


def read_lines(path: PathLike, *, skip_blank: bool = True) -> list[str]:
    r"""Return the lines of a file, one object each, without their line ends.

    Parameters
    ----------
    path : str or path
        The file, plain or compressed by gzip.
    skip_blank : bool
        Leave out lines that hold nothing but white space.

    Returns
    -------
    list of str
        The lines, without their ends.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not text, or no line is left.

    See Also
    --------
    read_texts : the texts of a folder
    read_fasta : sequences from a FASTA file
    read_data : a file of any kind as objects

    Notes
    -----
    Cost: time and memory linear in the file.

    Examples
    --------
    >>> import pathlib, tempfile, gramian as gm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "words.txt")
    ...     _ = path.write_text("bar\nbat\n\ncar\n")
    ...     gm.read_lines(path)
    ['bar', 'bat', 'car']
    """
    skip = flag(skip_blank, "skip_blank")
    found = [line.text for line in _lines(path) if line.text.strip() or not skip]
    if not found:
        raise ValueError(f"{path}: no {'line that is not blank' if skip else 'line'}; one object per line expected")
    return found


def read_texts(folder: PathLike, *, pattern: str = "*.txt", encoding: str = "utf-8") -> Texts:
    r"""Return every text below a folder, labelled by the subfolder it lies in.

    Parameters
    ----------
    folder : str or path
        Its files and those of its subfolders, however deep, are read in the order of their paths. The first
        subfolder on the way to a file is its label; a file in the folder itself has the label "". Links to files are
        followed within the folder; one that leads out of it is refused.
    pattern : str
        Which file names to read, such as "*.txt" or "*.txt.gz".
    encoding : str
        That of all files.

    Returns
    -------
    Texts
        The texts with their names and labels; line ends have become "\n", and the last one is dropped.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    NotADirectoryError
        If it is a file.
    ValueError
        If no file matches, one is not text, or is a link to a file outside of the folder.

    See Also
    --------
    Texts : what `read_texts` answers
    read_lines : one text a line
    BagOfWords : documents by their words

    Notes
    -----
    Cost: time and memory linear in the files.

    Examples
    --------
    >>> import pathlib, tempfile, gramian as gm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("prose", "verse"):
    ...         pathlib.Path(folder, name).mkdir()
    ...         _ = pathlib.Path(folder, name, "one.txt").write_text(f"Some {name}.\n")
    ...     found = gm.read_texts(folder)
    >>> found, found.labels, found.texts
    (Texts(2 texts, 2 labels), ('prose', 'verse'), ['Some prose.', 'Some verse.'])
    """
    return texts(folder, pattern, encoding)


def texts(folder: PathLike, pattern: str, encoding: str, claim: Claim = _nothing) -> Texts:
    """Return what `read_texts` does, and claim the memory for each line before it is kept."""
    root = _existing(folder, "folder")
    if not root.is_dir():
        raise NotADirectoryError(f"{root}: a file; a folder of texts expected (for one object per line: read_lines)")
    files = {file.relative_to(root).as_posix(): file for file in root.rglob(pattern) if file.is_file()}
    if not files:
        raise ValueError(f"{root}: no file matches {pattern!r} in this folder or below; pass another pattern")
    names = tuple(sorted(files))
    return Texts(
        names=names,
        texts=["\n".join(line.text for line in _lines(within(root, files[name]), encoding, claim)) for name in names],
        labels=tuple(name.split("/")[0] if "/" in name else "" for name in names),
    )


def read_edges(path: PathLike, *, delimiter: str | None = None, comment: str | None = "#") -> Graph:
    r"""Return the undirected graph of a file with one edge per line: "u v", or "u v weight".

    Names of nodes are integers if all in the file are (written as 12, not 012), strings otherwise. An edge that
    comes again in either direction counts once. Quotes mean nothing, and a line of headings must be marked as a
    comment: it would be an edge.

    Parameters
    ----------
    path : str or path
        The file, plain or compressed by gzip.
    delimiter : str, optional
        What stands between the fields. By default what the first edge uses: a tab, else a comma, else white space.
    comment : str or None
        Lines that begin with it are skipped, as blank ones are.

    Returns
    -------
    Graph
        The graph, its nodes in the order in which they come.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file is not text or has no edge; if a line has another number of fields than 2 or 3, or than the first
        one, an empty name or a weight that is not a finite number; if an edge comes again with another weight.

    See Also
    --------
    Graph : nodes and weighted edges
    read_data : a file of any kind as objects

    Notes
    -----
    Cost: time and memory linear in the edges.

    Examples
    --------
    >>> import pathlib, tempfile, gramian as gm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "graph.txt")
    ...     _ = path.write_text("# a triangle with a tail\n1 2\n2 3\n3 1\n3 4\n")
    ...     gm.read_edges(path)
    Graph(<4 nodes, 4 edges>)
    """
    if delimiter == "":
        raise ValueError("delimiter is ''; what stands between the fields expected, or None to detect it")
    return edges(path, delimiter, comment)


def edges(path: PathLike, delimiter: str | None = None, comment: str | None = "#", claim: Claim = _nothing) -> Graph:
    """Return what `read_edges` does, and claim the memory for each edge before it is kept."""
    weights: dict[tuple[str, str], tuple[float, int]] = {}
    for line, u, v, weight in _edges(path, delimiter, comment, claim):
        before, place = weights.setdefault((v, u) if (v, u) in weights else (u, v), (weight, line.number))
        if weight != before:
            raise line.error(
                f"the edge {u} – {v} has the weight {weight:g}, and {before:g} in line {place}; keep one of the two"
            )
    if not weights:
        raise ValueError(f"{path}: no edge; lines 'u v' or 'u v weight' expected")
    name = int if all(_is_integer(end) for edge in weights for end in edge) else str
    return Graph.from_edges((name(u), name(v), weight) for (u, v), (weight, _) in weights.items())


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a text file without its end, with what an error message says of its place."""

    file: Path
    number: int
    text: str

    def error(self, message: str) -> ValueError:
        return ValueError(f"{self.file}, line {self.number}: {message}")


@dataclass(frozen=True, slots=True)
class _Record:
    header: _Line
    name: str
    description: str
    pieces: list[str] = field(default_factory=list)


def _records(path: PathLike, claim: Claim) -> Iterator[_Record]:
    record = None
    for line in _lines(path, "utf-8", claim):
        if line.text.lstrip().startswith(">"):
            if record is not None:
                yield record
            record = _opened(line)
        elif line.text.strip():
            if record is None:
                raise line.error(f"{_excerpt(line.text)} before the first header; a line '>name' expected")
            record.pieces.append(_letters(line))
    if record is None:
        raise ValueError(f"{path}: an empty file; records of a line '>name' and a sequence expected")
    yield record


def _opened(header: _Line) -> _Record:
    words = header.text.strip()[1:].split(maxsplit=1)
    if not words:
        raise header.error("a header without a name; '>name' or '>name description' expected")
    return _Record(header, words[0], "".join(words[1:]))


def _letters(line: _Line) -> str:
    letters = "".join(line.text.split())
    wrong = _NOT_A_LETTER.search(letters)
    if wrong:
        raise line.error(
            f"the character {wrong[0]!r} in a sequence; letters A to Z or a to z, gaps (- .) and stops (*) expected"
        )
    return letters


def _edges(
    path: PathLike, delimiter: str | None, comment: str | None, claim: Claim
) -> Iterator[tuple[_Line, str, str, float]]:
    first, width = 0, 0
    for line in _lines(path, "utf-8", claim):
        if not line.text.strip() or (comment and line.text.lstrip().startswith(comment)):
            continue
        if not first and delimiter is None:
            delimiter = _separator(line.text)
        fields = _fields(line, delimiter)
        first, width = first or line.number, width or len(fields)
        claim(_EDGE)
        if len(fields) != width:
            raise line.error(f"{len(fields)} fields, and {width} in line {first}; give every edge a weight, or none")
        yield line, fields[0], fields[1], _weight(line, fields[2]) if width == 3 else 1.0


def _separator(text: str) -> str | None:
    return next((mark for mark in ("\t", ",") if mark in text.strip()), None)


def _fields(line: _Line, delimiter: str | None) -> list[str]:
    fields = [text.strip() for text in line.text.split(delimiter)]
    if len(fields) not in (2, 3) or not all(fields):
        found = _count(len(fields), "field") if all(fields) else "an empty field"
        raise line.error(
            f"{_excerpt(line.text)} has {found} (separated by {_SEPARATORS.get(delimiter, repr(delimiter))}); 'u v' or "
            "'u v weight' expected: mend the line, or say what else separates the fields"
        )
    return fields


def _weight(line: _Line, text: str) -> float:
    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise line.error(
            f"the weight {text!r}; a finite number expected: mend it, say what separates the fields if the line is "
            "cut in the wrong places, or make it a comment if it holds headings"
        )
    return weight


def _is_integer(name: str) -> bool:
    return re.fullmatch(r"0|-?[1-9][0-9]*", name) is not None


def _lines(path: PathLike, encoding: str = "utf-8", claim: Claim = _nothing) -> Iterator[_Line]:
    file = _existing(path, "file")
    if codecs.lookup(encoding).name == "utf-8":
        encoding = "utf-8"  # whatever its spelling
    if "\n".encode(encoding) != b"\n":
        raise ValueError(f"the encoding is {encoding!r}; one in which a line ends with a single byte expected")
    if file.is_dir():
        raise IsADirectoryError(f"{file}: a folder; a file expected (for a folder of texts: read_texts)")
    with file.open("rb") as plain:
        stream: IO[bytes] = gzip.GzipFile(fileobj=plain) if plain.peek(2)[:2] == _GZIP else plain  # type: ignore[assignment]
        try:
            parts = (part for line in _whole(stream, claim) for part in line.splitlines())
            for number, part in enumerate(parts, start=1):
                yield _decoded(file, number, part, encoding)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{file}: a broken gzip file ({error}); copy or compress it again") from error


def _whole(stream: IO[bytes], claim: Claim) -> Iterator[bytes]:
    """Go through the lines with their ends; a long one is claimed in pieces, before it is held whole."""
    pieces: list[bytes] = []
    while piece := stream.readline(_PIECE):
        claim(_LINE + 4 * len(piece))
        if len(piece) == _PIECE and not piece.endswith(b"\n"):
            pieces.append(piece)
            continue
        yield b"".join([*pieces, piece]) if pieces else piece
        pieces.clear()
    if pieces:
        yield b"".join(pieces)


def _decoded(file: Path, number: int, raw: bytes, encoding: str) -> _Line:
    utf8 = encoding == "utf-8"
    try:
        line = _Line(file, number, raw.decode("utf-8-sig" if utf8 and number == 1 else encoding))
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1}, 0x{error.object[error.start]:02x},"
        what = "UTF-8; convert the file to UTF-8 text" if utf8 else f"{encoding}; another encoding expected"
        raise _Line(file, number, "").error(f"{byte} is not {what}") from None
    if "\0" in line.text:
        raise line.error("a zero byte, as binary files have; a text file in UTF-8 expected")
    return line


def _existing(path: PathLike, kind: str) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"the {kind} is {path!r} ({type(path).__name__}); its name expected, a string or a path")
    found = Path(path)
    if not found.exists():
        raise FileNotFoundError(f"{found}: no such {kind}; check the name, which is relative to {Path.cwd()}")
    if found.is_char_device() or found.is_block_device():
        raise ValueError(f"{found}: a device, which is no data and may have no end; a {kind} expected")
    return found


def _excerpt(text: str, length: int = 30) -> str:
    text = text.strip()
    return repr(text if len(text) <= length else f"{text[:length]}…")


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _range(lengths: list[int]) -> str:
    low, high = min(lengths), max(lengths)
    return str(low) if low == high else f"{low} to {high}"
