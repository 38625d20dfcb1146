"""Conferences over the wire: create, send files, be refused with line numbers, come back after a restart."""

import httpx
import pytest
from conference_support import openreview_folder, zipped
from panel_support import at, paper
from web_support import make_workspace, running, start_service

from panelist.app.web import limits

BINARY = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper(f"p{i}", at(f"a{i}")) for i in range(4)])


@pytest.fixture(scope="module")
def address(workspace):
    with running(start_service(workspace, seconds=3600)) as address:
        yield address


@pytest.fixture
def api(address):
    with httpx.Client(base_url=f"{address}/api/v1/", timeout=60) as client:
        yield client


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
    assert list((workspace.path / "conferences" / made["id"]).iterdir()) == []
    assert send(api, {"id": "none"}, "scores", b"p,r,1\n").status_code == 404
    assert send(api, made, "nonsense", b"p,r,1\n").status_code == 422


def test_everything_is_there_after_a_restart_and_in_the_export(workspace):
    service = start_service(workspace, seconds=3600)
    with running(service) as address, httpx.Client(base_url=f"{address}/api/v1/") as api:
        made = api.post("conferences", json={"name": "Kept"}).json()
        send(api, made, "scores", b"p1,r1,0.5\n")
    with running(start_service(workspace, seconds=3600)) as address, httpx.Client(base_url=f"{address}/api/v1/") as api:
        assert api.get(f"conferences/{made['id']}").json()["revision"] == 2
        files = api.get(f"conferences/{made['id']}/files").json()["files"]
        assert [one["summary"] for one in files] == ["1 score of 1 paper and 1 reviewer"]
        export = api.get(f"conferences/{made['id']}/export")
        assert export.headers["content-type"] == "application/zip"
        assert export.content.startswith(b"PK")


def test_pages_carry_the_id_and_nothing_that_could_run(address):
    page = httpx.get(f"{address}/conferences/abc").text
    assert '<a href="/conferences/abc" aria-current="page">Files</a>' in page
    assert '<a href="/conferences" aria-current="true">Conferences</a>' in page
    evil = httpx.get(f"{address}/conferences/%22%3E%3Cscript%3E").text
    assert "<script>" not in evil
