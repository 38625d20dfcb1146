"""Semantic Scholar's shape, and that of the gold standard."""

import pytest
from reader_support import reasons, write_works

from panelist.config import data_dir
from panelist.corpus.readers import openreview, semanticscholar
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper


def test_semantic_scholar_in_both_shapes(tmp_path):
    write_works(
        tmp_path / "papers.jsonl.gz",
        [
            {"ssId": "s1", "title": "T1", "abstract": None, "year": None, "authors": ["Ada L.", "C. B."]},
            {
                "paperId": "s2",
                "title": "T2",
                "abstract": "A2",
                "year": 2020,
                "authors": [{"authorId": "7", "name": "Ada"}, {"authorId": None, "name": "?"}],
                "venue": "V",
                "externalIds": {"DOI": "10.1/x"},
                "citationCount": 4,
                "references": [{"paperId": "s1"}, {"paperId": None}],
                "fieldsOfStudy": ["Computer Science"],
            },
            {"ssId": None, "title": "T3"},
        ],
    )
    write_works(
        tmp_path / "participants.jsonl.gz",
        [
            {
                "authorId": "7",
                "name": "Ada Lovelace",
                "papers": [{"paperId": "s1"}, {"paperId": "s2"}, {"paperId": "s9"}],
            },
            {"authorId": "8", "name": None, "papers": [{"paperId": "s1"}]},
            {"authorId": "9", "papers": ["s1"]},
        ],
    )
    report = ReadReport()
    assert list(semanticscholar.read([tmp_path], report)) == [
        Paper("s1", "T1", "", None, (Authorship(Author("7", "Ada Lovelace")), Authorship(Author("8", "8")))),
        Paper(
            "s2", "T2", "A2", 2020, (Authorship(Author("7", "Ada")),), "V", "10.1/x", ("s1",), 4, ("Computer Science",)
        ),
    ]
    assert reasons(report) == [
        ("participants.jsonl.gz", 3, "papers: expected objects, received a string"),
        ("papers.jsonl.gz", 3, "paperId: missing"),
    ]
    assert report.unidentified_authors == 1
    alone = ReadReport()
    papers = list(semanticscholar.read([tmp_path / "papers.jsonl.gz"], alone))
    assert [len(paper.authorships) for paper in papers] == [0, 1]
    with pytest.raises(InputError, match="no such file"):
        list(semanticscholar.read([tmp_path], report, tmp_path / "nobody.jsonl"))


@pytest.mark.data
def test_the_gold_standard_reads_without_a_rejection():
    directory = data_dir() / "goldstandard"
    report = ReadReport()
    papers = list(semanticscholar.read([directory], report))
    owners = {authorship.author.id for paper in papers for authorship in paper.authorships}
    assert (len(papers), len(owners), report.rejected) == (3374, 58, 0)
    archives = directory / "openreview/d_20_1"
    assert len({author.author.id for paper in openreview.read(archives, report) for author in paper.authorships}) == 58
    assert len(read_submissions(archives / "submissions.json")) == 463
    assert report.rejected == 0
