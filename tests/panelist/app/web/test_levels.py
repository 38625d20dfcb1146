"""Levels of a committee: a file per role, stages, areas with their conflicts, changes, exports, and who sees what."""

import csv
import io

import pytest
from access_support import add_user, serving
from desk_support import Chair
from panel_support import at, paper
from waiting import finished
from web_support import make_workspace, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import Users

LEVELS = ["senior area chair", "area chair", "reviewer"]
NAMES = {
    "senior area chair": ["Sia Sand", "Sol Stein"],
    "area chair": ["Ana Ash", "Ali Aalto", "Aki Abe"],
    "reviewer": ["Ria Rau", "Rex Ruiz", "Rob Rossi", "Ray Roy", "Ron Reed", "Rut Rose"],
}
EMAIL = {name: "{}@{}.org".format(*name.lower().split()) for names in NAMES.values() for name in names}
PAPERS = [f"s{at}" for at in range(6)]
AUTHOR = "Ana Ash"  # of the first paper


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    people = [paper(f"p{name}", at(f"a-{name.split()[0]}", name=name), title=f"notes of {name}") for name in EMAIL]
    return make_workspace(tmp_path_factory.mktemp("levels"), people)


@pytest.fixture(scope="module")
def users(workspace):
    users = Users(workspace)
    add_user(users, "root", Role.ADMINISTRATOR)
    for name in ("Ana Ash", "Sia Sand"):
        add_user(users, name.split()[0].lower(), Role.AREA_CHAIR, people=[EMAIL[name]])
    return users


@pytest.fixture(scope="module")
def tokens(users):
    return {user.name: users.make_token(user.name, "test", writes=True, days=1) for user in users.list()}


class Api:
    """A client whose paths are those of the API, as one user."""

    def __init__(self, client, token):
        self.client, self.token = client, token

    def __getattr__(self, method):
        def ask(path, **more):
            headers = {"Authorization": f"Bearer {self.token}"} | more.pop("headers", {})
            return self.client.request(method, f"/api/v1/{path}", headers=headers, **more)

        return ask


@pytest.fixture(scope="module")
def client(workspace, users):
    with serving(start_service(workspace), users) as client:
        yield client


@pytest.fixture
def chair(client, tokens):
    """A conference with three levels, each from a file of its own."""
    chair = Chair(Api(client, tokens["root"]))
    lines = [f"{one},Title of {one},We study {one}.,{AUTHOR if one == 's0' else 'Zoe Zimmer'}" for one in PAPERS]
    emails = [EMAIL[AUTHOR] if one == "s0" else "zoe@zimmer.org" for one in PAPERS]
    rows = [f"{line},{email}" for line, email in zip(lines, emails, strict=True)]
    sent = "\n".join(["id,title,abstract,authors,emails", *rows])
    assert chair.send("submissions", sent.encode(), "submissions.csv").status_code == 200
    for role in reversed(LEVELS):
        assert committee(chair, role, NAMES[role]).status_code == 200
    scores = "".join(
        f"{one},{email},{(7 * number + 3 * at) % 11 + 1}\n"
        for number, one in enumerate(PAPERS)
        for at, email in enumerate(EMAIL.values())
    )
    assert chair.send("scores", scores.encode(), "scores.csv").status_code == 200
    return chair


def committee(chair, role, names, **more):
    content = "name,email\n" + "".join(f"{name},{EMAIL[name]}\n" for name in names)
    return chair.send("committee", content.encode(), "people.csv", role="" if role == "reviewer" else role, **more)


def levels(chair, **look):
    """The page of a level; its rows have what is known of the person and of the area side by side."""
    page = chair.get("/levels", **look)
    return page | {"rows": [area["row"] | area for area in page["rows"]]}


def solved(chair, body):
    number = chair.post("/solutions", body)["number"]
    made = finished(lambda: chair.get(f"/solutions/{number}"))
    assert made["state"] == "done", made
    chair.post(f"/solutions/{number}/choose")
    return made


def of_role(chair, number):
    """Paper -> people of each role."""
    rows = chair.get(f"/solutions/{number}/pairs", limit=500)["rows"]
    found = {role: {one: set() for one in PAPERS} for role in LEVELS}
    for row in rows:
        found[row["pair"]["role"]][row["pair"]["paper"]].add(row["pair"]["reviewer"])
    return found


def test_a_file_for_a_role_replaces_the_people_of_this_role_alone(chair):
    page = levels(chair)
    assert [(level["role"], level["people"]) for level in page["levels"]] == [
        (role, len(NAMES[role])) for role in LEVELS
    ]
    assert [row["name"] for row in page["rows"]] == NAMES["senior area chair"]
    assert committee(chair, "area_chair", ["Ana Ash", "Ria Rau"]).status_code == 200  # a reviewer becomes an area chair
    counts = {level["role"]: level["people"] for level in levels(chair)["levels"]}
    assert counts == {"senior area chair": 2, "area chair": 2, "reviewer": 5}
    found = {row["id"]: row["person"]["role"] for row in chair.get("/committee", limit=500)["rows"]}
    assert EMAIL["Aki Abe"] not in found
    assert found[EMAIL["Rex Ruiz"]] == ""
    assert [row["name"] for row in levels(chair, role="reviewer", search="rex")["rows"]] == ["Rex Ruiz"]


def test_a_committee_of_ids_has_roles_in_its_table_of_people_only(client, tokens):
    chair = Chair(Api(client, tokens["root"]))
    assert chair.send("committee", b"a-Ana\na-Ria\n", "committee.txt").status_code == 200
    refused = committee(chair, "area chair", ["Ana Ash"])
    assert (refused.status_code, "table of people" in refused.text) == (422, True)


def test_levels_are_assigned_in_stages_and_shown_with_who_is_above_and_below(chair):
    made = solved(chair, {})
    assert made["settings"]["levels"] == LEVELS
    assert made["settings"]["demand"] == {"reviewer": 3, "area chair": 1, "senior area chair": 1}
    found = of_role(chair, 1)
    assert [{len(people) for people in found[role].values()} for role in LEVELS] == [{1}, {1}, {3}]
    assert EMAIL[AUTHOR] not in found["area chair"]["s0"]
    for above, role, below in zip([None, *LEVELS], LEVELS, [*LEVELS[1:], None], strict=False):
        page = levels(chair, role=role)
        assert (page["role"], page["solution"], page["total"]) == (role, 1, len(NAMES[role]))
        assert sum(len(row["assigned"]) for row in page["rows"]) == page["levels"][LEVELS.index(role)]["assigned"]
        for row in page["rows"]:
            own = {one["id"] for one in row["assigned"]}
            assert own == {one for one in PAPERS if row["id"] in found[role][one]}
            assert len(own) <= row["quota"]
            for name, level in (("above", above), ("under", below)):
                related = (
                    {}
                    if level is None
                    else {who: sum(who in found[level][one] for one in own) for one in own for who in found[level][one]}
                )
                assert {one["id"]: one["papers"] for one in row[name]} == related
    author = next(row for row in levels(chair, role="area chair")["rows"] if row["name"] == AUTHOR)
    assert author["conflicts"] == 1


def test_levels_need_a_demand_each(chair):
    for levels in (["area chair"], ["area chair", "area chair"], ["area chair", "chair"]):
        answer = chair.api.post(f"{chair.path}/solutions", json={"settings": {"demand": 2, "levels": levels}})
        assert answer.status_code == 422
        assert "two or more roles" in answer.text


def test_each_level_is_a_file_of_its_own_for_systems(chair):
    solved(chair, {})
    whole = chair.api.get(f"{chair.path}/solutions/1/export", params={"format": "hotcrp"})
    assert (whole.status_code, "one by one" in whole.text) == (422, True)
    found = of_role(chair, 1)
    for role, action in (("area chair", "metareview"), ("reviewer", "primary")):
        answer = chair.api.get(f"{chair.path}/solutions/1/export", params={"format": "hotcrp", "role": role})
        assert f"assignment-hotcrp-{role.replace(' ', '-')}.csv" in answer.headers["content-disposition"]
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert {row["action"] for row in rows} == {action}
        assert {(row["paper"], row["email"]) for row in rows} == {(p, who) for p in PAPERS for who in found[role][p]}
    table = chair.api.get(f"{chair.path}/solutions/1/export", params={"format": "people", "role": "Area_Chair"})
    rows = csv.DictReader(io.StringIO(table.content.decode("utf-8-sig")))
    assert {row["role"] for row in rows} == {"area chair"}
    assert chair.api.get(f"{chair.path}/solutions/1/export", params={"role": "reviewer"}).status_code == 422


def test_another_area_chair_is_checked_for_conflicts_and_can_be_undone(chair):
    solved(chair, {})
    before = of_role(chair, 1)
    (old,) = before["area chair"]["s0"]
    change = {"action": "replace", "paper": "s0", "reviewer": old, "other": EMAIL[AUTHOR]}
    refused = chair.api.post(f"{chair.path}/changes", json=change)
    assert (refused.status_code, "conflict of interest" in refused.text) == (422, True)
    row = next(one for one in levels(chair, role="area chair")["rows"] if one["id"] == old)
    offered = row["instead"]["s0"]
    assert {one["role"] for one in offered} == {"area chair"}
    assert EMAIL[AUTHOR] not in {one["reviewer"] for one in offered}
    new = offered[0]["reviewer"]
    chair.post("/changes", change | {"other": new})
    solved(chair, {"keep": True})
    after = of_role(chair, 2)
    assert after["area chair"]["s0"] == {new}
    assert {role: {p: who for p, who in after[role].items() if p != "s0"} for role in LEVELS} == {
        role: {p: who for p, who in before[role].items() if p != "s0"} for role in LEVELS
    }
    event = next(one for one in chair.get("/events") if one["kind"] == "replace")
    chair.post(f"/changes/{event['number']}/undo")
    solved(chair, {"base": 1, "keep": True})
    assert of_role(chair, 3) == before


def test_conflicts_below_are_shown_above(chair):
    made = solved(chair, {})
    found = of_role(chair, 1)
    reviewer = min(found["reviewer"]["s1"])
    assert chair.send("constraints", f"s1,{reviewer},-1\n".encode(), "conflicts.csv").status_code == 200
    for role in LEVELS[:2]:
        rows = {row["id"]: row["below"] for row in levels(chair, role=role)["rows"]}
        (above,) = found[role]["s1"]
        assert [(row["conflict"]["submission"], row["conflict"]["reviewer"]) for row in rows.pop(above)] == [
            ("s1", reviewer)
        ]
        assert not any(rows.values())
    assert chair.get(f"/solutions/{made['number']}")["conflicts"] == 1


def test_whoever_chairs_an_area_sees_that_area_alone(chair, client, tokens):
    solved(chair, {})
    found = of_role(chair, 1)
    for name, role in (("Ana Ash", "area chair"), ("Sia Sand", "senior area chair")):
        own = {one for one in PAPERS if EMAIL[name] in found[role][one]}
        seen = Chair.__new__(Chair)
        seen.api, seen.path = Api(client, tokens[name.split()[0].lower()]), chair.path
        assert {row["id"] for row in seen.get("/papers")["rows"] if not row["hidden"]} == own
        assert own
        for level in LEVELS:
            rows = levels(seen, role=level)["rows"]
            assert {one["id"] for row in rows for one in row["assigned"]} <= own
            assert {who for row in rows for who in (row["id"],) if row["assigned"]} == {
                who for one in own for who in found[level][one]
            }
