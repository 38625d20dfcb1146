"""Look-up over the API: panels as the finder's, what is remembered, exports, and problems that name the field."""

import csv
import io
import json

import pytest

from panelist.app import limits
from panelist.app.demo import corpus, submissions
from panelist.app.demo.samples import STRANGER
from panelist.app.web.requests import SubmissionIn
from panelist.records import Author, Submission
from retriever.conference.conflicts.rules import ConflictRules
from retriever.fit import grade
from retriever.lookup import Lookup


@pytest.fixture(scope="module")
def sample():
    """A submission whose authors are in the corpus, so that there are conflicts."""
    one = submissions()[0]
    return {
        "id": one.id,
        "title": one.title,
        "abstract": one.abstract,
        "authors": [{"id": author.id, "name": author.name} for author in one.authors],
    }


def find(client, submission, **options):
    response = client.post("/api/v1/reviewers", json={"submission": submission, "options": options})
    assert response.status_code == 200, response.text
    return response.json()


def people(panel):
    return [match["author"]["id"] for match in panel["matches"]]


def test_a_panel_is_ranked_explained_and_free_of_conflicts(client, sample):
    panel = find(client, sample, size=8, sentences=True)
    assert [match["rank"] for match in panel["matches"]] == list(range(1, 9))
    assert panel["matches"][0]["relevance"] == 1
    for match in panel["matches"]:
        assert 1 <= len(match["papers"]) <= 3
        assert all(paper["url"].startswith("https://doi.org/10.") for paper in match["papers"])
        assert match["found_by"]
    own = {author["id"] for author in sample["authors"]}
    assert not own & set(people(panel))
    hidden = {one["author"]["id"]: one for one in panel["hidden"]}
    assert own & set(hidden)
    assert all(one["author"]["name"] != one["author"]["id"] for one in panel["hidden"])
    assert all(conflict["certain"] and conflict["evidence"] for conflict in hidden[min(own & set(hidden))]["conflicts"])


def test_how_conflicts_stand_is_said_with_every_panel(client, sample):
    checked = find(client, sample)["conflicts_checked"]
    assert checked["authors"] == len(sample["authors"]) == len(checked["matched"])
    assert checked["complete"]
    bare = {name: sample[name] for name in ("title", "abstract")}
    checked = find(client, bare)["conflicts_checked"]
    assert (checked["authors"], checked["complete"]) == (0, False)
    assert "not checked: authors may be on the panel" in checked["words"]
    checked = find(client, {**bare, "author_names": ["Nobody Atall"]})["conflicts_checked"]
    assert (checked["missing"], checked["complete"]) == (["Nobody Atall"], False)
    assert "not looked for" in find(client, sample, conflicts="ignore")["conflicts_checked"]["words"]


def test_an_author_is_known_by_orcid_or_e_mail_address_alone(client):
    given = [{"name": "Ada", "orcid": "0000-0002-1825-0097"}, {"email": "bob@example.org"}]
    assert SubmissionIn(title="t", authors=given).record().authors == (
        Author("0000-0002-1825-0097", "Ada", "0000-0002-1825-0097"),
        Author("bob@example.org", "bob@example.org", None, "bob@example.org"),
    )
    answer = client.post("/api/v1/reviewers", json={"submission": {"title": "t", "authors": [{"name": "Ada"}]}})
    assert (answer.status_code, "ORCID" in answer.text) == (422, True)


def test_a_pasted_list_of_authors_becomes_its_people(client, sample):
    names = [author["name"] for author in sample["authors"]]
    bare = {name: sample[name] for name in ("title", "abstract")}
    panel = find(client, {**bare, "author_names": [", ".join([*names, "Nobody Atall, MIT"])]})
    assert panel["conflicts_checked"]["by_name"] == names
    assert panel["conflicts_checked"]["missing"] == ["Nobody Atall"]
    split = client.post("/api/v1/authors/split", json={"text": "Ada Lovelace <ada@example.org> & Bob Bee¹"}).json()
    assert [one["id"] for one in split["authors"]] == ["ada@example.org"]
    assert split["author_names"] == ["Bob Bee"]


def test_it_finds_what_the_finder_finds(client, sample):
    panel = find(client, sample, size=12, diversity=0.4, coauthor_years=1)
    lookup = Lookup(size=12, diversity=0.4, conflict_rules=ConflictRules(coauthor_years=1))
    asked = submissions()[0]
    with client.app.state.panelist.service.finder() as finder:
        direct = finder.find(Submission(asked.id, asked.title, asked.abstract, authors=asked.authors), lookup)
    assert people(panel) == [match.author.id for match in direct.matches]
    assert panel["relevance_cost"] == pytest.approx(direct.relevance_cost)
    assert panel["diversity"]["countries"] == direct.diversity.countries


def test_moving_the_slider_neither_encodes_nor_searches_again(client, sample):
    fresh = sample | {"abstract": sample["abstract"] + " Seen for the first time."}

    def stages(**options):
        response = client.post("/api/v1/reviewers", json={"submission": fresh, "options": options})
        return {part.split(";")[0] for part in response.headers["server-timing"].split(", ")}, response.json()

    with client.app.state.panelist.service.finder() as finder:
        before = finder.index.encoder().encoded
        first, plain = stages(diversity=0)
        assert {"encode", "search", "total"} <= first
        for weight in (0.2, 0.5, 1):
            again, varied = stages(diversity=weight)
            assert not {"encode", "search"} & again
        assert finder.index.encoder().encoded == before + 1
    assert people(varied) != people(plain)
    assert varied["relevance_cost"] > 0 == plain["relevance_cost"]


def test_what_is_remembered_is_told_apart(client, sample):
    pool = people(find(client, sample, size=20))[10:]
    assert set(people(find(client, sample, size=20, pool=pool))) <= set(pool)
    assert find(client, sample, mode="lexical") != find(client, sample, mode="dense")


def test_names_only_ever_make_possible_conflicts(client, sample):
    name = find(client, sample)["matches"][0]["author"]["name"]
    panel = find(client, {"title": sample["title"], "abstract": sample["abstract"], "author_names": [name]}, size=30)
    kinds = {conflict["certain"] for match in panel["matches"] for conflict in match["conflicts"]}
    assert kinds == {False}
    assert panel["hidden"] == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"submission": {"title": " ", "abstract": "\n"}}, "submission"),
        ({"submission": {"title": "x" * (limits.TITLE + 1)}}, "submission.title"),
        ({"submission": {"title": "x", "authors": [{"id": "a b"}]}}, "submission.authors[0].id"),
        ({"submission": {"title": "x", "authors": [{"id": "a"}] * (limits.AUTHORS + 1)}}, "submission.authors"),
        ({"submission": {"title": "x", "year": "soon"}}, "submission.year"),
        ({"options": {"size": 0}}, "options.size"),
        ({"options": {"size": limits.PANEL + 1}}, "options.size"),
        ({"options": {"diversity": 1.5}}, "options.diversity"),
        ({"options": {"countries": ["Germany"]}}, "options.countries[0]"),
        ({"options": {"siez": 3}}, "options.siez"),
        ({"pickle": "gASV"}, "pickle"),
    ],
)
def test_problems_name_the_field(client, change, field):
    response = client.post("/api/v1/reviewers", json={"submission": {"title": "stars"}} | change)
    assert response.status_code == 422
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert field in {error["field"] for error in problem["errors"]}
    assert problem["status"] == 422
    assert problem["detail"]


def test_other_problems_are_problems_too(client):
    broken = client.post("/api/v1/reviewers", content=b"{nonsense", headers={"content-type": "application/json"})
    assert (broken.status_code, broken.headers["content-type"]) == (422, "application/problem+json")
    assert "not JSON" in broken.json()["detail"]
    assert client.get("/api/v1/nonsense").json()["status"] == 404
    assert client.get("/api/v1/reviewers").json()["status"] == 405
    assert (
        client.post("/api/v1/reviewers", json={"submission": {"title": "x"}, "options": {"pool": ["a"]}})
        .json()["detail"]
        .startswith("nobody of the pool (1 id) is in the index")
    )


def export(client, form, submission, only=None, **options):
    body = {"submission": submission, "options": options, "only": only}
    response = client.post(f"/api/v1/reviewers/export?format={form}", json=body)
    assert response.status_code == 200, response.text
    assert "attachment" in response.headers["content-disposition"]
    return response.text


def test_exports_hold_the_panel_that_is_shown(client, sample):
    options = {"size": 6, "diversity": 0.3}
    panel = find(client, sample, **options)
    rows = list(csv.DictReader(io.StringIO(export(client, "csv", sample, **options))))
    assert [row["reviewer"] for row in rows] == people(panel)
    assert json.loads(export(client, "json", sample, **options)) == panel
    run = [line.split() for line in export(client, "trec", sample, **options).splitlines()]
    assert [(line[0], line[2], line[3]) for line in run] == [
        (sample["id"], person, str(rank)) for rank, person in enumerate(people(panel), start=1)
    ]
    scores = list(csv.reader(io.StringIO(export(client, "openreview", sample, **options))))
    assert [(row[0], row[1]) for row in scores] == [(sample["id"], person) for person in people(panel)]
    assert [float(row[2]) for row in scores] == pytest.approx([m["score"] for m in panel["matches"]], rel=1e-5)


@pytest.mark.parametrize("form", ["trec", "openreview"])
def test_formats_without_flags_count_flagged_reviewers_and_conflicts_names_them(client, sample, form):
    namesake = find(client, sample, size=3)["matches"][0]["author"]
    body = {"submission": sample | {"author_names": [namesake["name"]]}, "options": {"size": 3}}
    exported = client.post(f"/api/v1/reviewers/export?format={form}", json=body)
    rows = list(csv.reader(io.StringIO(client.post("/api/v1/reviewers/export?format=conflicts", json=body).text)))
    assert namesake["id"] not in exported.text
    assert [sample["id"], namesake["id"], "-1", f"has the name of the author {namesake['name']}"] == rows[0]
    panel = find(client, body["submission"], size=3)
    assert [one["author"] for one in panel["held_back"]] == [namesake]
    released = find(client, body["submission"] | {"not_authors": [namesake["id"]]}, size=3)
    assert released["matches"][0]["author"] == namesake
    assert not released["held_back"]
    given, *_, family = namesake["name"].split()  # initials alone hold nobody back
    body = {"submission": sample | {"author_names": [f"{given[0]}. {family}"]}, "options": {"size": 3}}
    exported = client.post(f"/api/v1/reviewers/export?format={form}", json=body)
    rows = list(csv.reader(io.StringIO(client.post("/api/v1/reviewers/export?format=conflicts", json=body).text)))
    assert namesake["id"] in exported.text
    assert int(exported.headers["Panelist-Flagged-Reviewers"]) == len(rows) > 0
    plain = client.post(f"/api/v1/reviewers/export?format={form}", json={"submission": sample, "options": {"size": 3}})
    assert "Panelist-Flagged-Reviewers" not in plain.headers


def test_a_short_list_is_exported_with_the_scores_of_the_panel(client, sample):
    panel = find(client, sample, size=9)
    only = [people(panel)[7], people(panel)[2]]
    short = json.loads(export(client, "json", sample, only=only, size=9))
    assert people(short) == only[::-1]
    whole = {match["author"]["id"]: match["score"] for match in panel["matches"]}
    assert {match["author"]["id"]: match["score"] for match in short["matches"]} == {key: whole[key] for key in only}


def test_info_says_what_is_served(client):
    info = client.get("/api/v1/info").json()
    assert info["index"]["papers"] == info["corpus"]["papers"] == len(corpus())
    assert info["corpus"]["indexed"]
    assert info["model"]["name"] == "hashing"
    assert [one["id"] for one in client.get("/api/v1/examples").json()] == [submissions()[0].id, STRANGER.id]


def test_every_match_says_how_sure_it_is(client, sample, monkeypatch):
    monkeypatch.setattr("indexing.tables.nearness.LEAST", 10)
    panel = find(client, sample, size=20)
    assert len({match["fit"] for match in panel["matches"]}) > 1
    assert all(match["confidence"] == grade(match["fit"]) for match in panel["matches"])
    near = [match["near_papers"] for match in panel["matches"]]
    assert panel["coverage"] == "good"
    assert panel["evidence"] == f"rests on {sum(near)} near papers by {sum(map(bool, near))} of {len(near)} people"
    words = find(client, sample, mode="lexical")
    assert {(match["fit"], match["near_papers"], match["confidence"]) for match in words["matches"]} == {(None,) * 3}
    assert (words["coverage"], words["evidence"]) == (None, "nearness is not known: only words were searched")


def test_nobody_here_works_on_another_topic(client, monkeypatch):
    assert find(client, {"title": "Zxqw vbnm plokij"})["coverage"] is None  # of so few papers nobody knows
    monkeypatch.setattr("indexing.tables.nearness.LEAST", 10)
    panel = find(client, {"title": "Zxqw vbnm plokij", "abstract": "Qazwsx edcrfv tgbyhn ujmikol."})
    assert panel["coverage"] == "none"
    assert panel["evidence"].startswith("no paper here is near: the nearest are “")


def test_a_learned_ranker_says_what_lifted_whom_and_only_shipped_ones_are_served(client, sample, tmp_path):
    plain, learned = find(client, sample, size=8), find(client, sample, size=8, ranker="reviewers")
    assert all(match["lifted_by"] == [] for match in plain["matches"])
    assert any(match["lifted_by"] for match in learned["matches"])
    assert [match["score"] for match in learned["matches"]] == sorted(
        (match["score"] for match in learned["matches"]), reverse=True
    )
    for name in ("nonsense", "../../etc/passwd", str(tmp_path)):
        response = client.post("/api/v1/reviewers", json={"submission": sample, "options": {"ranker": name}})
        assert response.status_code == 422
        assert "reviewers" in response.text


def test_references_are_counted_and_cited_people_are_marked(client, sample):
    cited = corpus()[100]
    asked = {
        **sample,
        "references": [f"N. Body et al. {cited.title}. Some Journal, 2020.", "An unknown paper of nobody"],
    }
    panel = find(client, asked, size=100)
    assert "2 references, 1 in the corpus, 2 of the people ranked are cited" in panel["notes"]
    found = {match["author"]["id"]: match for match in panel["matches"]}
    hidden = {one["author"]["id"] for one in panel["hidden"]}
    for authorship in cited.authorships:
        assert authorship.author.id in hidden or "cited" in found[authorship.author.id]["found_by"]
    assert find(client, asked, size=100, references="off")["notes"] == []
