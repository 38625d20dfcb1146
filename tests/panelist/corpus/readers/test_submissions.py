"""Submissions, in every shape."""

import gzip
import json

import pytest
from reader_support import note, work, write_works

from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import numbered_submissions, read_submissions
from panelist.errors import InputError
from panelist.records import Author, Institution, Submission


def test_submissions_in_every_shape(tmp_path):
    ada = Author("~A1", "Ada", "0000")
    full = {
        "id": "s1",
        "title": "T",
        "abstract": "A",
        "authors": [{"id": "~A1", "name": "Ada", "orcid": "0000"}, "C. Babbage", {"name": "Somebody"}],
        "author_names": ["Another"],
        "institutions": [{"name": "I", "ror": "r", "country": "GB"}, "J"],
        "references": ["W1"],
        "year": 2024,
    }
    expected = Submission(
        "s1",
        "T",
        "A",
        (ada,),
        ("C. Babbage", "Somebody", "Another"),
        (Institution("I", "r", "GB"), Institution("J")),
        ("W1",),
        2024,
    )
    assert read_submissions(write_works(tmp_path / "a.jsonl.gz", [full])) == [expected]

    by_id = note(1, authors=["Ada", "Charles"], authorids=["~A1", "~C1"])
    by_name = note(2, authors={"value": ["Ada"]}, year=2021)
    (tmp_path / "submissions.json").write_text(json.dumps({"n1": by_id, "n2": by_name}))
    notes = [
        Submission("n1", "Title 1", "Abstract 1", (Author("~A1", "Ada"), Author("~C1", "Charles"))),
        Submission("n2", "Title 2", "Abstract 2", author_names=("Ada",), year=2021),
    ]
    assert read_submissions(tmp_path / "submissions.json") == notes
    (tmp_path / "list.json").write_text(json.dumps([by_id, by_name], indent=2))
    assert read_submissions(tmp_path / "list.json") == notes
    assert read_submissions(write_works(tmp_path / "notes.jsonl", [by_id, by_name])) == notes

    (tmp_path / "s.csv").write_text("s1,T,A\ns2,T2,\n")
    assert read_submissions(tmp_path / "s.csv") == [Submission("s1", "T", "A"), Submission("s2", "T2")]

    authorships = [{"author": {"id": "A1", "display_name": "Ada"}, "institutions": [{"display_name": "I"}]}] * 2
    works = write_works(tmp_path / "w.jsonl", [work(1, authorships=authorships, referenced_works=["W2"])])
    assert read_submissions(works) == [
        Submission("W1", "Title 1", "an abstract", (Author("A1", "Ada"),), (), (Institution("I"),), ("W2",))
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.jsonl", '{"id": "s1", "title": "T"}\n{"id": "s1", "title": "T"}', r"s.jsonl:2: .*id 's1' .*twice"),
        ("s.jsonl", '{"id": "s1"}\n{"id": "s2"}', r"s.jsonl:1: .*title nor abstract \(and 1 "),
        ("s.json", '{"n1": {"id": "n1", "content"', r"s.json:1: not JSON"),
        ("s.json", "5", r"s.json: .*list.* received a number"),
        ("s.json", '{"n1": 5}', r"s.json: .*object, received a number"),
        ("s.csv", "s 1,T,A", "s.csv:1: id: 's 1'"),
        ("s.csv", "", r"s.csv: .*empty"),
    ],
)
def test_submissions_must_be_whole(tmp_path, name, content, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_submissions(tmp_path / name)


def test_a_gzipped_json_document_is_read(tmp_path):
    path = tmp_path / "submissions.json.gz"
    path.write_bytes(gzip.compress(json.dumps([{"id": "s1", "title": "T"}]).encode()))
    assert read_submissions(path) == [Submission("s1", "T")]
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"json\.gz.*cut off"):
        read_submissions(path)


def test_a_byte_order_mark_is_no_part_of_a_json_document(tmp_path):
    path = tmp_path / "submission.json"
    path.write_text('{"id": "s1", "title": "T"}', encoding="utf-8-sig")
    assert [one.id for one in read_submissions(path)] == ["s1"]


def test_a_missing_file_of_submissions_is_an_error(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_submissions(tmp_path / "none.json")


def test_submissions_can_be_read_with_a_report_instead(tmp_path):
    path = write_works(tmp_path / "s.jsonl", [{"id": "s1", "title": "T"}, {"id": "s2"}, {"id": "s3", "title": "T"}])
    report = ReadReport()
    assert [(line, submission.id) for line, submission in numbered_submissions(path, report)] == [(1, "s1"), (3, "s3")]
    assert report.rejected == 1
