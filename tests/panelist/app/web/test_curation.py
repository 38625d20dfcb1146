"""Papers of profiles that a chair drops, keeps or weighs: what it changes, who did it, and that it can be undone."""

import pytest
from desk_support import Chair
from planted_support import Planted
from web_support import api_of


@pytest.fixture(scope="module")
def planted():
    return Planted()


@pytest.fixture
def chair(address, planted):
    with api_of(address) as api:
        made = Chair(api, "Profiles")
        made.send("submissions", planted.submissions(), "submissions.jsonl")
        made.send("committee", planted.expertise(), "expertise.csv")
        yield made


def curate(chair, reviewer, **weights):
    choices = [{"paper": paper.replace("_", "-"), "weight": weight} for paper, weight in weights.items()]
    return chair.post("/profile", {"reviewer": reviewer, "choices": choices}, who="Ada")


def scores_of(chair, reviewer):
    rows = chair.get("/scores/pairs", of="reviewer", id=reviewer, limit=500)["rows"]
    return {row["paper"]: row["score"] for row in rows}


def test_choices_change_the_next_scores_are_recorded_and_can_be_undone(chair, planted):
    who = next(iter(planted.ids.values()))
    chair.score(keep=500)
    plain, conflicts = scores_of(chair, who), chair.get("/conflicts", limit=500)
    profile = curate(chair, who, old_0_0=0, old_0_1=0.5)
    decided = {paper["id"]: (paper["weight"], paper["choice"]) for paper in profile["papers"]}
    assert decided["old-0-0"][0] == 0
    assert (decided["old-0-1"][0], decided["old-0-1"][1]["by"]) == (0.5, "Ada")
    assert decided["old-0-2"] == (1, None)
    assert profile["stale"]
    assert profile["change"] is None
    assert chair.get("/scores")["stale"]
    assert "Score again" in [step["label"] for step in chair.get("/next")]
    assert scores_of(chair, who) == plain

    chair.score(keep=500)
    assert not chair.get("/scores")["stale"]
    after, change = scores_of(chair, who), chair.get("/profile", id=who)["change"]
    assert after != plain
    for move in change["moves"]:
        if move["submission"] in plain:
            both = plain[move["submission"]], after[move["submission"]]
            assert (move["before"], move["after"]) == pytest.approx(both, abs=1e-5)
    assert "with 2 choices about papers of profiles" in chair.get("/scores")["summary"]
    assert chair.get("/conflicts", limit=500) == conflicts
    compared = chair.get("/scores/why", paper=change["moves"][0]["submission"], reviewer=who)["papers"]
    assert "old-0-0" not in [paper["id"] for paper in compared]

    (event,) = [event for event in chair.get("/events") if event["kind"] == "curate"]
    assert event["who"] == "Ada"
    assert event["detail"]["words"].endswith(" counts 0.5")
    chair.post(f"/changes/{event['number']}/undo", who="Bea")
    assert [paper["weight"] for paper in chair.get("/profile", id=who)["papers"]] == [1, 1, 1]
    assert chair.get("/scores")["stale"]
    chair.score(keep=500)
    assert scores_of(chair, who) == plain
    assert chair.get("/profile", id=who)["change"] is None


def test_a_decision_is_taken_back_and_wrong_ones_are_refused(chair, planted):
    who = next(iter(planted.ids.values()))
    curate(chair, who, old_0_0=0)
    assert curate(chair, who, old_0_0=None)["papers"][0]["choice"] is None
    for reviewer, paper, weight in ((who, "old-1-0", 0), ("nobody", "old-0-0", 0), (who, "old-0-0", 2)):
        body = {"reviewer": reviewer, "choices": [{"paper": paper, "weight": weight}]}
        assert chair.api.post(f"{chair.path}/profile", json=body).status_code in (404, 422)
    assert len([event for event in chair.get("/events") if event["kind"] == "curate"]) == 2


def test_choices_about_who_left_the_committee_do_not_count(chair, planted):
    first, *others = planted.ids.values()
    curate(chair, first, old_0_0=0)
    lines = planted.expertise().decode().splitlines()
    rest = "\n".join(line for line in lines if not line.startswith(f"{first},"))
    chair.send("committee", rest.encode(), "expertise.csv")
    chair.score()
    assert chair.api.get(f"{chair.path}/profile", params={"id": first}).status_code == 404
    assert chair.get("/profile", id=others[0])["change"] is None


def test_a_curated_profile_is_no_change_that_a_solution_lacks(chair, planted):
    chair.score()
    chair.solve(method="total")
    chair.post("/solutions/1/choose")
    curate(chair, next(iter(planted.ids.values())), old_0_0=0)
    steps = [step["action"] for step in chair.get("/next")]
    assert steps[0] == "score"
    assert set(steps) <= {"score", "find"}
