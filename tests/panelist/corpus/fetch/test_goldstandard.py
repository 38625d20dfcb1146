"""The release of the gold standard: brought into the layout of the readers, or refused without a trace."""

import gzip
import json

import pytest
from fetch_support import RELEASE, archive

from panelist.corpus.fetch.sets.build import build_set
from panelist.corpus.readers import semanticscholar
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.http.client import FetchError


@pytest.fixture(autouse=True)
def mirror(server, monkeypatch):
    monkeypatch.setenv("PANELIST_MIRROR", server.url)


def read_gz(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_the_gold_standard_is_brought_into_the_layout_of_the_readers(server, client, tmp_path):
    body = archive(RELEASE)
    # As GitHub does it: the address of the archive is a redirection.
    server.answer = lambda path, query: (200, {}, body) if path == "/moved" else (302, {"Location": "/moved"}, b"")
    heard = []
    out = tmp_path / "gold"
    counts = build_set(client, "goldstandard", out, lambda done, total: heard.append((done, total)))
    assert heard[-1] == (len(body), len(body))
    assert counts == {"evaluations.csv": (3, 59), "papers.jsonl.gz": (2, 3_374), "participants.jsonl.gz": (1, 58)}
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) == [
        "evaluations.csv",
        "fulltexts.jsonl.gz",
        "openreview/d_20_1/archives/~7.jsonl",
        "openreview/d_20_1/submissions.json",
        "papers.jsonl.gz",
        "participants.jsonl.gz",
        "predictions.csv.gz",
        "profiles.jsonl.gz",
        "wordcounts.jsonl.gz",
    ]
    assert (out / "evaluations.csv").read_bytes() == RELEASE["data/evaluations.csv"]
    assert read_gz(out / "fulltexts.jsonl.gz") == [{"ssId": "s1", "text": "Full text \ufffd"}]
    assert read_gz(out / "wordcounts.jsonl.gz") == [{"ssId": "s1", "counts": {"full": 1}}]
    assert read_gz(out / "profiles.jsonl.gz") == [
        {"dataset": dataset, "reviewer": "7", "papers": ["s1"]} for dataset in ("d_20_1", "d_20_2")
    ]
    assert gzip.decompress((out / "predictions.csv.gz").read_bytes()).decode().splitlines() == [
        "algorithm,dataset,regime,reviewer,paper,score",
        "specter_mfr,d_20_1,ta,7,s2,0.5",
        "specter_mfr,d_20_1,ta,7,s3,0.25",
        "tpms,d_full_20_5,f,8,s3,2",
    ]
    report = ReadReport()
    papers = list(semanticscholar.read([out], report))
    assert [[authorship.author.id for authorship in paper.authorships] for paper in papers] == [["7"], []]
    assert [submission.id for submission in read_submissions(out / "openreview/d_20_1/submissions.json")] == ["s2"]
    assert report.rejected == 0


DAMAGED = {
    "cut off": (archive(RELEASE)[:-500], "cut off or damaged"),
    "cut off after the last file": (archive(RELEASE)[:-10], "cut off or damaged"),
    "not an archive": (b"<html>", "cut off or damaged"),
    "broken JSON": (archive(RELEASE | {"data/papers/s1.json": b"{"}), "cut off or damaged"),
    "another layout": (
        archive({"data/evaluations.csv": b""}),
        r"nothing .*papers\.jsonl\.gz, participants\.jsonl\.gz",
    ),
}


@pytest.mark.parametrize(("body", "message"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_release_leaves_everything_as_it_was(server, client, tmp_path, body, message):
    server.answer = lambda path, query: (200, {}, archive(RELEASE))
    build_set(client, "goldstandard", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    server.answer = lambda path, query: (200, {}, body)
    with pytest.raises(FetchError, match=message):
        build_set(client, "goldstandard", tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_download_that_breaks_is_tried_again(server, client, tmp_path):
    whole = archive(RELEASE)
    server.queue = [(200, {"Content-Length": str(len(whole))}, whole[:100]), (503, {}, b"")]
    server.answer = lambda path, query: (200, {}, whole)
    assert "papers.jsonl.gz" in build_set(client, "goldstandard", tmp_path)
