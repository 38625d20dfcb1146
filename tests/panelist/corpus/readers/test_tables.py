"""CSV files of expertise."""

import csv
import random
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reader_support import reasons

from panelist.corpus.readers import tables
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.records import Author, Authorship, Paper

ROWS = '~A1,p1,"Title, one","An abstract\nof two lines"\n~B1,p1,Title one again,\n~B1,p2,Title two,"He said ""yes"""\n'


@pytest.mark.parametrize(
    "content",
    [
        ROWS,
        "reviewer,paper,title,abstract\n" + ROWS,
        "\ufeffReviewer,Paper,Title,Abstract\r\n" + ROWS.replace("\n~", "\r\n~"),
        "title;id;note;author_id;abstract\n"
        '"Title, one";p1;;~A1;"An abstract\nof two lines"\n'
        'Title one again;p1;;~B1;\nTitle two;p2;;~B1;"He said ""yes"""\n',
        "reviewer\tpaper\ttitle\tabstract\n" + ROWS.replace("Title, one", "Title. one").replace(",", "\t"),
    ],
    ids=["plain", "header", "excel", "semicolons", "tabs"],
)
def test_expertise_csv_with_and_without_header(tmp_path, content):
    path = tmp_path / "expertise.csv"
    path.write_bytes(content.encode())
    report = ReadReport()
    papers = list(tables.read([path], report))
    ada, charles = Authorship(Author("~A1", "~A1")), Authorship(Author("~B1", "~B1"))
    assert papers == [
        Paper("p1", "Title one again", "", None, (ada, charles)),
        Paper("p2", "Title two", 'He said "yes"', None, (charles,)),
    ]
    assert report.rejected == 0


def test_a_stray_quotation_mark_costs_its_own_row_only(tmp_path):
    path = tmp_path / "expertise.csv"
    path.write_bytes(
        b'~A1,p1,T1,A1\n~A1,p2,"never closed,A2\n~A1,p3,T3,A3\n~A1,p4,"a"b,A4\n~A1,p5,T5\n'
        b"~A1,p6,\xff\x81,A6\n\n~A1,p 7,T7,A7\n~A1,p8,,\n,p9,T9,A9\n~A1,p10,T10,A10\n"
    )
    report = ReadReport()
    assert [paper.id for paper in tables.read([path], report)] == ["p1", "p3", "p10"]
    assert [(line, reason.split(":")[0]) for _, line, reason in reasons(report)] == [
        (2, "not CSV"),
        (4, "not CSV"),
        (5, "expected 4 columns (reviewer, paper, title, abstract), received 3"),
        (6, "not UTF-8"),
        (8, "paper"),
        (9, "neither title nor abstract"),
        (10, "reviewer"),
    ]


@given(st.lists(st.tuples(*[st.text(st.characters(blacklist_categories=["C"]) | st.just("\n"))] * 2), max_size=8))
def test_what_csv_writes_is_what_is_read(texts):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "submissions.csv")
        with path.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["id", "title", "abstract"])
            rows.writerows((f"s{number}", f"t{title}", abstract) for number, (title, abstract) in enumerate(texts))
        found = [(submission.title, submission.abstract) for submission in read_submissions(path)]
        assert found == [(f"t{title}".strip(), abstract.strip()) for title, abstract in texts]


@pytest.mark.parametrize(
    "noise", [b"\0\xff\n" * 3, b"x" * 10_000_000, random.Random(1).randbytes(100_000), b'"' * 5001]
)
def test_csv_survives_noise(tmp_path, noise):
    path = tmp_path / "expertise.csv"
    path.write_bytes(b"~A1,p1,T1,A1\n" + noise + b"\n~A1,p2,T2,A2\n")
    report = ReadReport()
    assert {"p1", "p2"} <= {paper.id for paper in tables.read([path], report)}
    assert report.rejected >= 1


def records(data, counted=None):
    """What is read out of these bytes, and which lines were rejected."""
    report = ReadReport()
    lines = tables._Lines(enumerate(data.split(b"\n"), 1))
    if counted is not None:
        lines = counted(lines)
    found = list(tables._records(lines, ",", Path("x.csv"), report))
    return found, [line for _, line, _ in reasons(report)]


def records_slowly(data):
    """The same by the rule itself: where a row fails, read again from the line after its first."""
    lines, start, found, rejected = data.split(b"\n"), 0, [], []
    while start < len(lines):
        reader = csv.reader((line.decode() + "\n" for line in lines[start:]), strict=True)
        try:
            row = next(reader)
        except csv.Error:
            rejected.append(start + 1)
            start += 1
            continue
        if row:
            found.append((start + 1, row))
        start += reader.line_num
    return found, rejected


@given(st.text(st.sampled_from('ab",\n'), max_size=40))
@example('"\n"a\n"')  # the row of the first line fails in the second, which begins one that is closed in the third
def test_rows_after_a_stray_quotation_mark_are_those_of_the_slow_rule(text):
    assert records(text.encode()) == records_slowly(text.encode())


def test_unclosed_quotation_marks_are_not_read_again_and_again():
    reads = [0]

    def counted(lines):
        step = tables._Lines.__next__

        class Counted(tables._Lines):
            def __next__(self):
                reads[0] += 1
                return step(self)

        lines.__class__ = Counted
        return lines

    found, _ = records(b"\n".join([b'a",b,"'] * 5_000), counted)
    assert found == []
    assert reads[0] < 4 * 5_000
