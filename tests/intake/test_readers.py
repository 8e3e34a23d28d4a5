"""Files become objects exactly, and what is wrong with a file is said with its name and line."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gramian.intake.readers import read_edges, read_fasta, read_lines, read_texts

BOM = b"\xef\xbb\xbf"
quick = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def write(tmp_path):
    def write(content, name="file.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def refused(read, path, line, words):
    """Check that reading fails at this line of this file (None: the file as a whole), with these words."""
    place = f"{path}: " if line is None else f"{path}, line {line}: "
    with pytest.raises(ValueError, match=f"^{re.escape(place)}.*{re.escape(words)}"):
        read(path)


def weights(graph):
    names, A = graph.names(), graph.matrix.toarray()
    return {frozenset((names[i], names[j])): A[i, j] for i, j in np.argwhere(A).tolist()}


def test_fasta_has_names_descriptions_and_joined_sequences(write):
    found = read_fasta(write(">a first one\nACGT\nac gt\n\nNN\n>b\nTT\n"))
    assert found.names == ("a", "b")
    assert found.descriptions == ("first one", "")
    assert found.sequences == ["ACGTacgtNN", "TT"]
    assert len(found) == 2
    assert repr(found) == "Fasta(2 sequences of length 2 to 10)"


def test_fasta_splits_a_header_at_any_white_space(write):
    found = read_fasta(write(">  a\t the rest \nAC\n"))
    assert (found.names, found.descriptions) == (("a",), ("the rest",))


def test_fasta_keeps_gaps_and_inner_stops_and_drops_the_stop_at_the_end(write):
    found = read_fasta(write(">a\nM-K*.L\n*\n>b\nMK\n"))
    assert found.sequences == ["M-K*.L", "MK"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("head", [b"", BOM])
@pytest.mark.parametrize("last", [True, False])
def test_fasta_reads_line_ends_of_any_system_and_byte_order_marks(write, end, head, last):
    text = end.join([">a x", "AC", "", "GT", ">b", "T"]) + end * last
    found = read_fasta(write(head + text.encode()))
    assert found.names == ("a", "b")
    assert found.sequences == ["ACGT", "T"]


@pytest.mark.parametrize("name", ["two.fasta.gz", "named_otherwise"])
def test_fasta_reads_gzip_whatever_the_name(write, name):
    assert read_fasta(write(gzip.compress(b">a\nAC\n"), name)).sequences == ["AC"]


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\nACGT\n>a\nAC\n", 2, "'ACGT' before the first header; a line '>name' expected"),
        (">a\nAC\n>  \nAC\n", 3, "a header without a name"),
        (">a\n>b\nAC\n", 1, "the record 'a' has no sequence"),
        (">a\nAC\n>b\n\n", 3, "the record 'b' has no sequence"),
        (">a\n*\n", 1, "the record 'a' has no sequence"),
        ("", None, "an empty file"),
        ("\n \n", None, "an empty file"),
        (">a\nAC\nA1\n", 3, "the character '1' in a sequence"),
        (">a\nAÇ\n", 2, "the character 'Ç' in a sequence"),
        (">a\nAC\n\n>b\nG\n>a again\nAC\n", 6, "the name 'a' again, after line 1"),
        (b">a\nAC\nA\xe9\n", 3, "byte 2, 0xe9, is not UTF-8"),
        (b"\xff\xfe>\x00a\x00", 1, "byte 1, 0xff, is not UTF-8"),
        (b">a\nA\x00C\n", 2, "a zero byte"),
    ],
)
def test_fasta_says_what_is_wrong_and_where(write, text, line, words):
    refused(read_fasta, write(text), line, words)


def test_a_line_of_a_compressed_file_is_named_too(write):
    refused(read_fasta, write(gzip.compress(b">a\nAC\n>b\nA?\n"), "x.gz"), 4, "'?'")


@pytest.mark.parametrize("cut", [-5, 12])
def test_a_broken_gzip_file_is_a_value_error(write, cut):
    packed = gzip.compress(b">a\n" + b"ACGT" * 100)
    refused(read_fasta, write(packed[:cut]), None, "a broken gzip file")


words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=8)
letters = st.text("ACGTacgtNXMK-", min_size=1, max_size=30)


@quick
@given(st.dictionaries(words, st.tuples(st.lists(words, max_size=3), letters), min_size=1), st.integers(1, 9))
def test_fasta_returns_what_was_written(write, records, width):
    text = ""
    for name, (description, sequence) in records.items():
        text += " ".join([f">{name}", *description]) + "\n"
        text += "".join(f"{sequence[i : i + width]}\n" for i in range(0, len(sequence), width))
    found = read_fasta(write(text))
    assert found.names == tuple(records)
    assert found.descriptions == tuple(" ".join(description) for description, _ in records.values())
    assert found.sequences == [sequence for _, sequence in records.values()]


def test_lines_are_objects_and_blank_ones_are_left_out(write):
    path = write(BOM + " bar \r\n\r\nbät\r\n".encode())
    assert read_lines(path) == [" bar ", "bät"]
    assert read_lines(path, skip_blank=False) == [" bar ", "", "bät"]


def test_lines_are_cut_at_line_ends_only(write):
    assert read_lines(write("a\x0bb\u2028c\nd")) == ["a\x0bb\u2028c", "d"]


def test_a_file_without_lines_is_refused(write):
    refused(read_lines, write("\n \n"), None, "no line that is not blank")
    refused(lambda path: read_lines(path, skip_blank=False), write(""), None, "no line")


def test_skip_blank_is_true_or_false(write):
    with pytest.raises(TypeError, match="skip_blank is 1"):
        read_lines(write("a\n"), skip_blank=1)


def test_texts_are_sorted_by_path_and_labelled_by_the_first_subfolder(write, tmp_path):
    write("two\r\nlines\r\n", "b/deep/er.txt")
    write("of b", "b/a.txt")
    write("of a", "a/z.txt")
    write("top", "top.txt")
    write("not read", "a/note.md")
    found = read_texts(tmp_path)
    assert found.names == ("a/z.txt", "b/a.txt", "b/deep/er.txt", "top.txt")
    assert found.texts == ["of a", "of b", "two\nlines", "top"]
    assert found.labels == ("a", "b", "b", "")
    assert len(found) == 4
    assert repr(found) == "Texts(4 texts, 3 labels)"


def test_texts_follow_the_pattern_and_may_be_compressed(write, tmp_path):
    write(gzip.compress(b"packed"), "x/one.md.gz")
    write("plain", "x/one.txt")
    assert read_texts(str(tmp_path), pattern="*.gz").texts == ["packed"]


def test_texts_say_which_folder_or_file_is_wrong(write, tmp_path):
    with pytest.raises(FileNotFoundError, match=f"{re.escape(str(tmp_path / 'none'))}: no such folder"):
        read_texts(tmp_path / "none")
    refused(read_texts, tmp_path, None, "no file matches '*.txt'")
    path = write(b"fine\n\xfc\n", "a/bad.txt")
    with pytest.raises(NotADirectoryError, match="bad.txt: a file; a folder of texts expected"):
        read_texts(path)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}, line 2: byte 1, 0xfc, is not UTF-8"):
        read_texts(tmp_path)


@pytest.mark.parametrize("separator", [" ", "   ", "\t", ",", ", ", " ,"])
def test_edges_are_separated_by_white_space_tabs_or_commas(write, separator):
    graph = read_edges(write(separator.join("ab") + "\n" + separator.join("bc") + "\n"))
    assert graph.names() == ["a", "b", "c"]
    assert weights(graph) == {frozenset("ab"): 1, frozenset("bc"): 1}


def test_edges_have_weights_comments_and_blank_lines(write):
    graph = read_edges(write("# a comment, with a comma\n\na b 2.5\n  # another\nb c -1e-3\n"))
    assert weights(graph) == {frozenset("ab"): 2.5, frozenset("bc"): -1e-3}


def test_names_between_tabs_may_hold_blanks_commas_and_quotes(write):
    graph = read_edges(write('New York\tWashington, D.C.\nNew York\t"Boston"\n'))
    assert graph.names() == ["New York", "Washington, D.C.", '"Boston"']


def test_the_delimiter_and_the_comment_may_be_given(write):
    path = write("% note\n#1;b c\n")
    assert read_edges(path, delimiter=";", comment="%").names() == ["#1", "b c"]
    with pytest.raises(ValueError, match="line 1: '% note' has 1 field"):
        read_edges(path, delimiter=";", comment=None)
    with pytest.raises(ValueError, match="delimiter is ''"):
        read_edges(path, delimiter="")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1 2\n2 -3\n0 1", [1, 2, -3, 0]),
        ("1 2\n2 x", ["1", "2", "x"]),
        ("1 2\n2 01", ["1", "2", "01"]),
        ("1 2\n2 1.0", ["1", "2", "1.0"]),
    ],
)
def test_names_are_integers_only_if_all_are(write, text, names):
    assert read_edges(write(text)).names() == names


def test_an_edge_again_in_either_direction_counts_once(write):
    assert weights(read_edges(write("a b 2\nb a 2.0\na b 2\n"))) == {frozenset("ab"): 2}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a b 1\nb c 1\n\nb a 2\n", 4, "the edge b – a has the weight 2, and 1 in line 1"),
        ("a b\nb c 1\n", 2, "3 fields, and 2 in line 1"),
        ("# x\na b 1\nb c\n", 3, "2 fields, and 3 in line 2"),
        ("a\n", 1, "'a' has 1 field (separated by white space)"),
        ("a b\na b c d\n", 2, "'a b c d' has 4 fields"),
        ("a,b\n,c\n", 2, "',c' has an empty field (separated by commas)"),
        ("a\tb\na b\n", 2, "'a b' has 1 field (separated by tabs)"),
        ("u v weight\na b 1\n", 1, "the weight 'weight'; a finite number expected"),
        ("a b nan\n", 1, "the weight 'nan'"),
        ("a b 1\na c inf\n", 2, "the weight 'inf'"),
        ("", None, "no edge"),
        ("# nothing\n\n", None, "no edge"),
        (b"a b\n\xe9 c\n", 2, "byte 1, 0xe9, is not UTF-8"),
    ],
)
def test_edges_say_what_is_wrong_and_where(write, text, line, words):
    refused(read_edges, write(text), line, words)


nodes = st.integers(-50, 50)
edges = st.dictionaries(st.tuples(nodes, nodes).map(sorted).map(tuple), st.floats(-1e6, 1e6), min_size=1)


@quick
@given(edges, st.sampled_from([" ", "\t", ","]), st.randoms())
def test_edges_return_what_was_written(write, edges, separator, random):
    edges = {edge: weight for edge, weight in edges.items() if weight} or {(0, 1): 1.0}
    lines = [[*random.sample(edge, 2), repr(weight)] for edge, weight in edges.items() for _ in range(2)]
    random.shuffle(lines)
    graph = read_edges(write("\n".join(separator.join(map(str, line)) for line in lines)))
    assert set(graph.names()) == {node for edge in edges for node in edge}
    assert weights(graph) == {frozenset(edge): weight for edge, weight in edges.items()}


@pytest.mark.parametrize("read", [read_fasta, read_lines, read_edges])
def test_a_missing_file_is_named(read, tmp_path):
    path = tmp_path / "none.txt"
    with pytest.raises(FileNotFoundError, match=f"^{re.escape(str(path))}: no such file"):
        read(path)


@pytest.mark.parametrize("read", [read_fasta, read_lines, read_edges])
def test_a_folder_is_no_file(read, tmp_path):
    with pytest.raises(IsADirectoryError, match="a folder; a file expected"):
        read(tmp_path)


@pytest.mark.parametrize("read", [read_fasta, read_lines, read_edges, read_texts])
def test_a_path_is_a_string_or_a_path(read):
    with pytest.raises(TypeError, match="is 3 \\(int\\); its name expected"):
        read(3)
