"""The chair's whole chain on a conference whose authors sit on its committee: no author ever gets their own paper."""

import csv
import io
import json

import pytest
from desk_support import Chair
from planted_support import Planted
from web_support import api_of, running, start_service

METHODS = ("total", "fair", "leximin", "envy", "random", "perturbed")


@pytest.fixture(scope="module")
def planted():
    return Planted()


@pytest.fixture
def chair(address, planted):
    with api_of(address) as api:
        made = Chair(api, "Planted")
        for kind, content, name in (
            ("submissions", planted.submissions(), "submissions.jsonl"),
            ("committee", planted.expertise(), "expertise.csv"),
            ("reviewers", planted.people(), "reviewers.csv"),
        ):
            answer = made.send(kind, content, name)
            assert answer.status_code == 200, answer.text
        yield made


def own(planted, pairs):
    """The pairs in which somebody reviews their own paper."""
    return [(paper, who) for paper, who in pairs if who in planted.authors[paper]]


def test_every_author_on_the_committee_is_in_the_table(chair, planted):
    rows = chair.get("/conflicts", limit=200)
    found = {(row["conflict"]["submission"], row["conflict"]["reviewer"]): row["conflict"] for row in rows["rows"]}
    for at, (*_, names) in enumerate(planted.works):
        for name in names:
            conflict = found[f"s{at}", planted.ids[name]]
            assert conflict["certain"] == planted.certain(name), (name, conflict)
            assert conflict["evidence"]
    assert rows["certain"] + rows["possible"] == rows["total"]


@pytest.mark.parametrize("method", METHODS)
def test_no_method_assigns_an_author(chair, planted, method):
    chair.score()
    made = chair.solve(method=method, demand=3, most=8)
    assert made["state"] == "done", made["error"]
    assert own(planted, chair.pairs(made["number"])) == []


def test_scores_made_elsewhere_do_not_hide_authors(chair, planted):
    lines = "".join(
        f"s{at},{who},{0.9 if who in planted.authors[f's{at}'] else 0.1 + number % 7 / 100}\n"
        for at in range(len(planted.works))
        for number, who in enumerate(planted.ids.values())
    )
    assert chair.send("scores", lines.encode(), "scores.csv").status_code == 200
    made = chair.solve(method="total", demand=3, most=6)
    assert own(planted, chair.pairs(made["number"])) == []
    bare = lines.replace("https://orcid.org/", "")  # the same people in another form of their ids
    assert chair.send("scores", bare.encode(), "scores.csv").status_code == 200
    made = chair.solve(method="total", demand=3, most=6)
    orcids = {who.rsplit("/", 1)[1]: who for who in planted.ids.values() if who.startswith("https://orcid.org/")}
    pairs = [(paper, orcids.get(who, who)) for paper, who in chair.pairs(made["number"])]
    assert own(planted, pairs) == []


def test_an_author_who_comes_late_gets_nothing(chair, planted):
    """An old solution cannot be chosen or exported, a lock is refused, a repair changes the fewest pairs."""
    assert (
        chair.send("submissions", planted.submissions(without=planted.authors), "submissions.jsonl").status_code == 200
    )
    assert any("authors" in note for note in chair.get("/conflicts")["unchecked"])
    chair.score()
    blind = chair.solve(method="total", demand=3, most=6)
    chair.post("/solutions/1/choose")
    bad = own(planted, chair.pairs(1))
    assert bad, "the planted people are the nearest to their own papers: without authors they are assigned"
    assert chair.send("submissions", planted.submissions(), "submissions.jsonl").status_code == 200
    assert chair.get("/solutions/1")["conflicts"] >= len(bad)
    for path, what in (("/solutions/1/choose", "choose"), ("/changes", "lock")):
        body = None if what == "choose" else {"action": "lock", "paper": bad[0][0], "reviewer": bad[0][1]}
        answer = chair.api.post(f"{chair.path}{path}", json=body)
        assert answer.status_code == 422
        assert "conflict of interest" in answer.json()["detail"]
    for form in ("csv", "openreview", "easychair", "cmt", "hotcrp", "people", "run", "zip", "report", "alternates"):
        assert chair.api.get(f"{chair.path}/solutions/1/export", params={"format": form}).status_code == 422
    steps = chair.get("/next")
    assert "repair" in [step["action"] for step in steps]
    repaired = chair.post("/solutions", {"base": blind["number"], "keep": True})["number"]
    from waiting import finished

    assert finished(lambda: chair.get(f"/solutions/{repaired}"))["state"] == "done"
    pairs = chair.pairs(repaired)
    assert own(planted, pairs) == []
    blocked = {pair for pair in chair.pairs(1) if pair not in set(pairs)}
    assert set(bad) <= blocked
    assert len(blocked) <= 2 * chair.get("/solutions/1")["conflicts"]
    chair.post(f"/solutions/{repaired}/choose")
    assert chair.api.get(f"{chair.path}/solutions/{repaired}/export").status_code == 200


def test_a_possible_conflict_is_avoided_until_somebody_dismisses_it(chair, planted):
    chair.score()
    (row, *_) = [
        row for row in chair.get("/conflicts", certain=False, limit=200)["rows"] if row["conflict"]["possible"]
    ]
    pair = {"paper": row["conflict"]["submission"], "reviewer": row["conflict"]["reviewer"]}
    refused = chair.api.post(f"{chair.path}/changes", json={"action": "lock", **pair})
    assert refused.status_code == 422
    chair.post("/changes", {"action": "dismiss", "note": "a namesake", **pair}, who="Ada")
    (event, *_) = chair.get("/assignment")["changes"]
    chair.post("/changes", {"action": "lock", **pair}, who="Ada")
    made = chair.solve(method="fair", demand=3, most=8)
    assert (pair["paper"], pair["reviewer"]) in chair.pairs(made["number"])
    answer = chair.api.get(f"{chair.path}/solutions/{made['number']}/export", params={"format": "people"})
    table = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    (line,) = [one for one in table if (one["paper"], one["reviewer"]) == (pair["paper"], pair["reviewer"])]
    assert "dismissed by Ada" in line["conflict"]
    assert chair.get("/conflicts", search=row["name"])["rows"][0]["conflict"]["decision"]["note"] == "a namesake"
    chair.post(f"/changes/{event['number']}/undo")
    assert chair.get(f"/solutions/{made['number']}")["conflicts"] == 1
    certain = chair.get("/conflicts", certain=True)["rows"][0]["conflict"]
    waived = {"action": "dismiss", "paper": certain["submission"], "reviewer": certain["reviewer"]}
    assert chair.api.post(f"{chair.path}/changes", json=waived).status_code == 422


def test_a_confirmed_conflict_outlives_new_files_and_a_restart(planted, workspace):
    with running(start_service(workspace)) as first, api_of(first) as api:
        made = Chair(api, "Confirmed")
        made.send("submissions", planted.submissions(), "submissions.jsonl")
        made.send("committee", planted.expertise(), "expertise.csv")
        made.send("reviewers", planted.people(), "reviewers.csv")
        row = made.get("/conflicts", certain=False)["rows"][0]["conflict"]
        pair = {"paper": row["submission"], "reviewer": row["reviewer"]}
        made.post("/changes", {"action": "confirm", **pair}, who="Ada")
        assert made.get("/conflicts", certain=True, search=row["evidence"])["total"] >= 1
    with running(start_service(workspace)) as second, api_of(second) as api:
        made.api = api
        bare = planted.submissions(without={pair["paper"]})  # nothing speaks for the conflict any more but the chair
        assert made.send("submissions", bare, "submissions.jsonl").status_code == 200
        made.score()
        answer = made.api.post(f"{made.path}/changes", json={"action": "lock", **pair})
        assert answer.status_code == 422
        for method in METHODS:
            assert (pair["paper"], pair["reviewer"]) not in made.pairs(made.solve(method=method, most=8)["number"])


def test_changes_by_hand_are_in_the_export_or_the_export_says_that_they_are_not(chair):
    chair.score()
    chair.solve(most=8)
    chair.post("/solutions/1/choose")
    paper, who = chair.pairs(1)[0]
    chair.post("/changes", {"action": "forbid", "paper": paper, "reviewer": who})
    refused = chair.api.get(f"{chair.path}/solutions/1/export")
    assert (refused.status_code, "1 change by hand is not in solution 1" in refused.text) == (422, True)
    left = chair.api.get(f"{chair.path}/solutions/1/export", params={"pending": "leave"})
    assert "assignment-without-1-changes.csv" in left.headers["content-disposition"]


def test_a_declared_conflict_in_another_form_of_the_id_holds_and_stays(chair, planted):
    who = next(one for one in planted.ids.values() if one.startswith("https://orcid.org/"))
    paper = next(key for key, authors in planted.authors.items() if who not in authors)
    bare = who.rsplit("/", 1)[1]
    sent = chair.send("constraints", f"{paper},{bare},-1\n{paper},nobody-at-all,-1\n".encode(), "conflicts.csv")
    assert sent.status_code == 200
    chair.post("/files/constraints/known")
    text = chair.api.get(f"{chair.path}/files/constraints").text
    assert bare in text
    assert "nobody-at-all" not in text
    rows = chair.get("/conflicts", search="declared", certain=True)["rows"]
    assert (paper, who) in {(row["conflict"]["submission"], row["conflict"]["reviewer"]) for row in rows}


def test_forgetting_a_person_lifts_nothing_that_keeps_them_from_a_paper(chair, planted):
    chair.score()
    paper, who = next(iter(planted.authors)), "member-3"
    chair.post("/changes", {"action": "forbid", "paper": paper, "reviewer": who})
    answer = chair.api.delete(f"desk/people/{who}")
    assert answer.status_code in (200, 204), answer.text
    made = chair.solve(method="total", demand=3, most=8)
    assert (paper, who) not in chair.pairs(made["number"])


def test_a_possible_conflict_is_marked_on_the_pages_of_papers_and_people(chair, planted):
    lines = (
        f"s{at},{who},{0.9 if who in planted.authors[f's{at}'] else 0.1}\n"
        for at in range(len(planted.works))
        for who in planted.ids.values()
    )
    assert chair.send("scores", "".join(lines).encode(), "scores.csv").status_code == 200
    made = chair.solve(method="total", demand=3, most=8, possible="allow")
    chair.post(f"/solutions/{made['number']}/choose")
    marked = {
        (row["id"], one["id"])
        for row in chair.get("/papers", limit=500)["rows"]
        for one in row["assigned"]
        if one["conflict"] and one["conflict"]["possible"] and one["conflict"]["evidence"]
    }
    by_person = {
        (one["id"], row["id"])
        for row in chair.get("/people", limit=500)["rows"]
        for one in row["assigned"]
        if one["conflict"] and one["conflict"]["possible"]
    }
    in_list = {
        (row["pair"]["paper"], row["pair"]["reviewer"])
        for row in chair.get(f"/solutions/{made['number']}/pairs", limit=500)["rows"]
        if row["conflict"] and row["conflict"]["possible"]
    }
    table = {
        (row["conflict"]["submission"], row["conflict"]["reviewer"])
        for row in chair.get("/conflicts", certain=False, limit=500)["rows"]
    }
    assert marked == by_person == in_list == table & set(chair.pairs(made["number"])) != set()


def test_people_of_the_corpus_join_a_committee_that_came_with_its_papers(chair):
    chair.score()
    assert chair.api.post(f"{chair.path}/committee", json={"people": ["a0", "nobody"]}).status_code == 422
    chair.post("/committee", {"people": ["a0"]}, who="Ada")
    assert "a0" in {row["id"] for row in chair.get("/people", search="a0")["rows"]}
    assert next(one for one in chair.get("/next"))["action"] == "score"  # the scores are of fewer people
    chair.score()
    assert chair.get("/scores/pairs", of="reviewer", id="a0")["total"] > 0
    assert chair.get("/events")[1]["detail"]["words"].startswith("1 person added to the committee")


def test_a_conflict_confirmed_under_one_id_of_a_person_holds_under_the_other(address):
    lines = ["reviewer,paper,title,abstract", "~Ada_King1,p1,Bees,How bees live.", "~A_King2,p2,Wasps,How wasps live."]
    lines += [f"~Bob_{number},b{number},Ants {number},How ants live." for number in range(3)]
    people = "reviewer,name,email\n~Ada_King1,Ada King,ada@x.org\n~A_King2,A. King,ADA@x.org\n"
    people += "".join(f"~Bob_{number},Bob Bee,\n" for number in range(3))
    submission = {"id": "s1", "title": "Honey", "abstract": "How bees live in hives.", "author_names": ["Ada King"]}
    with api_of(address) as api:
        chair = Chair(api, "Twice")
        for kind, text, name in (
            ("submissions", json.dumps(submission), "submissions.jsonl"),
            ("committee", "\n".join(lines), "expertise.csv"),
            ("reviewers", people, "reviewers.csv"),
        ):
            assert chair.send(kind, text.encode(), name).status_code == 200
        chair.score()
        both = {"~Ada_King1", "~A_King2"}
        found = chair.get("/conflicts")["rows"]
        assert {row["conflict"]["reviewer"] for row in found if row["conflict"]["possible"]} == both
        chair.post("/changes", {"action": "confirm", "paper": "s1", "reviewer": "~A_King2"}, who="Ada")
        rows = {row["conflict"]["reviewer"]: row["conflict"] for row in chair.get("/conflicts", certain=True)["rows"]}
        assert rows.keys() == both
        for row in chair.get("/people")["rows"]:
            assert row["conflicts"] == (row["id"] in both)
        for who in both:
            refused = api.post(f"{chair.path}/changes", json={"action": "lock", "paper": "s1", "reviewer": who})
            assert refused.status_code == 422
        made = chair.solve(method="total", demand=3, most=8, possible="allow")
        assert both.isdisjoint(who for _, who in chair.pairs(made["number"]))
        (event, *_) = chair.get("/assignment")["changes"]
        chair.post(f"/changes/{event['number']}/undo")
        assert chair.get("/conflicts", certain=True)["rows"] == []
        chair.post("/changes", {"action": "decline", "reviewer": "~Ada_King1"}, who="Ada")
        chair.post("/changes", {"action": "dismiss", "paper": "s1", "reviewer": "~Ada_King1"}, who="Ada")
        made = chair.solve(method="total", demand=3, most=8)
        assert both.isdisjoint(who for _, who in chair.pairs(made["number"]))
