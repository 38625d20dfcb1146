"""Leads on collusion at the desk: for chairs only, and made of the papers that whoever asks may see."""

import re

import numpy as np
import pytest
from access_support import add_user, serving
from panel_support import at, paper
from waiting import until
from web_support import make_workspace, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import Users

PEOPLE, GROUP = 40, (0, 1, 2, 3)
NAMES = {"submissions": "submissions.csv", "committee": "committee.txt", "bids": "bids.csv"}
CONFLICTED = 0  # a chair who is the first of the group


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    workspace = make_workspace(tmp_path_factory.mktemp("leads"), [paper(f"p{i}", at(f"a{i}")) for i in range(PEOPLE)])
    users = Users(workspace)
    for name, role, people in (
        ("root", Role.ADMINISTRATOR, ()),
        ("author", Role.CHAIR, (f"a{CONFLICTED}",)),
        ("area", Role.AREA_CHAIR, ("a9",)),
        ("reader", Role.READER, ()),
    ):
        add_user(users, name, role, people=people)
    tokens = {one.name: users.make_token(one.name, "test", writes=True, days=1) for one in users.list()}
    with serving(start_service(workspace), users) as client:

        def ask(who, method, path, **more):
            headers = {"Authorization": f"Bearer {tokens[who]}", "Content-Type": "application/octet-stream"}
            return client.request(method, f"/api/v1/conferences{path}", headers=headers, **more)

        owner = {"Authorization": f"Bearer {tokens['root']}"}
        made = client.post("/api/v1/conferences", json={"name": "V"}, headers=owner)
        conference = f"/{made.json()['id']}"
        for kind, content in files().items():
            answer = ask(
                "root", "PUT", f"{conference}/files/{kind}", content=content.encode(), params={"name": NAMES[kind]}
            )
            assert answer.status_code == 200, answer.text
        yield lambda who, method, path, **more: ask(who, method, conference + path, **more)


def files():
    """Two papers of everybody, bids on a tenth of all papers, and a group that bids on all of its own."""
    dice = np.random.default_rng(0)
    papers = [(f"s{number}", number // 2) for number in range(2 * PEOPLE)]
    bids = [
        f"{key},a{who},2\n"
        for who in range(PEOPLE)
        for key, author in papers
        if author != who and (dice.random() < 0.1 or {who, author} <= set(GROUP))
    ]
    rows = "".join(f"{key},Title of {key},About {key}.,Name {who},a{who}\n" for key, who in papers)
    return {
        "submissions": f"id,title,abstract,authors,authorids\n{rows}",
        "committee": "\n".join(f"a{who}" for who in range(PEOPLE)),
        "bids": "".join(bids),
    }


def leads(api, who):
    assert api(who, "POST", "/leads").status_code == 202
    return until(lambda: None if (found := api(who, "GET", "/leads").json())["working"] else found)


def test_a_chair_sees_the_group_with_its_evidence(api):
    (lead,) = leads(api, "root")["leads"]
    assert {member for member, _ in lead["members"]} == {f"a{who}" for who in GROUP}
    assert (len(lead["bids"]), lead["possible"], lead["ring"]) == (24, 24, False)
    assert lead["expected"] < 12
    assert {bid["title"] for bid in lead["bids"]} == {f"Title of s{number}" for number in range(8)}


def test_a_chair_with_a_conflict_sees_nothing_of_papers_of_their_own(api):
    leads(api, "root")
    assert api("author", "GET", "/leads").json()["at"] is None  # what others found is theirs
    found = leads(api, "author")
    assert not {bid["paper"] for lead in found["leads"] for bid in lead["bids"]} & {"s0", "s1"}
    assert all(lead["possible"] <= 12 for lead in found["leads"])


def test_nobody_else_sees_leads_and_nothing_of_them_is_exported(api):
    leads(api, "root")
    for who in ("area", "reader"):
        assert api(who, "GET", "/leads").status_code == 404
        assert api(who, "POST", "/leads").status_code == 403
        assert b"evidence" not in api(who, "GET", "/events").content
    assert b"leads" not in api("root", "GET", "/export").content


def test_bids_on_a_paper_make_leads_old_for_those_only_who_may_see_it(api):
    assert not leads(api, "root")["stale"]
    assert not leads(api, "author")["stale"]
    bids = files()["bids"]
    for key, author_too in (("s0", False), ("s2", True)):
        bids = re.sub(rf"^{key},(a\d+),2$", rf"{key},\1,1", bids, flags=re.MULTILINE)
        sent = api("root", "PUT", "/files/bids", content=bids.encode(), params={"name": "bids.csv"})
        assert sent.status_code == 200, sent.text
        assert api("root", "GET", "/leads").json()["stale"]
        assert api("author", "GET", "/leads").json()["stale"] is author_too


def test_other_bids_make_leads_old(api):
    assert not leads(api, "root")["stale"]
    assert api("root", "DELETE", "/files/bids").status_code == 200
    assert api("root", "GET", "/leads").json()["stale"]
    assert "add the file of bids" in api("root", "POST", "/leads").json()["detail"]
