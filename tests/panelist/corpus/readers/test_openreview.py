"""OpenReview's archives."""

import pytest
from reader_support import note, reasons, write_works

from panelist.corpus.readers import openreview
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper


def openreview_directory(tmp_path, archives):
    (tmp_path / "archives").mkdir()
    for owner, notes in archives.items():
        write_works(tmp_path / "archives" / f"{owner}.jsonl", notes)
    return tmp_path


def test_a_paper_in_two_archives_is_one_paper_with_both_authors(tmp_path):
    directory = openreview_directory(
        tmp_path,
        {
            "~Ada_Lovelace1": [
                note(1, authors=["Ada L.", "C. B."], authorids=["~Ada_Lovelace1", "~C1"], year="1843"),
                note(2),
            ],
            "~Charles_Babbage1": [
                note(1, abstract={"value": "Last version"}, title={"value": "Engine"}),
                note(3),
                note(3),
            ],
        },
    )
    report = ReadReport()
    papers = {paper.id: paper for paper in openreview.read(directory, report)}
    ada, charles = Author("~Ada_Lovelace1", "Ada L."), Author("~Charles_Babbage1", "~Charles_Babbage1")
    assert list(papers) == ["n2", "n1", "n3"]
    assert papers["n1"] == Paper("n1", "Engine", "Last version", None, (Authorship(ada), Authorship(charles)))
    assert papers["n3"].authorships == (Authorship(charles),)
    assert report.rejected == 0
    assert report.bytes_read == 2 * sum(file.stat().st_size for file in (directory / "archives").iterdir())


def test_openreview_rejects_line_by_line(tmp_path):
    broken = [note(1), {"id": "n 2", "content": {"title": "x"}}, {"id": "n3", "content": []}, {"id": "n4"}, note(5)]
    directory = openreview_directory(tmp_path, {"~A1": broken, "~B1": []})
    report = ReadReport()
    assert [paper.id for paper in openreview.read(directory, report)] == ["n1", "n5"]
    assert reasons(report) == [
        ("~A1.jsonl", 2, "id: 'n 2' is not allowed: it contains whitespace"),
        ("~A1.jsonl", 3, "content: expected an object, received a list"),
        ("~A1.jsonl", 4, "neither title nor abstract"),
        ("~B1.jsonl", 0, "the file is empty"),
    ]


def test_openreview_wants_its_archives(tmp_path):
    with pytest.raises(InputError, match="has no directory 'archives'"):
        openreview.read(tmp_path, ReadReport())
    (tmp_path / "archives").mkdir()
    with pytest.raises(InputError, match=r"archives' .*no file ending"):
        openreview.read(tmp_path, ReadReport())
