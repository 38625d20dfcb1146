"""Tables as people have them, by every reader of tables: the corpus's, submissions, committee, conflicts, reviews."""

import gzip

import pytest

from eval.calibration.reviews import read_reviews
from eval.reviews.reading.files import read_review_file
from panelist.corpus.readers import tables
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.rows import encoding_of
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from retriever.assignment.reading.tables import read_people
from retriever.conference.conflicts.declared import read_conflicts


def read_corpus(path):
    report = ReadReport()
    papers = list(tables.read([path], report))
    if report.rejected:
        raise InputError(report.example())
    return [(paper.authorships[0].author.id, paper.title) for paper in papers]


# Each reader with a table of its own, its header first, and what it makes of it.
TABLES = {
    "corpus": (
        [["reviewer", "paper", "title", "abstract"], ["r1", "p1", "Über Gewebe", "Façon, étoffe"]],
        read_corpus,
        [("r1", "Über Gewebe")],
    ),
    "submissions": (
        [["id", "title", "abstract"], ["s1", "Über Gewebe", "Façon, étoffe"]],
        lambda path: [(one.id, one.title, one.abstract) for one in read_submissions(path)],
        [("s1", "Über Gewebe", "Façon, étoffe")],
    ),
    "committee": (
        [["reviewer", "institution"], ["r1", "Universität Köln"]],
        lambda path: sorted(one.institution for one in read_people(path).values()),
        ["Universität Köln"],
    ),
    "conflicts": ([["paper", "reviewer"], ["p1", "Jürgen"]], read_conflicts, {"p1": ("Jürgen",)}),
    "reviews": (
        [["paper", "reviewer", "text"], ["p1", "Jürgen", "Schöne Arbeit, wirklich: a fine and thorough paper."]],
        lambda path: [(one.paper, one.reviewer) for one in read_review_file(path).reviews],
        [("p1", "Jürgen")],
    ),
    "scores": (
        [["paper", "reviewer", "score"], ["p1", "Jürgen", "3"]],
        lambda path: (tuple(read_reviews(path).reviewers.names), read_reviews(path).scores.tolist()),
        (("Jürgen",), [3.0]),
    ),
}


def write(path, rows, delimiter=",", encoding="utf-8", first=""):
    cells = [delimiter.join(f'"{cell}"' if delimiter in cell else cell for cell in row) for row in rows]
    path.write_bytes((first + "\r\n".join(cells) + "\r\n").encode(encoding))
    return path


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_every_reader_reads_every_usual_encoding_and_separator(tmp_path, name, delimiter, encoding):
    rows, read, expected = TABLES[name]
    assert read(write(tmp_path / "a.csv", rows, delimiter, encoding)) == expected
    stated = write(tmp_path / "b.csv", rows, delimiter, encoding, f"sep={delimiter}\r\n")
    assert read(stated) == expected
    packed = tmp_path / "c.csv.gz"
    packed.write_bytes(gzip.compress(stated.read_bytes()))
    assert read(packed) == expected


@pytest.mark.parametrize("name", TABLES)
def test_what_is_no_table_is_refused_with_the_reason(tmp_path, name):
    rows, read, _ = TABLES[name]
    if name != "conflicts":  # they need no header
        repeated = write(tmp_path / "twice.csv", [[*rows[0], rows[0][0]], [*rows[1], "x"]])
        with pytest.raises(InputError, match=r"twice|expected a header"):
            read(repeated)
    zeros = tmp_path / "zeros.csv"
    zeros.write_bytes(b"paper,reviewer\n" + "é,x\n".encode("utf-16-le"))
    with pytest.raises(InputError):
        read(zeros)


def test_one_damaged_byte_does_not_make_a_file_another_encoding():
    assert encoding_of("Köln".encode() + b"\xff") == "utf-8"
    assert encoding_of("Köln".encode("cp1252")) == "cp1252"
    assert encoding_of(b"plain") == "utf-8"
