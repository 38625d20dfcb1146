"""Conferences over the wire: create, send files, be refused with line numbers, come back after a restart."""

import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import pytest
import web_support
from conference_support import openreview_folder, zipped
from panel_support import at, paper
from waiting import finished, until
from web_support import api_of, make_workspace, pdf, running, start_service

from panelist.app import limits
from panelist.app.web.routes.conference import scores as scoring

SUPPORT = Path(web_support.__file__).parent
BINARY = {"Content-Type": "application/octet-stream"}


@pytest.fixture
def made(api):
    return api.post("conferences", json={"name": "Invented 2026"}, params={"who": "Ada"}).json()


def send(api, made, kind, content, name="", **params):
    path = f"conferences/{made['id']}/files/{kind}"
    return api.put(path, content=content, headers=BINARY, params={"name": name, **params})


def test_a_conference_is_made_renamed_listed_and_forgotten(api, made):
    assert made["revision"] == 1
    assert made["id"] in [one["id"] for one in api.get("conferences").json()]
    path = f"conferences/{made['id']}"
    renamed = api.patch(path, json={"name": "Another"}, params={"revision": 1}).json()
    assert (renamed["name"], renamed["revision"]) == ("Another", 2)
    refused = api.patch(path, json={"name": "Third"}, params={"revision": 1})
    assert refused.status_code == 409
    assert "was changed meanwhile: renamed by somebody" in refused.json()["detail"]
    events = api.get(f"{path}/events").json()
    assert [(one["kind"], one["who"]) for one in events] == [("renamed", ""), ("created", "Ada")]
    assert api.delete(path).status_code == 204
    assert api.get(path).status_code == 404
    assert api.get("conferences/none-such").json()["detail"].startswith("there is no conference 'none-such'")


def test_files_are_checked_and_listed_with_what_is_odd(api, made):
    answer = send(api, made, "openreview", zipped(openreview_folder()), "venue.zip", who="Ada", revision=1)
    assert answer.status_code == 200, answer.text
    files = {one["kind"]: one for one in answer.json()["files"]}
    assert files["submissions"]["summary"] == "4 submissions"
    assert files["submissions"]["odd"][0]["count"] == 4  # names only
    answer = send(api, made, "constraints", b"s0,~Rev_01\ns9,~Rev_01\n", "conflicts.csv")
    files = {one["kind"]: one for one in answer.json()["files"]}
    assert files["constraints"]["odd_beside_others"][0]["where"] == [{"line": 2, "text": "s9", "file": ""}]
    assert answer.json() == api.get(f"conferences/{made['id']}/files").json()
    answer = api.post(f"conferences/{made['id']}/files/constraints/known")
    assert answer.json()["files"][-1]["odd_beside_others"] == []
    assert api.get(f"conferences/{made['id']}/files/constraints").text == "s0,~Rev_01,-1\n"
    assert api.get(f"conferences/{made['id']}/files/bids").status_code == 404
    assert api.delete(f"conferences/{made['id']}/files/bids").status_code == 404


def test_pdfs_beside_the_submissions_say_what_is_cited(api, made):
    line = "{}. Hopper G. Of compilers that a machine can read {}. Journal of Machines, 1952."
    paper = pdf((18, "On machines"), (12, "References"), *((10, line.format(number, number)) for number in (1, 2, 3)))
    members = {**openreview_folder(), "venue/s0.pdf": paper, "venue/s1.pdf": b"damaged"}
    answer = send(api, made, "openreview", zipped(members), "venue.zip")
    assert answer.status_code == 200, answer.text
    files = {one["kind"]: one for one in answer.json()["files"]}
    assert files["submissions"]["summary"] == "4 submissions, 1 with references"
    (odd,) = (one for one in files["submissions"]["odd"] if one["what"].startswith("PDF files without references"))
    assert odd["where"][0]["text"].startswith("cannot read references from 's1.pdf': this is not a PDF file")
    kept = api.get(f"conferences/{made['id']}/files/submissions").text
    assert "G Hopper. Of compilers that a machine can read 3. 1952" in kept


def test_what_is_refused_names_its_lines_and_changes_nothing(api, made):
    before = api.get(f"conferences/{made['id']}/files").json()
    answer = send(api, made, "submissions", b"id,title,abstract\ns1,,\ns2,A,B\ns2,A,B\n", "submissions.csv")
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        {"field": "submissions.csv, line 2", "message": "neither title nor abstract"},
        {"field": "submissions.csv, line 4", "message": "the id 's2' comes twice"},
    ]
    answer = send(api, made, "scores", b"a,b\n")
    assert answer.json()["detail"] == "scores.csv, line 1: expected paper,reviewer,score, received 2 fields"
    assert send(api, made, "openreview", zipped({"../evil": "x"}), "a.zip").status_code == 422
    assert api.get(f"conferences/{made['id']}/files").json() == before
    assert len(api.get(f"conferences/{made['id']}/events").json()) == 1


def test_other_types_and_bodies_that_are_too_large_are_refused(api, made, workspace):
    path = f"conferences/{made['id']}/files/scores"
    assert api.put(path, content=b"a,b,1\n", headers={"Content-Type": "text/plain"}).status_code == 415
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(limits, "CONFERENCE_FILE", 1000)
        answer = send(api, made, "scores", b"p,r,1\n" * 1000)
    assert answer.status_code == 413
    assert not list((workspace.path / "blobs").glob(".*"))
    assert send(api, {"id": "none"}, "scores", b"p,r,1\n").status_code == 404
    assert send(api, made, "nonsense", b"p,r,1\n").status_code == 422


def test_everything_is_there_after_a_restart_and_in_the_export(workspace):
    service = start_service(workspace)
    with running(service) as address, api_of(address) as api:
        made = api.post("conferences", json={"name": "Kept"}).json()
        send(api, made, "scores", b"p1,r1,0.5\n")
    with running(start_service(workspace)) as address, api_of(address) as api:
        assert api.get(f"conferences/{made['id']}").json()["revision"] == 2
        files = api.get(f"conferences/{made['id']}/files").json()["files"]
        assert [one["summary"] for one in files] == ["1 score of 1 paper and 1 reviewer"]
        export = api.get(f"conferences/{made['id']}/export")
        assert export.headers["content-type"] == "application/zip"
        assert export.content.startswith(b"PK")


def wait_for_scores(api, made, **settings):
    begun = api.post(f"conferences/{made['id']}/score", json=settings, params={"who": "Ada"})
    assert begun.status_code == 202, begun.text
    finished(lambda: api.get(f"conferences/{made['id']}/score").json()["job"])
    return api.get(f"conferences/{made['id']}/score").json()


def certain_pairs(api, made):
    rows = api.get(f"conferences/{made['id']}/conflicts").json()["rows"]
    return {(row["conflict"]["submission"], row["conflict"]["reviewer"]) for row in rows if row["conflict"]["certain"]}


def test_conflicts_are_found_of_papers_that_come_with_scores_alone(api, made):
    assert send(api, made, "committee", b"a0\na1\na2\n", "committee.txt").status_code == 200
    assert certain_pairs(api, made) == set()
    for key in ("p0", "p1"):  # other scores are of other papers
        scores = "".join(f"{key},a{who},.{who + 1}\n" for who in range(3))
        assert send(api, made, "scores", scores.encode(), "scores.csv").status_code == 200
        assert certain_pairs(api, made) == {(key, f"a{key[1]}")}


def test_conflicts_are_found_of_whoever_and_whatever_has_scores_beside_the_other_files(api, made):
    sent = b"id,title,abstract,authors\n1,Unseen,None.,a2\n"
    assert send(api, made, "submissions", sent, "submissions.csv").status_code == 200
    assert send(api, made, "committee", b"a0\na1\n", "committee.txt").status_code == 200
    scores = "".join(f"{key},a{who},.{who + 1}\n" for key in ("1", "p0") for who in range(3))
    assert send(api, made, "scores", scores.encode(), "scores.csv").status_code == 200
    assert send(api, made, "constraints", b"p0,a1,-1\n", "conflicts.csv").status_code == 200
    assert certain_pairs(api, made) == {("1", "a2"), ("p0", "a0"), ("p0", "a1")}


def test_who_is_settled_as_somebody_else_may_be_the_author_again(api, made):
    sent = b"id,title,abstract,authors\ns1,Unseen,None.,Zoe Zimmer\n"
    path = f"conferences/{made['id']}"
    assert send(api, made, "submissions", sent, "submissions.csv").status_code == 200
    assert send(api, made, "committee", b"name,email\nZoe Zimmer,zoe@z.org\n", "pc.csv").status_code == 200
    assert api.post(f"{path}/committee", json={"settled": {"zoe@z.org": ["a0"]}}).status_code == 200
    other = {"action": "distinguish", "namesakes": [["zoe@z.org", "Zoe Zimmer"]]}
    assert api.post(f"{path}/changes", json=other).status_code == 200

    def possible():
        rows = api.get(f"{path}/conflicts").json()["rows"]
        return [row["conflict"]["submission"] for row in rows if row["conflict"]["possible"]]

    before = possible()
    assert "s1" not in before
    assert api.post(f"{path}/committee", json={"settled": {"zoe@z.org": ["a0"]}}).status_code == 200
    assert possible() == before
    assert api.post(f"{path}/committee", json={"settled": {"zoe@z.org": ["a1"]}}).status_code == 200
    assert "s1" in possible()


def test_a_conference_is_scored_and_looked_at_in_slices(api, made):
    assert api.get(f"conferences/{made['id']}/scores").status_code == 404
    refused = api.post(f"conferences/{made['id']}/score", json={})
    assert refused.json()["detail"] == "add the submissions and the committee on the page Files first"
    send(api, made, "openreview", zipped(openreview_folder(submissions=8, reviewers=10)), "venue.zip")
    state = wait_for_scores(api, made, model="bm25", keep=4)
    assert (state["job"]["state"], state["job"]["result"], state["settings"]["keep"]) == ("done", None, 4)
    path = f"conferences/{made['id']}"
    summary = api.get(f"{path}/scores").json()
    assert (summary["papers"], summary["reviewers"], summary["computed"], summary["stale"]) == (8, 10, True, False)
    papers = api.get(f"{path}/papers", params={"offset": 2, "limit": 3}).json()
    assert (papers["total"], [row["id"] for row in papers["rows"]]) == (8, ["s2", "s3", "s4"])
    assert api.get(f"{path}/scores", params={"threshold": 1e9}).json()["unwanted"] == 10
    pairs = api.get(f"{path}/scores/pairs", params={"of": "paper", "id": "s1"}).json()
    best = pairs["rows"][0]
    assert best["rank"] == 1
    assert best["reviewer"] in ("~Rev_11", "~Rev_51", "~Rev_91")
    why = api.get(f"{path}/scores/why", params={"paper": "s1", "reviewer": best["reviewer"]}).json()
    assert (why["score"], why["rank"], why["profile"]) == (best["score"], 1, 3)
    assert "galaxies" in [term for paper in why["papers"] for term in paper["terms"]]
    plot = api.get(f"{path}/scores/plot").json()
    assert sorted(plot["papers"]) == sorted(f"s{i}" for i in range(8))
    assert plot["third"] == sorted(plot["third"], reverse=True)
    assert api.get(f"{path}/scores/pairs", params={"of": "paper", "id": "nope"}).status_code == 404
    assert api.get(f"{path}/files/scores").text.count("\n") == summary["pairs"]
    (submitted,) = [one for one in api.get(f"{path}/files").json()["files"] if one["kind"] == "scores"]
    assert submitted["summary"] == summary["summary"]
    send(api, made, "constraints", b"s1,~Rev_11\n", "conflicts.csv")
    assert api.get(f"{path}/scores").json()["stale"] is False  # conflicts are no part of scores
    assert api.get(f"{path}/conflicts", params={"search": "declared"}).json()["certain"] == 1
    send(api, made, "submissions", b"id,title,abstract\ns1,A,B\n", "submissions.csv")
    assert api.get(f"{path}/scores").json()["stale"] is True


@pytest.fixture
def held_scoring(monkeypatch):
    """Scoring that says when it has begun, and waits until it may go on."""
    entered, leave = threading.Event(), threading.Event()
    real = scoring.score

    def held(*arguments):
        entered.set()
        assert leave.wait(300)
        return real(*arguments)

    monkeypatch.setattr(scoring, "score", held)
    return entered, leave


def test_scoring_is_cancelled_and_two_at_once_are_refused(api, made, held_scoring):
    send(api, made, "openreview", zipped(openreview_folder()), "venue.zip")
    entered, leave = held_scoring
    path = f"conferences/{made['id']}/score"
    assert api.post(path, json={"model": "bm25"}).status_code == 202
    assert entered.wait(300)
    assert "being scored already" in api.post(path, json={"model": "bm25"}).json()["detail"]
    api.delete(path)
    leave.set()
    assert finished(lambda: api.get(path).json()["job"])["state"] == "cancelled"
    assert "scores" not in api.get(f"conferences/{made['id']}").json()["files"]


def test_a_conference_that_is_forgotten_while_it_is_scored_stops_the_job(api, made, held_scoring, workspace):
    send(api, made, "openreview", zipped(openreview_folder()), "venue.zip")
    entered, leave = held_scoring
    job = api.post(f"conferences/{made['id']}/score", json={"model": "bm25"}).json()["job"]["id"]
    assert entered.wait(300)
    assert api.delete(f"conferences/{made['id']}").status_code == 204
    leave.set()
    until(lambda: api.get(f"jobs/{job}").status_code == 404)  # nothing is kept of it either
    assert not (workspace.path / "jobs" / job).exists()
    assert not (workspace.path / "work" / made["id"]).exists()


SERVE = """
import sys
sys.path.insert(0, {support!r})
from pathlib import Path
from web_support import running, start_service
from panelist.workspace import Workspace
import retriever.affinity.model as model, time
model.spans.__defaults__ = (8,)
real = model.spans
def slow(blocks):
    for span in real(blocks):
        yield span
        if {slow}: time.sleep(3600)  # until it is killed
import retriever.affinity.sparse as sparse
sparse.spans = slow
with running(start_service(Workspace.at(Path({workspace!r})))) as address:
    print(address, flush=True)
    sys.stdin.read()
"""


def test_a_server_that_is_killed_while_it_scores_goes_on_where_it_was(tmp_path):
    workspace = make_workspace(tmp_path / "own", [paper("p1", at("a1"))])

    def serve(slow):
        program = SERVE.format(support=str(SUPPORT), workspace=str(workspace.path), slow=slow)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        return subprocess.Popen([sys.executable, "-c", program], **pipes)

    def ask(server):
        return api_of(server.stdout.readline().strip())

    with serve(slow=True) as first, ask(first) as api:
        made = api.post("conferences", json={"name": "Killed"}).json()
        send(api, made, "openreview", zipped(openreview_folder()), "venue.zip")
        api.post(f"conferences/{made['id']}/score", json={"model": "bm25"})
        until(lambda: list((workspace.path / "work" / made["id"]).glob("blocks-*/*.npz")))
        first.kill()
    with serve(slow=False) as second, ask(second) as api:
        state = api.get(f"conferences/{made['id']}/score").json()
        assert state["job"]["state"] == "lost"
        assert "send it again" in state["job"]["error"]
        assert wait_for_scores(api, made, **state["settings"])["job"]["state"] == "done"
        assert api.get(f"conferences/{made['id']}/scores").json()["pairs"] == 24
        second.stdin.close()


@pytest.mark.data
def test_the_gold_standard_as_a_new_chair_would_try_it(api, made, data_dir):
    root = data_dir / "goldstandard" / "openreview" / "d_20_1"
    members = {str(path.relative_to(root.parent)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    answer = send(api, made, "openreview", zipped(members), "d_20_1.zip")
    assert answer.status_code == 200, answer.text
    files = {one["kind"]: one["summary"] for one in answer.json()["files"]}
    assert files["submissions"].startswith("463 submissions")
    assert files["committee"].startswith("58 reviewers with")
    state = wait_for_scores(api, made, model="bm25")
    assert state["job"]["state"] == "done", state
    summary = api.get(f"conferences/{made['id']}/scores").json()
    assert (summary["papers"], summary["reviewers"]) == (463, 58)
    row = api.get(f"conferences/{made['id']}/papers", params={"limit": 1}).json()["rows"][0]
    pair = api.get(f"conferences/{made['id']}/scores/pairs", params={"of": "paper", "id": row["id"]}).json()["rows"][0]
    why = api.get(f"conferences/{made['id']}/scores/why", params={"paper": row["id"], "reviewer": pair["reviewer"]})
    assert why.json()["papers"][0]["terms"]


@pytest.mark.data
def test_the_scores_of_aamas_2021_are_enough(api, made, data_dir):
    (path,) = (data_dir / "assignment").glob("aamas2021*.csv*")
    answer = send(api, made, "scores", path.read_bytes(), path.name)
    assert answer.status_code == 200, answer.text
    summary = api.get(f"conferences/{made['id']}/scores").json()
    assert (summary["papers"], summary["reviewers"], summary["computed"]) == (526, 596, False)
    assert api.get(f"conferences/{made['id']}/people", params={"limit": 200}).json()["total"] == 596


def test_pages_carry_the_id_and_nothing_that_could_run(address):
    page = httpx2.get(f"{address}/conferences/abc", timeout=300).text
    assert '<a href="/conferences/abc" aria-current="page">Papers</a>' in page
    assert '<a href="/conferences" aria-current="true">Conferences</a>' in page
    evil = httpx2.get(f"{address}/conferences/%22%3E%3Cscript%3E", timeout=300).text
    assert "<script>" not in evil
