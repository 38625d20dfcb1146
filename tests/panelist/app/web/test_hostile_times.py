"""Two tabs, a conference that is gone, no token, a full disk, a killed server: nothing is lost, and it is said."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
import web_support
from conference_support import open_conferences
from desk_support import BINARY, CSV, TEXT, Chair, kept_submission, whole_conference
from panel_support import at, paper
from waiting import finished, until
from web_support import api_of, make_workspace, running, start_service

SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(6) for j in range(5)).encode()


def test_of_two_tabs_that_change_the_same_pair_one_is_told_what_happened(api):
    chair = Chair(api)
    chair.send("scores", SCORES, "scores.csv")
    revision = chair.get()["revision"]

    def change(action):
        body = {"action": action, "paper": "p0", "reviewer": "r0"}
        return api.post(f"{chair.path}/changes", json=body, params={"revision": revision, "who": action})

    with ThreadPoolExecutor(2) as tabs:
        answers = list(tabs.map(change, ("lock", "forbid")))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (told,) = [answer.json()["detail"] for answer in answers if answer.status_code == 409]
    (made,) = [one for one in chair.get("/events") if one["kind"] in ("lock", "forbid")]
    assert f"was changed meanwhile: {made['kind']} by {made['who']}" in told
    (held,) = chair.get("/assignment")["changes"]
    assert held["number"] == made["number"]


def test_every_route_of_a_conference_that_was_forgotten_in_another_tab_says_so(api):
    chair = whole_conference(api)
    assert api.delete(chair.path).status_code == 204
    read = (
        "/files /files/submissions /score /scores /papers /scores/plot /events /events/export /export "
        "/assignment /solutions/1 /solutions/1/pairs /solutions/1/export /solutions/1/why?paper=s0&reviewer=r /reviews "
        "/reviews/checked /reviews/export /calibration /calibration/report /paper?id=s0"
    )
    begin = ("/score", "/solutions", "/solutions/1/choose", "/solutions/1/again", "/reviews/check", "/calibration")
    asked = [
        *(("GET", path, {}) for path in ("", *read.split())),
        *(("POST", path, {"json": {}}) for path in (*begin, "/changes/1/undo", "/files/bids/known")),
        *(("DELETE", path, {}) for path in ("", "/files/scores", "/solutions/1", "/score")),
        ("POST", "/changes", {"json": {"action": "lock", "paper": "s0", "reviewer": "r"}}),
        ("PUT", "/files/scores", {"content": SCORES, "headers": BINARY}),
        ("PUT", "/reviews/texts", {"content": b"x", "headers": CSV}),
        ("PATCH", "", {"json": {"name": "x"}}),
    ]
    for method, path, more in asked:
        answer = api.request(method, f"{chair.path}{path}", **more)
        assert answer.status_code == 404, (method, path, answer.text)
        assert answer.json()["detail"].startswith("there is no conference"), (method, path)


def test_forgetting_while_others_read_and_write_ends_in_answers_not_in_faults(api, workspace):
    chair = whole_conference(api)

    def ask(number):
        paths = ("/files", "/assignment", "/reviews/checked", "/paper?id=s0", "/papers", "/export")
        if number % 4 == 3:
            return chair.send("scores", SCORES, "scores.csv")
        return api.get(f"{chair.path}{paths[number % len(paths)]}")

    with ThreadPoolExecutor(6) as tabs:
        asked = [tabs.submit(ask, number) for number in range(40)]
        assert api.delete(chair.path).status_code == 204
        answers = [one.result() for one in asked]
    assert {answer.status_code for answer in answers} <= {200, 404, 503}
    assert open_conferences(workspace.path).check() == []


def test_without_the_token_nothing_is_told_or_taken(workspace):
    with running(start_service(workspace), token="a-long-enough-secret") as address:
        with api_of(address, headers={"Authorization": "Bearer a-long-enough-secret"}) as api:
            chair = Chair(api)
            chair.send("scores", SCORES, "scores.csv")
        for headers in ({}, {"Authorization": "Bearer wrong"}):
            with api_of(address, headers=headers) as api:
                for answer in (
                    api.get(chair.path),
                    api.get(f"{chair.path}/export"),
                    api.delete(chair.path),
                    api.put(f"{chair.path}/files/scores", content=SCORES, headers=BINARY),
                    api.get("desk/export"),
                    api.delete("desk/people/a1"),
                ):
                    assert (answer.status_code, "token" in answer.json()["detail"]) == (401, True)
        assert open_conferences(workspace.path).get(chair.id).revision == 2


SERVE = """
import sys
sys.path.insert(0, {support!r})
import resource, time
from pathlib import Path
from web_support import running, start_service
from panelist.workspace import Workspace
import panelist.app.desk.conference.outcomes as solving
import panelist.app.desk.conference.reviewing.checking as checking
def slowed(real):
    def slow(*given):
        time.sleep({pause})
        return real(*given)
    return slow
solving.solve, checking._check = slowed(solving.solve), slowed(checking._check)
with running(start_service(Workspace.at(Path({workspace!r})))) as address:
    if {most}:
        resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
    print(address, flush=True)
    sys.stdin.read()
"""


@contextmanager
def served(workspace, pause=0.0, most=0):
    """A server in a process of its own, whose jobs take their time, or which can write only small files."""
    support = str(Path(web_support.__file__).parent)
    program = SERVE.format(support=support, workspace=str(workspace.path), pause=pause, most=most)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", program], **pipes) as server:
        address = server.stdout.readline().strip()
        with api_of(address) as api:
            yield server, api
        server.stdin.close()


@pytest.fixture
def own(tmp_path):
    return make_workspace(tmp_path / "own", [paper("p1", at("a1"))])


def test_jobs_of_a_killed_server_say_that_they_are_lost_and_are_done_again(own):
    with served(own) as (_, api):
        chair = Chair(api)
        chair.send("scores", SCORES, "scores.csv")
        assert chair.solve()["state"] == "done"
        chair.post("/solutions/1/choose")
        rows = "".join(f'{one},{who},5,"{TEXT}"\n' for one, who in chair.pairs(1))
        chair.send_reviews("texts", f"paper,reviewer,score,text\n{rows}".encode())
        before = chair.get("/events")
    with served(own, pause=3600.0) as (server, api):
        chair.api = api
        assert chair.post("/solutions", {"settings": {"demand": 2}})["number"] == 2
        until(lambda: chair.get("/solutions/2")["state"] == "running")
        assert chair.post("/reviews/check")["state"] == "waiting"
        server.kill()
    with served(own) as (_, api):
        chair.api = api
        assert chair.get("/events") == before
        assert chair.get("/solutions/1")["chosen"]
        assert chair.get("/solutions/2")["state"] == "lost"
        assert chair.get("/reviews")["check"]["state"] == "lost"
        chair.post("/solutions/2/again")
        assert finished(lambda: chair.get("/solutions/2"))["state"] == "done"
        assert chair.check() == "done"


def test_a_full_disk_keeps_what_was_there_and_says_what_to_do(own):
    with served(own) as (_, api):
        chair = Chair(api)
        chair.send("scores", SCORES, "scores.csv")
        kept = kept_submission(api, "a1")
    with served(own, most=40_000) as (_, api):
        chair.api = api
        before = chair.get("/files")
        large = b"".join(b"p%d,r%d,.5\n" % (i // 100, i % 100) for i in range(10_000))
        answer = chair.send("scores", large, "scores.csv")
        assert answer.status_code == 507, answer.text
        assert "disk is full; nothing was changed" in answer.json()["detail"]
        answer = chair.send_reviews("scores", b"paper,reviewer,score\n" + b"p1,r1,5\n" + b"p1,r2,5\n" * 5_000)
        assert answer.status_code >= 400
        assert "\n" not in answer.json()["detail"]
        body = {"submission": {"id": "x", "title": "t", "abstract": "a" * 20_000}}
        answers = [api.post("submissions", json=body) for _ in range(10)]
        assert answers[-1].status_code == 507, answers[-1].text
        assert str(own) not in answers[-1].text
        assert chair.get("/files") == before
        assert api.get("submissions").json()["total"] == 1 + sum(one.status_code == 201 for one in answers)
    with served(own) as (_, api):
        chair.api = api
        assert chair.get("/files") == before
        assert api.get(f"submissions/{kept}").status_code == 200
        assert chair.send("scores", large, "scores.csv").status_code == 200
    assert not list((own.path / "blobs").glob(".*"))
    assert open_conferences(own.path).check() == []
