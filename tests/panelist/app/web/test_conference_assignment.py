"""The assignment of a conference over the wire: jobs, choosing, changes by hand, two tabs, restarts, exports."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor
from zipfile import ZipFile

import pytest
from conference_support import Live, bare_view, open_conferences
from waiting import finished
from web_support import api_of, running, start_service

from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.making import begin

SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(6) for j in range(5))
BINARY = {"Content-Type": "application/octet-stream"}
SETTINGS = {"demand": 2, "most": 4, "method": "total"}


@pytest.fixture
def api(address):
    with api_of(address) as client:
        conference = client.post("conferences", json={"name": "Invented"}).json()["id"]
        client.base_url = f"{address}/api/v1/conferences/{conference}/"
        sent = client.put("files/scores", content=SCORES.encode(), headers=BINARY, params={"name": "scores.csv"})
        assert sent.status_code == 200, sent.text
        yield client


def revision(api):
    return api.get("files").json()["revision"]


def solved(api, keep=False, **settings):
    body = {"keep": keep} if keep else {"settings": SETTINGS | settings}
    answer = api.post("solutions", json=body, params={"who": "Ada"})
    assert answer.status_code == 202, answer.text
    return waited(api, answer.json())


def waited(api, solution):
    return finished(lambda: api.get(f"solutions/{solution['number']}").json())


def change(api, **asked):
    return api.post("changes", json=asked, params={"revision": revision(api), "who": "Ada"})


def everybody(api, number):
    rows = api.get(f"solutions/{number}/pairs", params={"limit": 500}).json()["rows"]
    return {(row["pair"]["paper"], row["pair"]["reviewer"]) for row in rows}


def test_the_whole_way_from_settings_to_files(api):
    overview = api.get("assignment").json()
    assert (overview["chosen"], overview["solutions"], overview["known"]["scores"]) == (None, [], True)
    one = solved(api)
    assert (one["state"], one["who"], one["chosen"], one["summary"]["pairs"]) == ("done", "Ada", False, 12)
    assert api.post("solutions/1/choose", params={"revision": revision(api), "who": "Ada"}).json()["chosen"]
    gone = min(everybody(api, 1))
    assert change(api, action="forbid", paper=gone[0], reviewer=gone[1]).status_code == 200
    overview = api.get("assignment").json()
    assert [event["detail"]["words"] for event in overview["changes"]] == [f"forbid {gone[1]} on {gone[0]}"]
    assert (overview["solutions"][0]["pending"], overview["solutions"][0]["files"]) == (1, 0)
    two = solved(api, keep=True)
    assert (two["base"], two["pending"], two["settings"]["method"]) == (1, 0, "total")
    assert gone not in everybody(api, 2)
    found = api.get("solutions/1/against/2").json()
    assert list(gone) in found["gone"]
    assert api.get("solutions/2/why", params={"paper": gone[0], "reviewer": gone[1]}).json()["chosen"] is False
    assert api.get("paper", params={"id": "p1"}).json()["alternates"][0]["paper"] == "p1"
    other = min({f"r{j}" for j in range(5)} - {who for paper, who in everybody(api, 2) if paper == "p5"})
    late = f"p5,{other},-1\n".encode()  # a conflict that is told after the assignment, of a pair that it does not have
    assert api.put("files/constraints", content=late, headers=BINARY, params={"name": "c.csv"}).status_code == 200
    assert api.get("solutions/2").json()["files"] == 1
    for form in ("csv", "openreview", "people", "run", "alternates", "report", "zip"):
        answer = api.get("solutions/2/export", params={"format": form})
        assert answer.status_code == 200
        assert answer.headers["content-disposition"].startswith("attachment; filename=")
    with ZipFile(io.BytesIO(answer.content)) as archive:
        rows = list(csv.reader(io.StringIO(archive.read("assignment.csv").decode())))
    assert {(row[0], row[1]) for row in rows} == everybody(api, 2)
    kinds = [event["kind"] for event in api.get("events").json()]
    assert kinds[:3] == ["file added", "forbid", "chose"]


def test_a_change_with_an_old_revision_is_refused_and_one_of_two_at_once_wins(api):
    solved(api)
    solved(api, method="fair")
    before = revision(api)
    with ThreadPoolExecutor(2) as pool:
        answers = list(
            pool.map(
                lambda n: api.post(f"solutions/{n}/choose", params={"revision": before, "who": f"tab {n}"}), (1, 2)
            )
        )
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    (refused,) = [answer for answer in answers if answer.status_code == 409]
    assert "was changed meanwhile: chose by tab" in refused.json()["detail"]
    late = api.post("changes", json={"action": "lock", "paper": "p0", "reviewer": "r0"}, params={"revision": before})
    assert late.status_code == 409


def test_a_change_by_hand_is_refused_only_for_what_it_rests_on(api):
    solved(api)
    assert api.post("solutions/1/choose").status_code == 200
    before = revision(api)

    def late(**asked):
        return api.post("changes", json=asked, params={"revision": before, "who": "Bob"}).status_code

    assert change(api, action="lock", paper="p0", reviewer="r0").status_code == 200
    assert late(action="forbid", paper="p1", reviewer="r1") == 200  # another paper, another reviewer
    assert late(action="forbid", paper="p0", reviewer="r2") == 409  # the paper of the lock
    assert late(action="quota", quotas={"r0": 1}) == 409  # its reviewer
    lock = next(one["number"] for one in api.get("events").json() if one["kind"] == "lock")
    assert api.post(f"changes/{lock}/undo", params={"revision": before}).status_code == 409
    assert late(action="forbid", paper="p2", reviewer="r3") == 200
    before = revision(api)
    api.patch("", json={"name": "Another name"})
    assert late(action="forbid", paper="p2", reviewer="r4") == 200
    sent = api.put("files/quotas", content=b"r0,3\n", headers={"Content-Type": "application/octet-stream"})
    assert sent.status_code == 200, sent.text
    assert late(action="forbid", paper="p3", reviewer="r5") == 409  # the files are others


def test_changes_that_cannot_be_are_refused_in_one_line(api):
    for asked, words in (
        ({"action": "lock", "paper": "p0", "reviewer": "nobody"}, "no reviewer 'nobody' in the scores"),
        ({"action": "lock", "paper": "p99", "reviewer": "r0"}, "no paper 'p99' in the scores"),
        ({"action": "lock", "paper": "p0"}, "to lock needs 'reviewer': give it"),
        (
            {"action": "replace", "paper": "p0", "reviewer": "r0", "other": "r0"},
            "to replace needs two reviewers: r0 is both",
        ),
        (
            {"action": "exchange", "paper": "p0", "reviewer": "r0", "other_paper": "p0", "other": "r1"},
            "to exchange needs two papers: p0 is both",
        ),
    ):
        refused = change(api, **asked)
        assert (refused.status_code, refused.json()["detail"]) == (422, words)
    assert api.post("changes/1/undo").status_code == 422
    assert change(api, action="embrace", paper="p0", reviewer="r0").status_code == 422
    assert api.get("events").json()[0]["kind"] not in ("lock", "undo")


def test_a_number_is_never_given_to_another_solution(api):
    solved(api, method="total")
    assert solved(api, method="total", most=5)["number"] == 2
    asked = {"paper": "p0", "reviewer": "r0"}
    assert api.get("solutions/2/why", params=asked).status_code == 200  # is remembered by the number
    assert api.delete("solutions/2").status_code == 204
    assert solved(api, method="fair")["number"] == 3
    assert api.get("solutions/2/why", params=asked).status_code == 404


def test_what_was_done_by_hand_is_undone_by_a_new_event(api):
    change(api, action="lock", paper="p0", reviewer="r0")
    (event,) = api.get("assignment").json()["changes"]
    assert api.post(f"changes/{event['number']}/undo", params={"who": "Bob"}).status_code == 200
    assert api.get("assignment").json()["changes"] == []
    assert [(one["kind"], one["who"]) for one in api.get("events").json()[:2]] == [("undo", "Bob"), ("lock", "Ada")]
    assert "undone already" in api.post(f"changes/{event['number']}/undo").json()["detail"]


@pytest.mark.parametrize(
    ("kind", "content", "words"),
    [
        ("constraints", b"p0,r0,-1\np1,r1,-1\n", "the pair p1, r1 is locked, but r1 has a conflict of interest"),
        ("scores", SCORES.replace("p", "q").encode(), "no paper 'p1' in the scores"),
    ],
)
def test_changes_that_later_files_contradict_are_undone_one_by_one(api, kind, content, words):
    change(api, action="lock", paper="p0", reviewer="r0")
    change(api, action="lock", paper="p1", reviewer="r1")
    assert api.put(f"files/{kind}", content=content, headers=BINARY, params={"name": "late.csv"}).status_code == 200
    last, first = api.get("assignment").json()["changes"]
    assert api.post(f"changes/{first['number']}/undo").status_code == 200
    refused = change(api, action="quota", quotas={"r2": 2})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith(words)
    assert refused.json()["detail"].endswith("; that was so before this change: undo or correct it first")
    assert api.post(f"changes/{last['number']}/undo").status_code == 200
    assert change(api, action="quota", quotas={"r2": 2}).status_code == 200
    assert solved(api)["state"] == "done"


def test_infeasible_is_an_answer_with_cures_that_can_be_sent_back(api):
    one = solved(api, demand=4)
    assert one["state"] == "infeasible"
    cure = next(cure for cure in one["cures"] if cure["words"] == "Raise every load to 5")
    assert waited(api, api.post("solutions", json={"settings": cure["settings"]}).json())["state"] == "done"
    quotas = next(cure["quotas"] for cure in one["cures"] if "quotas" in cure)
    assert change(api, action="quota", quotas=quotas).status_code == 200
    assert solved(api, demand=4)["state"] == "done"
    assert api.post("solutions/1/choose").status_code == 422


def test_settings_and_files_that_cannot_be_used(api):
    refused = api.post("solutions", json={"settings": {"method": "fair", "cap": 0.5}})
    assert (refused.status_code, refused.json()["detail"].split(",")[0]) == (
        422,
        "cap does not work with method fair",
    )
    assert api.post("solutions", json={"settings": {"demand": -1}}).status_code == 422
    assert "no solution is chosen yet" in api.post("solutions", json={"keep": True}).json()["detail"]
    assert api.get("solutions/7").status_code == 404
    assert api.get("solutions/7/pairs").status_code == 404
    assert api.get("solutions/7/export").status_code == 404
    assert api.delete("solutions/7").status_code == 404


def test_a_solution_that_was_lost_with_its_server_is_made_again(workspace):
    with running(start_service(workspace)) as address, api_of(address) as api:
        conference = api.post("conferences", json={"name": "Invented"}).json()["id"]
    live = Live(open_conferences(workspace.path), {"scores": SCORES}, conference)
    begin(
        live.conferences, bare_view(live.now), ConferenceSettings(**SETTINGS)
    )  # and the server was killed before it was made
    with (
        running(start_service(workspace)) as address,
        api_of(address, f"conferences/{conference}/") as api,
    ):
        assert api.get("solutions/1").json()["state"] == "lost"
        assert waited(api, api.post("solutions/1/again").json())["state"] == "done"
        assert api.post("solutions/1/again").status_code == 409
        assert api.post("solutions/1/choose").status_code == 200
    with (
        running(start_service(workspace)) as address,
        api_of(address, f"conferences/{conference}/") as api,
    ):
        assert api.get("assignment").json()["chosen"] == 1
        assert len(everybody(api, 1)) == 12
        assert api.delete("solutions/1").status_code == 422


@pytest.mark.data
def test_the_scores_of_aamas_2021_are_assigned_changed_exported_and_calibrated(address, data_dir):
    with api_of(address) as client:
        conference = client.post("conferences", json={"name": "AAMAS 2021"}).json()["id"]
        client.base_url = f"{address}/api/v1/conferences/{conference}/"
        content = (data_dir / "assignment" / "aamas2021.csv.gz").read_bytes()
        sent = client.put("files/scores", content=content, headers=BINARY, params={"name": "aamas2021.csv.gz"})
        assert sent.status_code == 200, sent.text
        best = solved(client, demand=4, most=6)
        assert best["summary"]["total"] == pytest.approx(175.8199, abs=5e-5)
        fair = solved(client, demand=4, most=6, method="fair")
        assert fair["summary"]["lowest"] == pytest.approx(fair["summary"]["bound"])
        client.post("solutions/2/choose")
        rows = client.get("solutions/2/pairs", params={"limit": 2}).json()
        assert rows["total"] == 4 * 526
        gone = rows["rows"][0]["pair"]
        other = client.get("paper", params={"id": gone["paper"]}).json()["alternates"][0]["reviewer"]
        change(client, action="replace", paper=gone["paper"], reviewer=gone["reviewer"], other=other)
        again = solved(client, keep=True)
        found = client.get("solutions/2/against/3").json()
        assert (again["state"], found["gone_total"], found["new_total"]) == ("done", 1, 1)
        client.post("solutions/3/choose")
        exported = list(csv.reader(io.StringIO(client.get("solutions/3/export").text)))
        assert [gone["paper"], other] in [row[:2] for row in exported]
        lines = [f"{paper},{who},{1 + hash_of(paper) % 8 + hash_of(who) % 3}" for paper, who, _ in exported]
        body = "\n".join(["paper,reviewer,score", *lines]).encode()
        answer = client.put("reviews/scores", content=body, headers={"Content-Type": "text/csv"})
        assert answer.json()["scores"]["odd"] == []
        made = client.post("calibration", params={"accept": 0.25, "samples": 20}).json()
        assert (made["reviews"], made["accepted"], len(made["papers"])) == (2104, 132, 526)
        view = client.get("paper", params={"id": gone["paper"]}).json()
        assert other in [one["reviewer"] for one in view["reviewers"]]
        assert 0 <= view["calibrated"]["p_accept"] <= 1


def hash_of(text):
    return sum(text.encode())


def test_the_bar_compares_and_pushes_no_decision_after_one(api):
    def steps():
        return [(step["action"], step["words"]) for step in api.get("next").json() if step["action"] != "find"]

    solved(api)
    solved(api, most=3)
    assert api.post("solutions/1/choose").status_code == 200
    assert steps() == []  # solution 2 is newer, and 1 was chosen on purpose
    gone = min(everybody(api, 1))
    change(api, action="forbid", paper=gone[0], reviewer=gone[1])
    assert steps() == [("resolve", "1 change by hand since solution 1 was made.")]
    three = solved(api, keep=True)
    ((action, words),) = steps()
    assert (action, words) == ("compare", "1 change by hand since solution 1 was made: solution 3 knows it.")
    assert three["summary"]["total"] != 0
