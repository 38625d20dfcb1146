"""Reviews of a conference over the wire: sent back, refused with lines, checked in the background, calibrated, kept."""

from datetime import UTC, datetime

import pytest
from conference_support import bare_view
from panel_support import at, paper
from waiting import finished
from web_support import api_of, make_workspace, running, start_service

from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.conference.store import StoredConference
from panelist.progress import silent

SCORES = "".join(f"p{i},r{j},{((5 * i + 3 * j) % 7) / 7:.4f}\n" for i in range(8) for j in range(6))
CSV = {"Content-Type": "text/csv"}
TEXT = "The paper is well written. The evaluation is weak because baselines are missing from table 2."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1"))])


def test_reviews_come_back_are_checked_and_calibrated_and_survive_a_restart(workspace):
    with running(start_service(workspace)) as address:
        with api_of(address) as api:
            conference = api.post("conferences", json={"name": "Invented"}).json()["id"]
        folder = workspace.path / "conferences" / conference
        (folder / "scores.csv").write_text(SCORES)
        made = StoredConference(conference, "Invented", datetime.now(UTC), 1, folder)
        make(made, solutions.begin(bare_view(made), ConferenceSettings(demand=3)).number, silent)
        pairs = [(one.paper, one.reviewer) for one in solutions.read_pairs(made, 1).pairs]
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
        (folder / "review_check.job").write_text("of-yesterday")  # which is deleted by now
        (folder / "submissions.jsonl").write_text('{"id": "p3", "title": "Another paper"}\n')
        assert api.get("reviews").json()["check"]["state"] == "stale"
        (folder / "submissions.jsonl").unlink()
        view = api.get("paper", params={"id": "p3"}).json()
        assert len(view["reviewers"]) == len(view["reviews"]["tagged"]) == 3
        assert 0 <= view["calibrated"]["p_accept"] <= 1
        assert api.get("paper", params={"id": "p99"}).status_code == 404
        assert api.get("calibration/report").text.startswith("<!doctype html>")
        assert api.get("reviews/export", params={"kind": "chair"}).text.startswith("paper,review,")
        table = api.get("events/export")
        assert table.headers["content-type"] == "text/csv; charset=utf-8"
        assert table.text.splitlines()[0] == "number,at,who,kind,words,detail"
