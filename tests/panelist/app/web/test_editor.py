"""The editor's desk over the wire: what is kept, who stands where, whom to ask next, and that two tabs agree."""

import csv
import io
from collections import Counter
from datetime import date, datetime, timedelta

import pytest
from fastapi.testclient import TestClient
from panel_support import at, paper
from systems_support import REPORTS
from web_support import make_workspace, start_service

from panelist.app import limits
from panelist.app.demo import corpus, submissions
from panelist.app.desk.editor.submissions import LONGEST_LIST
from panelist.app.web.app import create_app
from panelist.app.web.routes.editor.people import DeskOut
from panelist.records import HistoryEvent, HistoryRole

YEAR = datetime.now().astimezone().year


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    return make_workspace(tmp_path_factory.mktemp("web"))


@pytest.fixture(scope="module")
def client(workspace):
    with TestClient(create_app(start_service(workspace)), base_url="http://localhost") as client:
        yield client


@pytest.fixture(scope="module")
def asked():
    one = submissions()[0]
    authors = [{"id": author.id, "name": author.name} for author in one.authors]
    return {"submission": {"id": one.id, "title": one.title, "abstract": one.abstract, "authors": authors}}


@pytest.fixture(scope="module")
def found(client, asked):
    """The people of the panel, best first."""
    panel = client.post("/api/v1/reviewers", json=asked).json()
    return [match["author"]["id"] for match in panel["matches"]]


def keep(client, asked, reviewers=(), **options):
    answer = client.post("/api/v1/submissions", json=asked | {"reviewers": list(reviewers), "options": options})
    assert answer.status_code == 201, answer.text
    return answer.json()


def listed(*people, state="shortlisted"):
    return [{"id": one, "state": state} for one in people]


def place(client, kept, person, state, revision=0, **more):
    path = f"/api/v1/submissions/{kept['id']}/reviewers/{person}"
    return client.put(path, json={"state": state, "revision": revision, **more})


def test_a_look_up_alone_keeps_nothing(client, asked):
    assert client.post("/api/v1/reviewers", json=asked).status_code == 200
    before = client.get("/api/v1/submissions").json()["total"]
    client.post("/api/v1/reviewers", json=asked)
    assert client.get("/api/v1/submissions").json()["total"] == before


def test_saved_submission_keeps_its_options_and_reviewers(client, asked, found):
    kept = keep(client, asked, listed(found[1]) + listed(found[0], state="excluded"), size=7, diversity=0.4)
    again = client.get(f"/api/v1/submissions/{kept['id']}").json()
    assert again == kept
    assert again["submission"]["title"] == asked["submission"]["title"]
    assert (again["options"]["size"], again["options"]["diversity"]) == (7, 0.4)
    assert [(one["person"], one["state"]) for one in again["reviewers"]] == [
        (found[1], "shortlisted"),
        (found[0], "excluded"),
    ]
    assert all(one["name"] != one["person"] for one in again["reviewers"])
    assert client.get("/api/v1/submissions").json()["submissions"][0]["id"] == kept["id"]
    panel = client.get(f"/api/v1/submissions/{kept['id']}/panel").json()
    assert {match["author"]["id"] for match in panel["matches"]} == {found[0], found[1]}
    assert all(match["papers"] for match in panel["matches"])


def test_an_author_of_the_submission_is_flagged_on_its_panel(client, asked):
    own = asked["submission"]["authors"][0]["id"]
    kept = keep(client, asked, listed(own))
    (match,) = client.get(f"/api/v1/submissions/{kept['id']}/panel").json()["matches"]
    assert {conflict["kind"] for conflict in match["conflicts"]} >= {"author"}


def test_authors_who_are_added_later_are_flagged_in_the_list_and_in_its_exports(client, asked, found):
    plain = {**asked, "submission": {**asked["submission"], "authors": [], "author_names": []}}
    kept = keep(client, plain, listed(found[0], found[1], "by-hand@example.org"))
    assert [one["conflicts"] for one in kept["reviewers"]] == [[], [], []]
    name = kept["reviewers"][1]["name"]
    authors = {"authors": [{"id": found[0]}, {"email": "By-Hand@example.org"}], "author_names": [name]}
    body = {"submission": {**plain["submission"], **authors}, "options": {}, "revision": kept["revision"]}
    path = f"/api/v1/submissions/{kept['id']}"
    changed = client.put(path, json=body).json()
    certain, possible, stranger = (one["conflicts"] for one in client.get(path).json()["reviewers"])
    assert changed["reviewers"][0]["conflicts"] == certain
    assert certain[0] == stranger[0] == {"kind": "author", "evidence": "author of the submission", "certain": True}
    assert possible[0] == {"kind": "author", "evidence": f"has the name of the author {name}", "certain": False}
    invited = place(client, kept, found[0], "invited", kept["reviewers"][0]["revision"]).json()
    assert invited["conflicts"] == certain
    assert client.get(f"{path}/why/by-hand@example.org").json()["conflicts"] == stranger
    rows = csv.DictReader(io.StringIO(client.get("/api/v1/desk/export?format=csv").text))
    marks = {row["person"]: row["conflict"] for row in rows if row["submission"] == kept["id"]}
    assert marks[found[0]].startswith("author of the submission")
    assert marks[found[1]].startswith("possible: has the name")
    assert marks["by-hand@example.org"] == "author of the submission"


def test_after_a_decline_the_next_best_completes_the_panel(client, asked, found):
    kept = keep(client, asked, listed(*found[:4]))
    first = kept["reviewers"][0]
    declined = place(client, kept, first["person"], "declined", first["revision"]).json()
    assert declined["invited"] == declined["answered"] is not None
    suggested = client.get(f"/api/v1/submissions/{kept['id']}/suggestions?count=5").json()
    people = [one["match"]["author"]["id"] for one in suggested]
    assert len(people) == 5
    assert not set(people) & set(found[:4])
    plain = client.get(f"/api/v1/submissions/{kept['id']}/suggestions?count=5&diversity=0").json()
    assert [one["match"]["author"]["id"] for one in plain] == found[4:9]
    varied = client.get(f"/api/v1/submissions/{kept['id']}/suggestions?count=1&diversity=1").json()
    assert varied[0]["new_country"] or varied[0]["new_institution"]


def test_the_first_suggestion_is_less_like_the_panel_than_the_next_in_rank(client, asked, found):
    kept = keep(client, asked, listed(*found[:3]))
    path = f"/api/v1/submissions/{kept['id']}"

    def places(matches):
        return [(match["institutions"][0]["name"], match["institutions"][0]["country"]) for match in matches]

    panel = places(client.get(f"{path}/panel").json()["matches"])
    varied = client.get(f"{path}/suggestions?count=10&diversity=0.9").json()
    plain = client.get(f"{path}/suggestions?count=10&diversity=0").json()

    def new(suggested):
        pairs = zip(suggested, places([one["match"] for one in suggested]), strict=True)
        for one, (institution, country) in pairs:
            assert one["new_institution"] == (institution not in {name for name, _ in panel})
            assert one["new_country"] == (country not in {name for _, name in panel})
        return sum(one["new_country"] for one in suggested[:3])

    assert new(varied) >= new(plain)


def test_load_is_counted_over_submissions_and_notes_are_shown(client, asked, found):
    person = found[8]
    for _ in range(3):
        kept = keep(client, asked)
        assert place(client, kept, person, "invited", day=f"{YEAR}-01-15").status_code == 200
    place(client, keep(client, asked), person, "invited", day=f"{YEAR - 1}-12-15")
    note = client.put(f"/api/v1/desk/notes/{person}", json={"text": "Knows the field", "revision": 0})
    assert note.status_code == 200
    (known,) = client.post("/api/v1/desk/people", json={"ids": [person, "nobody"]}).json()
    assert (known["load"]["invited"], known["note"]) == (3, "Knows the field")
    (shown,) = client.get(f"/api/v1/submissions/{kept['id']}").json()["reviewers"]
    assert (shown["load"]["invited"], shown["note"]) == (3, "Knows the field")
    whole = client.get(f"/api/v1/desk/people/{person}").json()
    assert len(whole["submissions"]) == 4


def test_how_busy_somebody_is_counts_open_reviews_and_reports_of_a_year(client, asked, found):
    person = found[-2]
    days = [(800, "done"), (100, "done"), (30, "accepted"), (20, "declined"), (10, "declined")]
    today = datetime.now().astimezone().date()
    for ago, state in days:
        path = f"/api/v1/submissions/{keep(client, asked)['id']}/reviewers/{person}"
        asked_on, day = ((today - timedelta(days=before)).isoformat() for before in (ago + 5, ago))
        revision = client.put(path, json={"state": "invited", "day": asked_on}).json()["revision"]
        client.put(path, json={"state": state, "day": day, "revision": revision}).raise_for_status()
    load = client.get(f"/api/v1/desk/people/{person}").json()["load"]
    last = (today - timedelta(days=100)).isoformat()
    assert [load[name] for name in ("open", "recent", "last", "refused")] == [1, 2, last, 2]


def test_who_is_kept_as_invited_has_a_day_and_a_load_like_everybody(client, asked):
    (one,) = keep(client, asked, listed("A-invited-elsewhere", state="invited"))["reviewers"]
    assert one["invited"].startswith(str(YEAR))
    assert (one["answered"], one["load"]["invited"]) == (None, 1)


def test_a_change_from_an_old_tab_is_refused_and_says_what_happened(client, asked, found):
    kept = keep(client, asked, listed(found[0]))
    old = kept["reviewers"][0]["revision"]
    assert place(client, kept, found[0], "invited", old).status_code == 200
    refused = place(client, kept, found[0], "excluded", old)
    assert refused.status_code == 409
    assert "is now invited" in refused.json()["detail"]
    path = f"/api/v1/submissions/{kept['id']}"
    assert client.delete(f"{path}/reviewers/{found[0]}?revision={old}").status_code == 409
    change = asked | {"revision": kept["revision"], "options": {"size": 3}}
    assert client.put(path, json=change).json()["options"]["size"] == 3
    assert client.put(path, json=change).status_code == 409


def test_forgetting_answers_with_what_was_erased(client, asked, found):
    kept = keep(client, asked, listed(found[5]))
    client.put(f"/api/v1/desk/notes/{found[5]}", json={"text": "x", "revision": 0})
    forgotten = client.delete(f"/api/v1/desk/people/{found[5]}").json()
    assert (forgotten["notes"], forgotten["lists"]) == (1, 1)
    assert client.get(f"/api/v1/submissions/{kept['id']}").json()["reviewers"] == []
    own = asked["submission"]["authors"][0]["id"]
    assert kept["id"] in client.delete(f"/api/v1/desk/people/{own}").json()["authored"]
    assert client.delete(f"/api/v1/submissions/{kept['id']}").status_code == 204
    for path in ("", "/panel", "/suggestions"):
        assert client.get(f"/api/v1/submissions/{kept['id']}{path}").status_code == 404
    assert client.delete(f"/api/v1/submissions/{kept['id']}").status_code == 404


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"state": "asleep"}, "state"),
        ({"state": "invited", "day": "soon"}, "day"),
        ({"state": "invited", "revision": -1}, "revision"),
        ({"state": "invited", "extra": 1}, "extra"),
    ],
)
def test_nonsense_is_refused_by_field(client, asked, body, field):
    kept = keep(client, asked)
    refused = client.put(f"/api/v1/submissions/{kept['id']}/reviewers/a1", json=body)
    assert refused.status_code == 422
    assert field in refused.json()["detail"]


def test_lists_and_notes_have_limits(client, asked, found):
    many = [{"id": f"a{number}"} for number in range(LONGEST_LIST + 1)]
    assert client.post("/api/v1/submissions", json=asked | {"reviewers": many}).status_code == 422
    text = {"text": "x" * (limits.NOTE + 1), "revision": 0}
    assert client.put(f"/api/v1/desk/notes/{found[0]}", json=text).status_code == 422


def test_ids_with_slashes_are_people_too(client, asked):
    kept = keep(client, asked)
    person = "https://openalex.org/A1"
    assert place(client, kept, person, "shortlisted").json()["person"] == person
    assert client.get(f"/api/v1/desk/people/{person}").json()["submissions"][0]["submission"] == kept["id"]


def test_everything_is_exported_and_spreadsheets_run_nothing(client, found):
    keep(client, {"submission": {"title": "=HYPERLINK(1)"}}, listed(found[0]))
    answer = client.get("/api/v1/desk/export")
    assert DeskOut.model_validate_json(answer.content).submissions
    assert answer.headers["content-disposition"] == 'attachment; filename="desk.json"'
    assert "=HYPERLINK(1)" in [one["title"] for one in answer.json()["submissions"]]
    table = client.get("/api/v1/desk/export?format=csv").text
    assert ",'=HYPERLINK(1)," in table
    assert ",=HYPERLINK" not in table


def test_why_somebody_was_suggested(client, asked, found):
    kept = keep(client, asked, history="off")  # the desk of these tests has recorded reviews
    path = f"/api/v1/submissions/{kept['id']}/why"
    panel = client.post("/api/v1/reviewers", json=asked | {"options": {"history": "off"}}).json()["matches"]
    why = client.get(f"{path}/{found[2]}").json()
    assert why["match"]["papers"][0]["id"] == panel[2]["papers"][0]["id"]
    ranks = [client.get(f"{path}/{person}").json()["rank"] for person in found]
    assert ranks == sorted(ranks)
    assert client.get(f"{path}/nobody").json() == {"rank": None, "match": None, "conflicts": []}


def test_a_profile_is_what_the_corpus_holds(client, found):
    papers = [one for one in corpus() if found[0] in {two.author.id for two in one.authorships}]
    profile = client.get(f"/api/v1/profiles/{found[0]}").json()
    assert profile["papers_in_corpus"] == profile["paper_count"] == len(papers)
    assert {one["id"] for one in profile["papers"]} == {one.id for one in papers}
    years = [one["year"] for one in profile["papers"]]
    assert years == sorted(years, reverse=True)
    assert {one["year"]: one["papers"] for one in profile["years"]} == Counter(one.year for one in papers)
    together = Counter(two.author.id for one in papers for two in one.authorships if two.author.id != found[0])
    assert {one["author"]["id"]: one["papers"] for one in profile["coauthors"]} == together
    topics = Counter(topic for one in papers for topic in one.topics)
    assert all(topics[one["name"]] == one["papers"] for one in profile["topics"])
    assert sum(sum(year["papers"] for year in one["years"]) for one in profile["topics"]) <= sum(topics.values())
    assert client.get("/api/v1/profiles/nobody").status_code == 404


def test_an_address_is_given_with_its_source_and_what_is_due_is_told(tmp_path):
    old = paper("p1", at("a1", email="old@uni.edu"), year=2001, title="Coral long ago")
    new = paper("p2", at("a1", email="ada@uni.edu"), at("a2"), year=2020, title="Coral reefs")
    silent = paper("p3", at("a1"), year=2023, title="Coral again")
    with TestClient(
        create_app(start_service(make_workspace(tmp_path, [old, new, silent]))), base_url="http://localhost"
    ) as client:
        kept = keep(client, {"submission": {"title": "Coral"}}, listed("a1", "a2"))
        reached = {one["person"]: one["contact"] for one in kept["reviewers"]}
        source = {"paper": "Coral reefs", "year": 2020, "typed": None, "typed_by": None}
        assert reached == {"a1": {"email": "ada@uni.edu", **source}, "a2": None}
        assert client.get("/api/v1/profiles/a1").json()["contact"] == reached["a1"]
        revision = kept["reviewers"][0]["revision"]
        today = datetime.now().astimezone().date()
        days = {"due": str(today + timedelta(days=20)), "reminder": str(today + timedelta(days=3))}
        answer = place(client, kept, "a1", "invited", revision, **days).json()
        assert {name: answer[name] for name in days} == days
        (soon,) = client.get("/api/v1/desk/due").json()
        assert (soon["what"], soon["day"], soon["person"]) == ("reminder", days["reminder"], "a1")
        assert len(client.get("/api/v1/desk/due?days=30").json()) == 2
        calendar = client.get("/api/v1/desk/due/calendar")
        assert calendar.headers["content-type"].startswith("text/calendar")
        assert calendar.text.count("BEGIN:VEVENT") == 2


def test_an_address_that_was_typed_comes_first_and_is_forgotten_with_the_person(client, asked, found):
    person = found[0]
    route, kept = f"/api/v1/desk/addresses/{person}", keep(client, asked, listed(person))
    answer = client.put(route, json={"email": " ada@turin.it "})
    assert (answer.status_code, answer.json()["email"]) == (200, "ada@turin.it")
    contact = client.get(f"/api/v1/submissions/{kept['id']}").json()["reviewers"][0]["contact"]
    assert (contact["email"], contact["paper"]) == ("ada@turin.it", None)
    assert contact["typed"] == datetime.now().astimezone().date().isoformat()
    assert client.get("/api/v1/desk/export").json()["addresses"][0]["email"] == "ada@turin.it"
    assert client.put(route, json={"email": "not an address"}).status_code == 422
    assert client.delete(f"/api/v1/desk/people/{person}").status_code == 200
    assert client.get(f"/api/v1/profiles/{person}").json()["contact"] is None


def test_a_typed_address_can_be_erased(client, found):
    route = f"/api/v1/desk/addresses/{found[1]}"
    client.put(route, json={"email": "ada@turin.it"})
    assert client.put(route, json={"email": ""}).json() is None
    assert client.get(f"/api/v1/profiles/{found[1]}").json()["contact"] is None


def test_the_report_of_a_journal_is_imported_and_forgotten_with_a_person(client, workspace, asked, found):
    with workspace.open_corpus() as corpus:
        person = corpus.authors([found[-1]])[found[-1]]
    report = REPORTS["ojs.csv"].replace("Hal,Jones", person.name.replace(" ", ",", 1)).replace("hal@u.org", "")

    def send(**more):
        binary = {"Content-Type": "application/octet-stream"}
        return client.put("/api/v1/desk/history", content=report, headers=binary, params={"name": "../ojs.csv", **more})

    refused = send()
    assert (refused.status_code, "give the source" in refused.json()["detail"]) == (422, True)
    assert "/" not in refused.json()["detail"].replace("or the", "")
    read = send(source="j").json()
    assert (read["events"], read["changed"], read["possible"], read["left_out"]) == (4, 4, 2, 1)
    assert [(row["file"], row["line"]) for row in read["rejections"]] == [("ojs.csv", 8)]
    assert send(source="j").json()["changed"] == 0
    with workspace.open_corpus() as corpus:  # what is known of somebody is told on the page, and in no file
        corpus.add_history([HistoryEvent(found[3], HistoryRole.REVIEWER, "j:14", submitted=date(2024, 1, 1))])
    send(source="j")
    panel = client.post("/api/v1/reviewers", json=asked).json()
    assert next(match["history"] for match in panel["matches"] if match["author"]["id"] == found[3])
    exported = client.post("/api/v1/reviewers/export?format=json", json=asked).json()
    assert not any(match["history"] for match in exported["matches"])
    client.delete(f"/api/v1/desk/people/{found[-1]}").raise_for_status()
    assert send(source="j").json()["erased"] == 2


def test_what_the_desk_records_counts_in_later_look_ups_until_it_is_forgotten(client, workspace, asked, found):
    yesterday = (datetime.now().astimezone().date() - timedelta(1)).isoformat()

    def told(person, **more):
        later = {"submission": asked["submission"] | {"id": "later"} | more, "options": {"size": 50, "newcomers": 0}}
        matches = client.post("/api/v1/reviewers", json=later).json()["matches"]
        return next(match["history"] for match in matches if match["author"]["id"] == person)

    def events():
        with workspace.open_corpus() as corpus:
            return [(event.person, event.outcome) for event in corpus.history() if event.paper == f"desk:{kept['id']}"]

    person = found[2]
    kept = keep(client, asked, listed(person))
    assert events() == []
    row = place(client, kept, person, "accepted", kept["reviewers"][0]["revision"], day=yesterday).json()
    assert events() == [(person, "accepted")]
    assert "1 open now" in told(person)[0]
    row = place(client, kept, person, "done", row["revision"], day=yesterday).json()
    assert told(person)[0].startswith("reviewed 1 paper, 1 near this one")
    assert told(person, received=yesterday) == []  # of that day, not of an earlier one
    why = client.get(f"/api/v1/submissions/{kept['id']}/why/{person}").json()
    assert why["match"]["history"] == []  # its own reviews are no evidence for it
    client.delete(f"/api/v1/submissions/{kept['id']}/reviewers/{person}?revision={row['revision']}").raise_for_status()
    assert (events(), told(person)) == ([], [])
    kept = keep(client, asked, listed(person, state="invited"))
    assert events() == [(person, "no_answer")]
    client.delete(f"/api/v1/submissions/{kept['id']}").raise_for_status()
    assert events() == []
    kept = keep(client, asked, listed(found[0], state="declined"))
    client.delete(f"/api/v1/desk/people/{found[0]}").raise_for_status()
    assert events() == []
    kept = keep(client, asked, listed(found[0], state="invited"))
    assert events() == []  # who was erased stays erased
