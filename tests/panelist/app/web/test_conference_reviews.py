"""Reviews of a conference over the wire: sent back, refused with lines, checked in the background, calibrated, kept."""

import pytest
from conference_support import Live, bare_view, open_conferences
from panel_support import at, paper
from waiting import finished
from web_support import api_of, make_workspace, running, start_service

from panelist.app.desk.conference.outcomes import load_pairs
from panelist.app.desk.conference.reviews import CHECK
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.web.routes.conference.work import JOB

SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(8) for j in range(6))
CSV = {"Content-Type": "text/csv"}
TEXT = "The paper is well written. The evaluation is weak because baselines are missing from table 2."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1"))])


def somebody_steps_in(api, body, pairs):
    """One review is late, and one reviewer declines: both papers are given to others, and no other is touched."""
    assert api.get("late").json() == []
    (late, lazy), (other, gone) = pairs[0], next(pair for pair in pairs if pair[0] == "p6")
    without = (f"{late},{lazy},", f"{other},{gone},")
    some = "".join(line for line in body.splitlines(keepends=True) if not line.startswith(without))
    api.put("reviews/texts", content=some.encode(), headers=CSV, params={"name": "some.csv"})
    api.post("changes", json={"action": "decline", "paper": other, "reviewer": gone})
    sent = api.get("reviews").json()["texts"]["at"]
    found = {one["paper"]: one for one in api.get("late").json()}
    assert found.keys() == {late, other}
    assert (found[late]["missing"], found[late]["since"]) == (1, sent)
    assert [(one["reviewer"], one["why"]) for one in found[late]["absent"]] == [(lazy, "no review")]
    assert found[other]["absent"][0]["why"] == "taken off"
    assert found[other]["since"] > sent
    rows = {side: api.get(side, params={"sort": "missing", "limit": 3}).json()["rows"] for side in ("papers", "people")}
    assert [row["missing"] for row in rows["papers"]] == [1, 1, 0]
    assert (rows["people"][0]["id"], rows["people"][0]["missing"]) == (lazy, 1)
    assert "1 paper lacks reviews." in [step["words"] for step in api.get("next").json()]
    able = {one["reviewer"] for one in found[late]["people"]}
    assert able
    assert able.isdisjoint(who for one, who in pairs if one == late)
    assert all(one["room"] > 0 and one["sent"] > 0 for one in found[late]["people"])
    new = found[late]["people"][0]["reviewer"]
    api.post("changes", json={"action": "replace", "paper": late, "reviewer": lazy, "other": new})
    assert [one["paper"] for one in api.get("late").json()] == [other]
    page = api.get("paper", params={"id": late}).json()
    coming = {one["reviewer"]: one for one in page["reviewers"]}[new]
    assert (coming["hand"], coming["assigned"], coming["instead"]) == (1, None, lazy)
    assert not {one["reviewer"] for one in page["alternates"]} & {lazy, new}
    assert (page["number"], page["forbidden"]) == (1, {})
    idle = next(f"r{at}" for at in range(6) if (late, f"r{at}") not in pairs and f"r{at}" != new)
    api.post("changes", json={"action": "forbid", "paper": late, "reviewer": idle})
    assert api.get("paper", params={"id": late}).json()["forbidden"] == {idle: idle}
    api.post("changes", json={"action": "release", "paper": late, "reviewer": idle})
    assert api.get("paper", params={"id": late}).json()["forbidden"] == {}
    assert api.post("solutions", json={"only": "px"}).status_code == 404
    number = api.post("solutions", json={"only": late}).json()["number"]
    finished(lambda: api.get(f"solutions/{number}").json())
    rows = api.get(f"solutions/{number}/pairs", params={"limit": 100}).json()["rows"]
    made = {(row["pair"]["paper"], row["pair"]["reviewer"]): row["pair"] for row in rows}
    assert {pair for pair in made if pair[0] == late} == {pair for pair in pairs if pair[0] == late} - {pairs[0]} | {
        (late, new)
    }
    assert {pair for pair in made if pair[0] not in (late, other)} == {
        pair for pair in pairs if pair[0] not in (late, other)
    }
    assert len([pair for pair in made if pair[0] == other and pair in pairs]) == 2
    assert [key for key, pair in made.items() if pair["locked"]] == [(late, new)]  # the others only stay
    api.post(f"solutions/{number}/choose")
    assert api.get("late").json() == []  # who was assigned after the file came is not late yet


def test_reviews_come_back_are_checked_and_calibrated_and_survive_a_restart(workspace):
    with running(start_service(workspace)) as address:
        with api_of(address) as api:
            conference = api.post("conferences", json={"name": "Invented"}).json()["id"]
        live = Live(open_conferences(workspace.path), {"scores": SCORES}, conference)
        live.solve(bare_view(live.now), ConferenceSettings(demand=3))
        pairs = [(one.paper, one.reviewer) for one in load_pairs(live.now, 1).pairs]
        with api_of(address, f"conferences/{conference}/") as api:
            before = api.get("reviews").json()
            assert (before["texts"], before["scores"], before["check"]["state"]) == (None, None, "none")
            assert api.post("reviews/check").status_code == 404
            assert api.get("reviews/checked").status_code == 404
            assert api.get("calibration").status_code == 404
            assert api.post("calibration").status_code == 404
            body = "paper,reviewer,score,text\n" + "".join(
                f'{one},{who},{1 + int(one[1:]) % 5 + int(who[1:]) % 2},"{TEXT}"\n' for one, who in pairs
            )
            sent = api.put("reviews/texts", content=body.encode(), headers=CSV, params={"name": "reviews.csv"})
            assert sent.json()["texts"]["summary"] == "24 reviews of 8 papers by 6 reviewers"
            assert sent.json()["texts"]["odd"][0]["what"].startswith("no solution is chosen")
            api.post("solutions/1/choose")
            assert api.get("reviews").json()["texts"]["odd"] == []
            somebody_steps_in(api, body, pairs)
            api.put("reviews/texts", content=body.encode(), headers=CSV, params={"name": "reviews.csv"})
            refused = api.put("reviews/texts", content=body.replace("p0,", "px,", 1).encode(), headers=CSV)
            assert refused.status_code == 422
            assert refused.json()["errors"] == [{"field": "line 2", "message": "no paper 'px' in this conference"}]
            assert api.put("reviews/texts", content=b"{}", headers={"Content-Type": "text/plain"}).status_code == 415
            old = api.put("reviews/texts", content=body.encode(), headers=CSV, params={"revision": 1})
            assert old.status_code == 409
            assert api.post("reviews/check").status_code == 202
            finished(lambda: api.get("reviews").json()["check"])
            assert api.get("reviews/checked", params={"limit": 3}).json()["total"] == 8
            assert api.post("calibration", params={"accept": 2, "samples": 20}).json()["accepted"] == 2
    with (
        running(start_service(workspace)) as address,
        api_of(address, f"conferences/{conference}/") as api,
    ):
        kept = api.get("reviews").json()
        assert (kept["check"]["state"], kept["calibrated"]) == ("done", True)
        assert api.get("calibration").json()["accepted"] == 2
        with live.conferences.note(conference) as change:
            change.put(live.now.row_by_sight(CHECK) + JOB, record={"job": "of-yesterday"})  # which is deleted by now
        live.put(submissions='{"id": "p3", "title": "Another paper"}\n')
        assert api.get("reviews").json()["check"]["state"] == "stale"
        live.remove("submissions")
        view = api.get("paper", params={"id": "p3"}).json()
        assert len(view["reviewers"]) == len(view["reviews"]["tagged"]) == 3
        assert 0 <= view["calibrated"]["p_accept"] <= 1
        assert api.get("paper", params={"id": "p99"}).status_code == 404
        assert api.get("calibration/report").text.startswith("<!doctype html>")
        assert api.get("reviews/export", params={"kind": "chair"}).text.startswith("paper,review,")
        table = api.get("events/export")
        assert table.headers["content-type"] == "text/csv; charset=utf-8"
        assert table.text.splitlines()[0] == "number,at,who,kind,words,detail"
