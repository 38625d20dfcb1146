"""What is forgotten over the wire leaves no byte in the workspace, and what a killed server left undone is done."""

import os
from pathlib import Path

import pytest
from conference_support import left_over
from desk_support import Chair, kept_submission, whole_conference
from panel_support import at, paper
from web_support import api_of, make_workspace, running, start_service

from panelist.app.desk.conference.changes import Conferences

WORD = "quizzacious"


@pytest.fixture
def workspace(tmp_path):
    return make_workspace(tmp_path / "own", [paper(f"p{i}", at(f"a{i}")) for i in range(4)])


@pytest.fixture
def api(workspace):
    with running(start_service(workspace)) as address, api_of(address) as api:
        yield api


def holding(workspace, *words):
    """The files of a workspace in which one of these words stands, or whose name has it."""
    files = [path for path in workspace.path.rglob("*") if path.is_file()]
    return [
        path.name
        for path in files
        if any(word in path.name or word.encode() in path.read_bytes().replace(b"\0", b"") for word in words)
    ]


def test_a_conference_and_a_submission_leave_no_byte(api, workspace):
    chair = whole_conference(api, f"Conference on {WORD}", WORD)
    kept = kept_submission(api, "a1", WORD)
    held = holding(workspace, WORD)
    assert {".jsonl", ".csv", ".json"} <= {Path(name).suffix for name in held}
    assert any(name.startswith("desk.sqlite") for name in held)
    assert any((workspace.path / "jobs").glob("*/job.json"))
    assert api.delete(chair.path).status_code == 204
    assert api.delete(f"submissions/{kept}").status_code == 204
    assert api.delete("desk/people/a1").json()["notes"] == 1
    assert holding(workspace, WORD, "~Rev_", chair.id, kept) == []
    assert not any(path.is_file() for path in (workspace.path / "blobs").rglob("*"))
    assert list((workspace.path / "jobs").glob("*/job.json")) == []


def test_a_person_is_forgotten_in_the_history_and_the_answer_says_where_they_still_are(api, workspace):
    chair = Chair(api)
    chair.send("scores", b"p1,a1,.5\np1,a12,.4\np1,a3,.3\np2,a1,.2\np2,a12,.1\np2,a3,.3\n", "scores.csv")
    chair.post("/changes", {"action": "replace", "paper": "p1", "reviewer": "a1", "other": "a12"}, who="Ada")
    chair.post("/changes", {"action": "quota", "quotas": {"a1": 1, "a3": 2}})
    chair.post("/changes", {"action": "decline", "paper": "p2", "reviewer": "a12"})
    gone = api.delete("desk/people/a1").json()
    assert (gone["notes"], gone["lists"], gone["changes"]) == (0, 0, 2)
    assert gone["still"] == [
        {"conference": chair.id, "name": "Invented", "files": ["conflicts", "constraints.csv", "scores.csv"]}
    ]
    events = {one["kind"]: one for one in chair.get("/events")}
    assert events["replace"]["detail"]["words"] == "p1: a12 instead of somebody who was forgotten"
    assert events["replace"]["detail"]["pairs"] == [["p1", "", -1], ["p1", "a12", 1]]
    assert chair.api.get(f"{chair.path}/files/constraints").text == "p1,a1,-1\n"  # what keeps them off stays
    assert events["replace"]["who"] == "Ada"
    assert events["quota"]["detail"]["quotas"] == {"": 1, "a3": 2}
    assert events["decline"]["detail"]["words"] == "a12 declined p2"
    assert "hold no longer" in events["forgot"]["detail"]["words"]
    assert b'"a1"' not in b"".join(path.read_bytes() for path in workspace.path.glob("desk.sqlite*"))
    assert chair.solve(demand=1)["state"] == "done"
    assert api.delete("desk/people/a1").json()["changes"] == 0


def test_what_a_killed_server_had_not_deleted_yet_is_deleted_later(api, workspace):
    gone, kept = Chair(api, "gone"), Chair(api, "kept")
    gone.send("quotas", b"r1,5\n", "quotas.csv")
    kept.send("scores", b"p1,r1,.5\n", "scores.csv")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Conferences, "collect", lambda *_, **__: [])  # killed after its rows were deleted
        assert api.delete(gone.path).status_code == 204
    (left,) = left_over(workspace.path)
    os.utime(left, (1, 1))
    with running(start_service(workspace)):
        assert not left.exists()
    assert kept.get("/files")["files"][0]["kind"] == "scores"
