"""A chair with a conflict of interest: nothing that they can ask for tells anything of the paper but its title.

Two servers differ in one paper only: its scores, reviewers, locks, reviews, and what was changed by hand about it. A
chair who is its author gets the same bytes from both, whatever they ask; a chair who is not gets others.
"""

import io
import json
import re
import shutil
import zipfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from access_support import add_user, serving
from conference_support import open_conferences
from jsonschema import Draft202012Validator
from panel_support import at, paper
from waiting import finished, until
from web_support import make_workspace, start_service

from panelist.app.access.roles import Role
from panelist.app.access.users import Users
from panelist.app.desk.conference.archive import bring_back
from panelist.app.desk.conference.contents import FILE_NAMES
from panelist.app.desk.conference.forgetting import forget_in_conferences
from panelist.app.desk.conference.manual import sum_changes
from panelist.app.desk.conference.views.solutions import NAMES as FORMS
from panelist.app.web.app import create_app
from panelist.app.web.service import FinderService
from panelist.corpus.history import forms_of
from panelist.workspace import Workspace

PEOPLE = [f"a{i}" for i in range(9)]
NAMES = [
    "Ada Abel",
    "Bea Brown",
    "Cem Celik",
    "Dan Dietz",
    "Eva Engel",
    "Fay Flynn",
    "Gus Garza",
    "Hal Hoover",
    "Ida Ibsen",
]
COMMITTEE = PEOPLE[:8]
SECRET, OTHERS = "s1", ["s0", "s2", "s3", "s4"]
BINARY, CSV = {"Content-Type": "application/octet-stream"}, {"Content-Type": "text/csv"}
SEEN = {"s0": "a0 a6", "s2": "a2 a3", "s3": "a4 a5", "s4": "a1 a7"}
WORLDS = {
    "one": {"reviewers": ("a2", "a4"), "scores": 0.9, "change": {"action": "lock", "reviewer": "a2"}, "reviews": 5},
    "other": {"reviewers": ("a6", "a0"), "scores": 0.1, "change": {"action": "demand", "number": 2}, "reviews": 2},
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A workspace with users and an empty conference."""
    own = [
        paper(f"p{i}", at(who, name=name), title=f"topic {i}")
        for i, (who, name) in enumerate(zip(PEOPLE, NAMES, strict=True))
    ]
    workspace = make_workspace(tmp_path_factory.mktemp("base"), own)
    users = Users(workspace)
    add_user(users, "root", Role.ADMINISTRATOR)
    add_user(users, "author", Role.CHAIR, people=["a1"])
    add_user(users, "outsider", Role.CHAIR, people=["a8"])
    add_user(users, "free", Role.CHAIR, people=["a3"])
    add_user(users, "area", Role.AREA_CHAIR, people=["a3"])
    add_user(users, "guest", Role.READER)
    tokens = {name: users.make_token(name, "test", writes=True, days=1) for name in [one.name for one in users.list()]}
    with serving(start_service(workspace), users) as client:
        made = client.post("/api/v1/conferences", json={"name": "Venue"}, headers=bearer(tokens["root"]))
        assert made.status_code == 201
    return workspace.path, made.json()["id"], tokens


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


@pytest.fixture(scope="module")
def worlds(base, tmp_path_factory):
    with open_world(base, tmp_path_factory, "one") as one, open_world(base, tmp_path_factory, "other") as other:
        yield one, other


@contextmanager
def open_world(base, tmp_path_factory, name):
    path, conference, tokens = base
    folder = tmp_path_factory.mktemp(name) / "workspace"
    shutil.copytree(path, folder)
    workspace = Workspace.at(folder)
    with serving(start_service(workspace), Users(workspace)) as client:

        def ask(who, method, path, **more):
            headers = bearer(tokens[who]) | more.pop("headers", {})
            return client.request(method, f"/api/v1/conferences/{conference}/{path}", headers=headers, **more)

        fill(ask, **WORLDS[name])
        yield ask


def fill(ask, reviewers, scores, change, reviews):
    """Everything that a conference may have; what is said of the secret paper is different in each world."""
    submissions = "id,title,abstract,authors,authorids\n" + "".join(
        f"{one},Title of {one},We study {one}.,{who},{ids}\n"
        for one, who, ids in [(SECRET, "Bea Brown;Ida Ibsen", "a1;a8"), *((one, "Zoe Zimmer", "x9") for one in OTHERS)]
    )
    pairs = [(one, who, 0.2 + 0.05 * int(who[1:])) for one in OTHERS for who in COMMITTEE]
    pairs += [(SECRET, who, scores + 0.01 * int(who[1:])) for who in COMMITTEE if who != "a1"]
    locks = [(one, who) for one, both in SEEN.items() for who in both.split()] + [(SECRET, who) for who in reviewers]
    files = {
        "submissions": submissions,
        "committee": "\n".join(COMMITTEE),
        "scores": "".join(f"{one},{who},{score:.3f}\n" for one, who, score in pairs),
        "constraints": "".join(f"{one},{who},1\n" for one, who in locks),
        "bids": f"s0,a0,3\n{SECRET},{reviewers[0]},2\n",
        "demands": f"s0,2\n{SECRET},2\n",
        "reviewers": "reviewer,role,authored\n"
        + "".join(f"{one},reviewer,{SECRET if one == 'a1' else ''}\n" for one in COMMITTEE),
    }
    for kind, content in files.items():
        sent = ask(
            "root", "PUT", f"files/{kind}", content=content.encode(), headers=BINARY, params={"name": f"{kind}.csv"}
        )
        assert sent.status_code == 200, sent.text
    solve(ask, {"settings": {"demand": 2, "most": 3, "method": "total"}}, 1)
    assert ask("root", "POST", "solutions/1/choose").status_code == 200
    written = [(one, who, 3 + int(who[1:]) % 3) for one, both in SEEN.items() for who in both.split()]
    written += [(SECRET, who, reviews + at) for at, who in enumerate(reviewers[: 1 + reviews % 2])]
    texts = "".join(
        f'{one},{who},{score},"The proofs of {one} are sound. Table 2 is weak."\n' for one, who, score in written
    )
    for kind, header in (("texts", "paper,reviewer,score,text\n"), ("scores", "paper,reviewer,score\n")):
        body = texts if kind == "texts" else "".join(f"{one},{who},{score}\n" for one, who, score in written)
        sent = ask("root", "PUT", f"reviews/{kind}", content=(header + body).encode(), headers=CSV)
        assert sent.status_code == 200, sent.text
    assert ask("root", "POST", "calibration", params={"accept": 2, "samples": 20}).status_code == 200
    changed = ask("root", "POST", "changes", json={"paper": SECRET} | change)
    assert changed.status_code == 200, changed.text
    solve(ask, {"keep": True}, 2)
    assert ask("root", "POST", "reviews/check").status_code == 202
    finished(lambda: ask("root", "GET", "reviews").json()["check"])
    for who in ("root", "author", "outsider"):
        assert ask(who, "POST", "leads").status_code == 202
        until(lambda who=who: not ask(who, "GET", "leads").json()["working"])


def solve(ask, body, number):
    answer = ask("root", "POST", "solutions", json=body)
    assert answer.status_code == 202, answer.text
    assert finished(lambda: ask("root", "GET", f"solutions/{number}").json())["state"] == "done"


SORTED = {
    "papers": ("file", "able", "score", "missing"),
    "people": ("file", "load", "best", "missing"),
    "conflicts": ("paper", "person", "author"),
    "solutions/2/pairs": ("paper", "reviewer", "score"),
}


def everything():
    """Every address under a conference that can be asked for, with every sensible parameter."""
    papers, numbers = [SECRET, "s2"], (1, 2)
    for path in ("", "events", "events/export", "labels", "export", "papers", "people", "next", "files", "conflicts"):
        yield path, {}
    for path in ("conflicts/rules", "score", "scores", "scores/plot", "scores/papers", "scores/reviewers"):
        yield path, {}
    for path in ("assignment", "reviews", "reviews/checked", "calibration"):
        yield path, {}
    for path in ("committee", "late", "leads"):
        yield path, {}
    for kind in FILE_NAMES:
        yield f"files/{kind}", {}
    for path, orders in SORTED.items():
        for order in orders:
            yield path, {"sort": order, "limit": 500}
    for certain in ("true", "false"):
        yield "conflicts", {"certain": certain}
    yield "scores", {"threshold": 0.4}
    for role in ("", "reviewer", "area chair"):
        yield "levels", {"role": role, "limit": 500}
    for word in (SECRET, "Title of s1", "Cem Celik", "a6", "lock"):
        for path in ("papers", "people", "conflicts", "scores/papers", "scores/reviewers"):
            yield path, {"search": word}
        yield "solutions/1/pairs", {"search": word}
    for one in papers:
        yield "paper", {"id": one}
        yield "scores/pairs", {"of": "paper", "id": one}
        for who in ("a2", "a6"):
            yield "scores/why", {"paper": one, "reviewer": who}
            yield "solutions/1/why", {"paper": one, "reviewer": who}
    for who in COMMITTEE:
        yield "person", {"id": who}
        yield "profile", {"id": who}
        yield "scores/pairs", {"of": "reviewer", "id": who}
    for number in numbers:
        yield f"solutions/{number}", {}
        yield f"solutions/{number}/pairs", {"limit": 500}
        for form in FORMS:
            yield f"solutions/{number}/export", {"format": form, "pending": "leave"}
        yield f"solutions/{number}/export", {"format": "people", "pending": "leave", "role": "reviewer"}
    yield "solutions/1/against/2", {}
    for kind in ("authors", "sentences", "chair"):
        yield "reviews/export", {"kind": kind}
    yield "calibration/report", {}


MOMENT = re.compile(rb"\d{4}-\d\d-\d\d(T| )\d\d:\d\d[0-9:.+Z]*")
OWN = re.compile(rb'("job": ?|"job":\{"id": ?)"[^"]+"')


def content(answer):
    """What an answer says, by part, but for moments and ids of jobs, which differ between any two servers."""
    parts = {"status": answer.status_code, "name": answer.headers.get("content-disposition")}
    if answer.content[:2] != b"PK":
        return parts | {"body": plain(answer.content)}
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        return parts | {name: plain(archive.read(name)) for name in archive.namelist()}


def plain(body):
    return OWN.sub(rb'\1"one"', MOMENT.sub(b"", body))


def differences(worlds, who, path, parameters):
    """The parts of an answer that differ between the worlds."""
    one, other = (content(ask(who, "GET", path, params=parameters)) for ask in worlds)
    return [name for name in one.keys() | other.keys() if one.get(name) != other.get(name)]


@pytest.mark.parametrize("who", ["author", "outsider"])
def test_a_chair_with_a_conflict_gets_the_same_bytes_whoever_reviews_the_paper(worlds, who):
    asked = [(path, parameters) for path, parameters in everything()]
    told = [
        (path, parameters, part) for path, parameters in asked for part in differences(worlds, who, path, parameters)
    ]
    assert not told, told
    assert len(asked) > 100


def test_every_answer_is_as_the_api_describes_it(worlds):
    """Answers are records that are written as they are; this compares those of a whole conference with the schemas."""
    described = create_app(FinderService(Workspace.at(Path("nowhere")))).openapi()
    templates = {
        re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + "$"): methods["get"]["responses"]["200"]["content"]
        for path, methods in described["paths"].items()
        if "get" in methods and path.startswith("/api/v1/conferences/")
    }
    asked = [f"/api/v1/conferences/x/{path}".rstrip("/") for path, _ in everything()]
    assert [at.pattern for at in templates if not any(map(at.match, asked))] == []
    seen, wrong = set(), []
    for path, parameters in everything():
        answer = worlds[0]("root", "GET", path, params=parameters)
        kind = answer.headers["content-type"].partition(";")[0]
        address = f"/api/v1/conferences/x/{path}".rstrip("/")
        fitting = [(at.pattern, content) for at, content in templates.items() if at.match(address)]
        if answer.status_code == 200 and kind == "application/json" and fitting:
            for at, content in fitting[-1:]:
                schema = content[kind]["schema"] | {"components": described["components"]}
                errors = Draft202012Validator(schema).iter_errors(answer.json())
                wrong += [(path, error.json_path, error.message[:200]) for error in errors]
                seen.add(at)
    assert wrong == []
    assert len(seen) > 20


def test_a_chair_without_a_conflict_sees_the_difference(worlds):
    """Else the test above could not fail."""
    different = {path for path, parameters in everything() if differences(worlds, "free", path, parameters)}
    expected = {
        "papers",
        "people",
        "levels",
        "paper",
        "person",
        "events",
        "export",
        "scores",
        "scores/plot",
        "calibration",
        "reviews",
    }
    assert expected <= different
    assert {"solutions/1", "solutions/1/pairs", "solutions/1/export"} <= different


def test_the_title_is_all_that_is_told(worlds):
    rows = worlds[0]("author", "GET", "papers").json()["rows"]
    assert [row["title"] for row in rows if row["hidden"]] == ["Title of s1"]
    assert [row["id"] for row in rows if not row["hidden"]] == OTHERS
    refused = worlds[0]("author", "GET", "paper", params={"id": SECRET})
    assert refused.status_code == 404
    assert "you have a conflict of interest with “Title of s1”" in refused.json()["detail"]
    assert all(row["assigned"] for row in rows if not row["hidden"])


def test_what_decides_about_all_papers_is_left_to_another_chair(worlds):
    ask = worlds[0]
    for method, path, more in (
        ("POST", "solutions", {"json": {"keep": True}}),
        ("POST", "solutions/2/choose", {}),
        ("DELETE", "solutions/2", {}),
        ("PUT", "conflicts/rules", {"json": {"coauthor_years": None, "institution_years": None}}),
        ("DELETE", "files/reviewers", {}),
        ("PUT", "files/constraints", {"content": b"s0,a0,1\n", "headers": BINARY}),
        ("POST", "calibration", {}),
        ("DELETE", "", {}),
    ):
        answer = ask("author", method, path, **more)
        assert answer.status_code == 403, f"{path} {answer.text}"
        assert "another chair" in answer.json()["detail"]


def test_changes_by_hand_about_the_paper_tell_nothing(worlds):
    lines = [
        {"action": "lock", "paper": SECRET, "reviewer": "a2"},
        {"action": "forbid", "paper": SECRET, "reviewer": "a6"},
        {"action": "release", "paper": SECRET, "reviewer": "a2"},
        {"action": "demand", "paper": SECRET, "number": 1},
        {"action": "dismiss", "paper": SECRET, "reviewer": "a1"},
        {"action": "exchange", "paper": SECRET, "reviewer": "a2", "other_paper": "s2", "other": "a3"},
    ]
    for body in lines:
        answers = [content(ask("author", "POST", "changes", json=body)) for ask in worlds]
        assert answers[0] == answers[1], body
        assert answers[0]["status"] == 422, body
    secret = [
        max(event["number"] for event in ask("root", "GET", "events").json() if "s1" in str(event)) for ask in worlds
    ]
    undone = [content(ask("author", "POST", f"changes/{at}/undo")) for ask, at in zip(worlds, secret, strict=True)]
    assert undone[0]["status"] == undone[1]["status"] == 422
    # Loads may be changed, and show nothing either.
    quotas = [
        content(ask("author", "POST", "changes", json={"action": "quota", "quotas": {"a2": 1}})) for ask in worlds
    ]
    assert quotas[0] == quotas[1]
    assert quotas[0]["status"] == 200
    for path in ("people", "next", "assignment", "events"):
        answers = [content(ask("author", "GET", path)) for ask in worlds]
        assert answers[0] == answers[1], path


def test_a_chair_cannot_dismiss_a_conflict_of_their_own(worlds):
    for who, own in (("author", True), ("free", False)):
        answer = worlds[0](who, "POST", "changes", json={"action": "dismiss", "paper": "s2", "reviewer": "a1"})
        assert answer.status_code == 422
        assert ("of your own" in answer.json()["detail"]) is own


def test_an_area_chair_sees_the_papers_of_their_role_only(worlds):
    answer = worlds[0]("area", "GET", "papers")
    assert answer.status_code == 200, answer.text
    assert answer.json()["rows"] == []
    assert worlds[0]("area", "POST", "changes", json={"action": "quota", "quotas": {"a2": 1}}).status_code == 403


@pytest.fixture(scope="module")
def spare(base, tmp_path_factory):
    """A world that tests may change."""
    with open_world(base, tmp_path_factory, "one") as ask:
        yield ask


def test_what_happens_to_the_paper_makes_no_change_of_another_one_stale(spare):
    """A refusal would tell that something was changed, and would be needless."""
    begun = spare("author", "GET", "").json()["revision"]
    for number in (3, 2, 3):
        hidden = {"action": "demand", "paper": SECRET, "number": number}
        assert spare("root", "POST", "changes", json=hidden).is_success
    mine = {"action": "demand", "paper": "s2", "number": 2}
    answer = spare("author", "POST", "changes", json=mine, params={"revision": begun})
    assert answer.status_code == 200, answer.text
    late = spare("free", "POST", "changes", json=mine | {"paper": SECRET}, params={"revision": begun})
    assert late.status_code == 409


def test_a_chair_who_may_not_decide_appoints_another_one(spare):
    assert spare("guest", "POST", "solutions/2/choose").status_code == 403
    unknown = spare("author", "PUT", "chairs/nobody-here")
    assert unknown.status_code == 422
    assert "there is no user 'nobody-here'" in unknown.json()["detail"]
    assert spare("guest", "PUT", "chairs/guest").status_code == 403
    assert spare("author", "PUT", "chairs/Guest").status_code == 204
    last = spare("author", "GET", "events").json()[0]
    assert (last["kind"], last["who"]) == ("appointed", "author")
    assert spare("guest", "POST", "solutions/2/choose").status_code == 200
    assert spare("author", "POST", "solutions/2/choose").status_code == 403


def test_other_files_of_the_paper_make_nothing_stale_for_who_may_not_see_it(spare):
    """What rests on files says so where they change; of this paper alone, to those only who see it."""
    names = {
        "files/submissions": "submissions.jsonl",
        "reviews/texts": "reviews.csv",
        "reviews/scores": "review_scores.csv",
    }

    def stale(who):
        sent = spare(who, "GET", "reviews").json()
        calibration = spare(who, "GET", "calibration").json()
        return {"calibration": calibration["stale"], "check": sent["check"]["state"] == "stale"}

    def replace_in(path, old, new):
        with zipfile.ZipFile(io.BytesIO(spare("root", "GET", "export").content)) as archive:
            before = archive.read(names[path])
        assert old in before, before
        headers, named = CSV if path.startswith("reviews") else BINARY, {"name": names[path]}
        sent = spare("root", "PUT", path, content=before.replace(old, new), headers=headers, params=named)
        assert sent.status_code == 200, sent.text

    assert spare("author", "POST", "reviews/check").status_code == 202
    finished(lambda: spare("author", "GET", "reviews").json()["check"])
    nothing, everything = (dict.fromkeys(("calibration", "check"), value) for value in (False, True))
    assert stale("author") == stale("root") == nothing
    checked = content(spare("author", "GET", "reviews/checked"))
    for path in ("reviews/texts", "reviews/scores"):
        replace_in(path, b"s1,a2,5", b"s1,a2,4")
    replace_in("files/submissions", b"We study s1.", b"We study something else.")
    assert stale("author") == nothing
    assert stale("root") == everything
    assert content(spare("author", "GET", "reviews/checked")) == checked
    replace_in("files/submissions", b"We study s0.", b"We study what nobody else does.")
    assert stale("author") == {"calibration": False, "check": True}  # what they may see is calibrated when they ask


def test_scores_and_solutions_are_stale_for_nobody_who_may_not_see_why(spare):
    """Here scores are computed, then sent."""

    def send(kind, content):
        sent = spare("root", "PUT", f"files/{kind}", content=content, headers=BINARY, params={"name": FILE_NAMES[kind]})
        assert sent.status_code == 200, sent.text

    def other(paper):
        return re.sub(rb'("id":"%s".*?"abstract":")' % paper, rb"\1Quite another thing. ", submissions)

    def stale(who):
        number = spare(who, "GET", "assignment").json()["solutions"][0]["number"]
        of_person = spare(who, "GET", "profile", params={"id": "a2"}).json()
        of_scores = spare(who, "GET", "scores").json()
        return of_scores["stale"], of_person["stale"], spare(who, "GET", f"solutions/{number}").json()["stale"]

    def make(number):
        assert spare("root", "POST", "score", json={"model": "bm25"}).status_code == 202
        assert finished(lambda: spare("root", "GET", "score").json()["job"])["state"] == "done"
        solve(spare, {"settings": {"demand": 2, "most": 6, "allow_unscored": True}}, number)

    with zipfile.ZipFile(io.BytesIO(spare("root", "GET", "export").content)) as archive:
        submissions = archive.read("submissions.jsonl")
    make(3)
    assert stale("author") == stale("root") == (False, False, False)
    send("submissions", other(b"s1"))
    assert (stale("author"), stale("root")) == ((False, False, False), (True, True, False))
    send("submissions", other(b"s0"))
    assert stale("author") == stale("root") == (True, True, False)
    send("submissions", submissions)
    scores = spare("root", "GET", "files/scores").content.decode()
    hidden, seen = (re.sub(rf"(?m)^{one},(\w+),.*$", rf"{one},\1,0.5", scores) for one in (SECRET, "s0"))
    send("scores", hidden.encode())
    assert (stale("author")[2], stale("root")[2]) == (False, True)
    send("scores", seen.encode())
    assert stale("author")[2] is stale("root")[2] is True


def test_who_wrote_a_hidden_paper_is_in_no_evidence_of_others_and_what_they_rest_on_is_exported(base, tmp_path_factory):
    def send(team):
        rows = ["s0,Title of s0,We study s0.,,a4;x9", f"{SECRET},Title of {SECRET},We study {SECRET}.,,{team}"]
        content = "\n".join(["id,title,abstract,authors,authorids", *rows])
        sent = ask(
            "root", "PUT", "files/submissions", content=content.encode(), headers=BINARY, params={"name": "s.csv"}
        )
        assert sent.status_code == 200, sent.text

    def unchecked(who):
        told = ask(who, "GET", "conflicts").json()["unchecked"]
        return next(words for words in told if "without any author" in words)

    with open_world(base, tmp_path_factory, "one") as ask:
        send("a2;x9")  # a1 has a declared conflict with it
        confirmed = ask("root", "POST", "changes", json={"action": "confirm", "paper": "s0", "reviewer": "a2"})
        assert confirmed.status_code == 200, confirmed.text
        for who in ("root", "author"):
            told = ask(who, "GET", "conflicts").json()
            evidence = {row["conflict"]["evidence"] for row in told["rows"] if row["conflict"]["reviewer"] == "a2"}
            assert any("Title of s1" in words for words in evidence) is (who == "root")
            assert {row["conflict"]["submission"] for row in told["rows"] if row["conflict"]["reviewer"] == "a2"} >= {
                "s0"
            }
            with zipfile.ZipFile(io.BytesIO(ask(who, "GET", "export").content)) as archive:
                kept = archive.read("conflicts.jsonl").decode()
                every = b"".join(map(archive.read, archive.namelist())) + ask(who, "GET", "events").content
            assert (b"Title of s1" in every) is (who == "root")
            assert ("Title of s1" in kept) is (who == "root")
            assert "topic 4" in kept  # a paper of a4, who wrote s0
        send("")
        assert unchecked("root").startswith("4 submissions")
        assert unchecked("author").startswith("3 submissions")  # which have scores only


def test_blindness_follows_who_somebody_is_not_what_they_are_called(base, tmp_path_factory):
    """The author gets the name of the chair who is free, then the paper another author."""

    def send(ids, names):
        row = f"{SECRET},Title of {SECRET},We study {SECRET}.,{names},{ids}"
        others = [f"{one},Title of {one},We study {one}.,Zoe Zimmer,x9" for one in OTHERS]
        content = "\n".join(["id,title,abstract,authors,authorids", row, *others])
        sent = ask(
            "root", "PUT", "files/submissions", content=content.encode(), headers=BINARY, params={"name": "s.csv"}
        )
        assert sent.status_code == 200, sent.text

    def blind():
        return {who for who in ("author", "outsider", "free") if any(row["hidden"] for row in rows(who))}

    def rows(who):
        return ask(who, "GET", "papers").json()["rows"]

    with open_world(base, tmp_path_factory, "one") as ask:
        assert ask("root", "DELETE", "files/reviewers").is_success  # else it declares the author, whoever writes
        assert blind() == {"author", "outsider"}
        send("a1;a8", "Dan Dietz;Ida Ibsen")
        assert blind() == {"author", "outsider"}
        send("a8", "Ida Ibsen")
        assert blind() == {"outsider"}


def test_another_person_is_one_for_the_whole_conference_but_not_by_a_chair_in_conflict(base, tmp_path_factory):
    """What rests on more than the name stays, and so do papers of the chair's own conflicts."""

    def send(**authors):
        rows = [
            {
                "id": one,
                "title": f"Title of {one}",
                "author_names": names.split(";"),
                "authors": [{"id": key}] * bool(key),
            }
            for one, (names, key) in authors.items()
        ]
        content = "\n".join(map(json.dumps, rows)).encode()
        sent = ask("root", "PUT", "files/submissions", content=content, params={"name": "s.jsonl"}, headers=BINARY)
        assert sent.status_code == 200, sent.text

    def standing(reviewer):
        rows = ask("root", "GET", "conflicts", params={"limit": 500, "sort": "author"}).json()["rows"]
        own = [row["conflict"] for row in rows if row["conflict"]["reviewer"] == reviewer]
        return {one["submission"]: "certain" if one["certain"] else "possible"[: 8 * one["possible"]] for one in own}

    def distinguish(who, *namesakes):
        return ask(who, "POST", "changes", json={"action": "distinguish", "namesakes": namesakes})

    files = dict.fromkeys(OTHERS[1:], ("Cem Celik", "")) | {"s0": ("Bea Brown", "")}
    secret = {SECRET: ("Cem Celik;Dan Dietz", "a1")}
    with open_world(base, tmp_path_factory, "one") as ask:
        for kind in ("reviewers", "constraints"):
            ask("root", "DELETE", f"files/{kind}")
        send(**files, **secret)
        assert standing("a2") == dict.fromkeys(["s2", "s3", "s4", SECRET], "possible")
        assert "of your own" in distinguish("author", ["a1", "Bea Brown"]).json()["detail"]
        for refused in (["a3", "Dan Dietz"], ["a2", "Zoe Zimmer"]):  # of a paper that they may not see, and of none
            answer = distinguish("author", refused)
            assert answer.status_code == 422
            assert "no possible conflict rests on" in answer.json()["detail"]
        pairs = {"action": "dismiss", "pairs": [["s2", "a2"], [SECRET, "a2"]]}
        assert "another chair has to change it" in ask("author", "POST", "changes", json=pairs).json()["detail"]
        own = {"action": "dismiss", "pairs": [["s2", "a2"], ["s0", "a1"]]}
        assert "of your own" in ask("author", "POST", "changes", json=own).json()["detail"]
        assert distinguish("author", ["A2", "cem  ÇELIK"]).status_code == 200
        assert standing("a2") == dict.fromkeys(["s2", "s3", "s4"], "") | {SECRET: "possible"}
        assert distinguish("root", ["a2", "Cem Celik"]).status_code == 200
        files |= {"s8": ("Cem Celik", ""), "s9": ("Cem Celik", "a2")}
        send(**files, **secret)  # later submissions, one with more than the name
        assert standing("a2") == dict.fromkeys(["s2", "s3", "s4", "s8", SECRET], "") | {"s9": "certain"}
        event = ask("root", "GET", "events").json()[1]
        assert event["detail"]["words"] == "Cem Celik is another person than the author Cem Celik"
        archive = ask("root", "GET", "export").content
        assert ask("root", "POST", f"changes/{event['number']}/undo").status_code == 200
        assert standing("a2")[SECRET] == "possible"
    (tmp_path_factory.getbasetemp() / "told_apart.zip").write_bytes(archive)
    elsewhere = open_conferences(tmp_path_factory.mktemp("elsewhere"))
    users = Users(Workspace.at(tmp_path_factory.mktemp("nobody")))
    brought = bring_back(elsewhere, tmp_path_factory.getbasetemp() / "told_apart.zip")
    assert [one.judge for one in sum_changes(brought.events).others] == [("a1",), ()]
    forget_in_conferences(elsewhere.desk, elsewhere, forms_of(["a1"]), users)
    assert [one.judge for one in sum_changes(elsewhere.get(brought.id).events).others] == [()]
    forget_in_conferences(elsewhere.desk, elsewhere, forms_of(["a2"]), users)
    assert sum_changes(elsewhere.get(brought.id).events).others == []
