"""Files that no chair should send: one clear line and a 4xx each, nothing half-accepted, nothing left behind."""

import csv
import gzip
import io
import json
from zipfile import ZipFile

import pytest
from conference_support import left_over, zipped
from desk_support import Chair

KINDS = ("submissions", "committee", "constraints", "bids", "quotas", "demands", "reviewers", "scores", "openreview")
NAMES = {"submissions": "submissions.csv", "committee": "committee.csv", "openreview": "venue.zip"}
BAD = {
    "nothing": b"",
    "an empty line": b"\n",
    "zeros": b"\0\0\0\0",
    "anything": bytes(range(256)) * 10,
    "no encoding": b"s1,M\x81ller,\x8dtude\n",
    "UTF-16 without its mark": "s1,r1,-1\n".encode("utf-16-le"),
    "a page": b"<html><body>Log in first</body></html>",
    "a PDF": b"%PDF-1.4 no table",
    "a workbook": zipped({"[Content_Types].xml": "x", "xl/workbook.xml": "x"}),
    "a long line": b"a" * 300_000,
    "an open quotation": b'p1,"r1,.5\np2,r2,.3\n',
    "packed twice": gzip.compress(gzip.compress(b"p,r,1\n")),
    "cut off": gzip.compress(b"p,r,1\n" * 1000)[:-20],
    "many columns": b"," * 10_000,
    "reordered": "p\N{RIGHT-TO-LEFT OVERRIDE}1,r1,1,x\n".encode(),
    "a line break": b'"p\n1","r1",1\n',
}
ARCHIVES = {
    "elsewhere": {"../../evil": "x"},
    "absolute": {"/etc/evil": "x"},
    "backslashes": {"..\\evil": "x"},
    "nothing of use": {"readme.txt": "x"},
    "an archive": {"a.zip": zipped({"submissions.json": "{}"})},
    "no JSON": {"submissions.json": "{"},
    "null": {"submissions.json": "null"},
    "deep": {"submissions.json": "[" * 100_000},
    "half": {
        "submissions.json": '{"s1": {"id": "s1", "content": {"title": {"value": "T"}}}}',
        "archives/~A1.jsonl": "no",
    },
}


def refused(answer):
    assert 400 <= answer.status_code < 500, answer.text
    line = answer.json()["detail"]
    assert line
    assert "\n" not in line
    assert "Traceback" not in line
    return line


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_the_file_is_refused_in_one_line_and_leaves_nothing(api, workspace, kind):
    chair, before = Chair(api), left_over(workspace.path)
    for name, content in BAD.items():
        answer = chair.send(kind, content, NAMES.get(kind, f"{kind}.csv"))
        line = refused(answer)
        assert str(workspace.path) not in line, name
    assert chair.get()["revision"] == 1
    assert chair.get("/files")["files"] == []
    assert left_over(workspace.path) == before


def test_archives_that_lead_elsewhere_or_burst_are_refused(api, workspace):
    chair, before = Chair(api), left_over(workspace.path)
    for members in ARCHIVES.values():
        assert str(workspace.path) not in refused(chair.send("openreview", zipped(members), "venue.zip"))
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("submissions.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("submissions.json", "{}")
    assert "two files of the name" in refused(chair.send("openreview", file.getvalue(), "venue.zip"))
    damaged = bytearray(zipped({"submissions.json": "{}"}))
    damaged[len(damaged) // 2] ^= 0xFF
    refused(chair.send("openreview", bytes(damaged), "venue.zip"))
    assert not list(workspace.path.rglob("*evil*"))
    assert left_over(workspace.path) == before


def test_a_workbook_is_named_as_such(api):
    chair = Chair(api)
    for kind in ("scores", "bids", "reviewers"):
        assert "is an Excel workbook or a zip file" in refused(chair.send(kind, BAD["a workbook"], f"{kind}.xlsx"))


STRANGE = (
    'a"b',
    "o'hare",
    "=cmd()",
    "<script>alert(1)</script>",
    "x,y",
    "🦜",
    "%2e%2e/",
    "a/b",
    "../../x",
    "-1",
    "@x y",
    "é",
)


def test_strange_ids_go_the_whole_way_and_no_spreadsheet_runs_them(api):
    chair = Chair(api)
    out = io.StringIO()
    rows = [(p, r, ((7 * i + 3 * j) % 11) / 11) for i, p in enumerate(STRANGE) for j, r in enumerate(STRANGE)]
    csv.writer(out).writerows(rows)
    assert chair.send("scores", out.getvalue().encode(), "../../etc/scores.csv").status_code == 200
    assert chair.get("/files")["files"][0]["name"] == "scores.csv"
    assert chair.solve()["state"] == "done"
    chair.post("/solutions/1/choose", who="=cmd()")
    for one in STRANGE:
        assert len(chair.get("/scores/pairs", of="paper", id=one)["rows"]) == len(STRANGE)
        assert len(chair.get("/paper", id=one)["reviewers"]) == 2
    paper, who = chair.pairs(1)[0]
    chair.post("/changes", {"action": "forbid", "paper": paper, "reviewer": who}, who='"; DROP TABLE conference; --')
    assert (paper, who) not in chair.pairs(chair.solve(keep=True)["number"])

    def export(form):
        return api.get(f"{chair.path}/solutions/1/export", params={"format": form, "pending": "leave"}).text

    assert {tuple(row[:2]) for row in csv.reader(io.StringIO(export("csv")))} == set(chair.pairs(1))
    assert set(json.loads(export("openreview"))["assignments"]) == set(STRANGE)
    assert all(len(line.split()) == 6 for line in export("run").splitlines())
    assert "<script>alert" not in export("report")
    tables = [export("people"), api.get(f"{chair.path}/events/export").text]
    for table in tables:
        cells = [cell for row in csv.reader(io.StringIO(table.removeprefix("\ufeff"))) for cell in row]
        assert not [cell for cell in cells if cell[:1] in tuple("=+@\t\r") and cell]
    texts = 'paper,reviewer,score,text\n"a""b",=cmd(),5,"=HYPERLINK(1) is the text of a review that is long enough."\n'
    assert chair.send_reviews("texts", texts.encode()).status_code == 200
    chair.check()
    for kind in ("authors", "sentences", "chair"):
        table = api.get(f"{chair.path}/reviews/export", params={"kind": kind}).text
        assert not [cell for row in csv.reader(io.StringIO(table)) for cell in row if cell[:1] in ("=", "+", "@")]


@pytest.mark.parametrize("kind", ["texts", "scores"])
def test_reviews_that_cannot_be_read_are_refused(api, kind):
    chair = Chair(api)
    chair.send("scores", b"p1,r1,.5\n", "scores.csv")
    for content in BAD.values():
        refused(chair.send_reviews(kind, content))
    assert chair.get()["revision"] == 2
    assert chair.get("/reviews")[kind] is None


def test_a_million_lines_are_read_or_refused_by_the_line_that_is_wrong(api):
    chair = Chair(api)
    lines = "".join(f"p{i // 1000},r{i % 1000},{i * 7919 % 1000 / 1000}\n" for i in range(1_000_000)).encode()
    assert chair.send("scores", lines, "scores.csv").status_code == 200
    assert refused(chair.send("scores", lines + b"x\n", "scores.csv")).startswith("scores.csv, line 1,000,001: ")
    many = "id,title,abstract\n" + "".join(f"s{i},T,A\n" for i in range(30_001))
    assert "more than 30,000 submissions" in refused(chair.send("submissions", many.encode(), "submissions.csv"))
    assert chair.get("/scores")["pairs"] == 1_000_000
    assert chair.get()["revision"] == 2
