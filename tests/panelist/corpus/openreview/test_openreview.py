"""A venue comes out of OpenReview whole, and edges go into it once, whatever happens in between."""

import json

import pytest
from fetch_support import quick_client
from openreview_server import GROUP, LOST, VENUE, openreview

from panelist.corpus.openreview import api as api_module
from panelist.corpus.openreview import push as push_module
from panelist.corpus.openreview.api import OpenReview
from panelist.corpus.openreview.pull import pull_venue
from panelist.corpus.openreview.push import plan_edges, send_edges
from panelist.corpus.readers.history import read_history
from panelist.corpus.readers.openreview import read
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.submissions import read_submissions
from panelist.errors import InputError
from panelist.http.client import FetchError
from panelist.records import Conflict, ConflictKind
from retriever.conference.conflicts.table import ConflictTable, TableHeader, conflicts_beside, write_table


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setattr(api_module, "PAGE", 2)
    monkeypatch.setattr(push_module, "BATCH", 2)
    with openreview() as server:
        yield server


@pytest.fixture
def api(server):
    with quick_client() as client:
        yield OpenReview(client, server.url, ("good", "", ""))


def test_a_venue_comes_whole(server, api, tmp_path):
    counts = pull_venue(api, [], VENUE, tmp_path)
    assert counts == {
        **{"submissions": 3, "left out": 1, "reviews": 1, "reviewers": 3, "without a profile": 1},
        **{"bids": 2, "constraints": 1, "assignments": 1, "quotas": 1, "publications": 4},
    }
    assert [one.id for one in read_submissions(tmp_path)] == ["note0001", "note0002", "note0003"]
    assert {paper.id: paper.authorships[0].author.id for paper in read(tmp_path, ReadReport())}["pub3"] == "~Cy1"
    # The member who is known by e-mail address goes by the id of the profile, in bids too.
    assert (tmp_path / "bids.csv").read_text() == "note0001,~Bo1,Very High\nnote0002,~Cy1,Low\n"
    assert (tmp_path / "constraints.csv").read_text() == "note0003,~Bo1,-1\n"
    assert (tmp_path / "quotas.csv").read_text() == "~Bo1,2\n"
    (event,) = read_history([tmp_path], ReadReport())
    assert (event.person, event.paper, event.title) == ("~Bo1", "note0001", read_submissions(tmp_path)[0].title)
    people = (tmp_path / "reviewers.csv").read_text().splitlines()
    assert people == [
        "reviewer,institution,country,role",
        "~Bo1,University of X,NO,reviewer",
        "~Cy1,University of X,NO,reviewer",
        "~Dan1,,,reviewer",
    ]
    assert len(json.loads((tmp_path / "reviews.json").read_text())["notes"]) == 1


def test_trouble_is_waited_for_and_an_interrupted_download_resumes(server, api, tmp_path):
    server.trouble = [("notes", 429, {"Retry-After": "0"}), ("groups", 503, None), ("edges", LOST, None)]
    server.trouble += [("profiles/search", 502, None)]
    pull_venue(api, [], VENUE, tmp_path / "calm")
    assert server.trouble == []
    first = (tmp_path / "calm" / "archives" / "~Bo1.jsonl").read_bytes()
    # The third archive fails for good: the first two are kept, and are not asked for again.
    server.trouble = []
    asked = len(server.asked)
    (tmp_path / "calm" / "archives" / "~Dan1.jsonl").unlink()
    pull_venue(api, [], VENUE, tmp_path / "calm")
    again = [query["content.authorids"] for path, query, _ in server.asked[asked:] if "content.authorids" in query]
    assert again == ["~Dan1"]
    assert (tmp_path / "calm" / "archives" / "~Bo1.jsonl").read_bytes() == first
    server.groups["Other"] = {"id": "Other", "members": []}
    with pytest.raises(InputError, match="holds the venue Invented"):
        pull_venue(api, [], "Other", tmp_path / "calm")


def test_an_expired_token_is_renewed_by_logging_in(server, tmp_path):
    server.tokens = set()
    with quick_client() as client:
        pull_venue(OpenReview(client, server.url, ("old", "chair@z.org", "right")), [], VENUE, tmp_path)
        assert server.logins == 1
        with pytest.raises(FetchError, match="token is not valid"):
            OpenReview(client, server.url, ("old", "", "")).group(VENUE)
        with pytest.raises(FetchError, match="set PANELIST_OPENREVIEW_TOKEN"):
            OpenReview(client, server.url).group(VENUE)
        with pytest.raises(FetchError, match="Invalid username or password"):
            OpenReview(client, server.url, ("", "chair@z.org", "wrong-secret")).group(VENUE)


def test_no_secret_is_written_or_logged(server, tmp_path, caplog):
    with caplog.at_level("DEBUG"), quick_client() as client:
        pull_venue(OpenReview(client, server.url, ("good", "chair@z.org", "right")), [], VENUE, tmp_path)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for secret in ("good", "right", "chair@z.org", "Bearer"):
        assert secret not in caplog.text
        assert secret.encode() not in written


SCORES = [
    ("note0001", "~Bo1", 0.5),
    ("note0001", "~Cy1", 0.25),
    ("note0002", "~Bo1", 0.75),
    ("note0002", "~Cy1", 0.125),
    ("note0003", "~Cy1", 1.0),
]


@pytest.fixture
def pulled(api, tmp_path):
    pull_venue(api, [], VENUE, tmp_path)
    return tmp_path


def test_edges_are_as_their_invitation_wants_them(server, api, pulled):
    made = plan_edges(api, GROUP, "scores", SCORES, pulled)
    assert server.of("Affinity_Score") == {}
    assert made.new[0] == {
        "invitation": f"{GROUP}/-/Affinity_Score",
        **{"head": "note0001", "tail": "~Bo1", "weight": 0.5},
        "readers": [VENUE, f"{VENUE}/Submission1/Area_Chairs", "~Bo1"],
        "nonreaders": [f"{VENUE}/Submission1/Authors"],
        "writers": [VENUE],
        "signatures": [f"{VENUE}/Program_Chairs"],
    }
    assert send_edges(api, made, pulled) == 5
    assert server.of("Affinity_Score") == {(head, tail): weight for head, tail, weight in SCORES}
    again = plan_edges(api, GROUP, "scores", SCORES, pulled)
    assert (again.new, again.unchanged) == ([], 5)


@pytest.mark.parametrize(
    "trouble",
    [
        [("edges/bulk", LOST, None)],  # it arrived, and nobody knows
        [("edges/bulk", 503, None), ("edges/bulk", LOST, None)],
        [("edges/bulk", 429, {"Retry-After": "0"})],
    ],
)
def test_no_edge_is_sent_twice(server, api, pulled, trouble):
    server.trouble = trouble
    assert send_edges(api, plan_edges(api, GROUP, "scores", SCORES, pulled), pulled) == 5
    assert len([one for one in server.edges.values() if one["invitation"].endswith("Affinity_Score")]) == 5


def test_a_killed_command_is_completed_by_the_next(server, api, pulled):
    made = plan_edges(api, GROUP, "scores", SCORES, pulled)
    api.post("edges/bulk", made.new[:3])  # killed before it could note that
    (pulled / "pushed.jsonl").write_bytes(b'{"id": "half a li')
    rest = plan_edges(api, GROUP, "scores", SCORES, pulled)
    assert (len(rest.new), rest.unchanged) == (2, 3)
    send_edges(api, rest, pulled)
    assert len(server.of("Affinity_Score")) == 5


def test_own_edges_change_and_those_of_others_stay(server, api, pulled):
    server.edge("Affinity_Score", "note0001", "~Bo1", 0.9)
    send_edges(api, made := plan_edges(api, GROUP, "scores", SCORES, pulled), pulled)
    assert made.foreign == [("note0001", "~Bo1")]
    changed = [(head, tail, weight / 2) for head, tail, weight in SCORES]
    send_edges(api, plan_edges(api, GROUP, "scores", changed, pulled), pulled)
    assert server.of("Affinity_Score") == {(head, tail): weight for head, tail, weight in changed} | {
        ("note0001", "~Bo1"): 0.9
    }
    assert len([one for one in server.edges.values() if one["invitation"].endswith("Affinity_Score")]) == 5


def test_what_the_venue_does_not_take_is_said(server, api, pulled):
    server.invitations.clear()
    with pytest.raises(InputError, match=r"no invitation .*paper matching setup"):
        plan_edges(api, GROUP, "conflicts", [], pulled)
    with pytest.raises(InputError, match="no group 'Nowhere'"):
        api.group("Nowhere")
    server.trouble = [("edges/bulk", 403, None)]
    made = push_module.Push(f"{GROUP}/-/Conflict", "Conflict", [{"head": "a", "tail": "b", "weight": -1}])
    with pytest.raises(FetchError, match="403"):
        send_edges(api, made, pulled)


def test_commands_show_first_and_send_when_told(server, panelist, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENREVIEW_URL", server.url)
    monkeypatch.setenv("PANELIST_OPENREVIEW_OLD_URL", server.url)
    (tmp_path / "token").write_text("good\n")
    shared = ("--workspace", tmp_path / "w", "--token-file", tmp_path / "token")
    code, said, error = panelist("openreview", "pull", VENUE, *shared)
    assert (code, error) == (0, "")
    assert "3  submissions" in said
    scores, assignment, conflicts = (tmp_path / f"{name}.csv" for name in ("scores", "assignment", "conflicts"))
    scores.write_text(
        "".join(f"{head},{tail},{weight}\n" for head, tail, weight in [*SCORES, ("note0003", "~Bo1", 0.9)])
    )
    conflicts.write_text("note0002,~Cy1,-1\n")
    files = ("--scores", scores, "--conflicts", conflicts)
    code, said, _ = panelist("openreview", "push", VENUE, *files, *shared)
    assert code == 0
    assert "conflicts: 1 edge to send" in said
    # Neither the declared pair nor the one that is a conflict in OpenReview itself.
    assert "scores: 4 edges to send" in said
    assert "nothing was sent" in said
    assert server.of("Affinity_Score") == {}
    assert panelist("openreview", "push", VENUE, *files, *shared, "--send")[0] == 0
    assert len(server.of("Affinity_Score")) == 4
    assert ("note0002", "~Cy1") in server.of("Conflict")
    assignment.write_text("note0003,~Bo1,0.9\n")
    code, _, error = panelist("openreview", "push", VENUE, "--assignment", assignment, *shared, "--send")
    assert (code, "1 pair of the assignment in conflict: note0003 ~Bo1" in error) == (2, True)
    assignment.write_text("note0003,~Cy1,0.9\n")
    assert panelist("openreview", "push", VENUE, "--assignment", assignment, *shared, "--send")[0] == 0
    assert [one["label"] for one in server.edges.values() if one["invitation"].endswith("Proposed_Assignment")] == [
        "panelist"
    ]
    assert "Traceback" not in error


def test_an_assignment_is_checked_against_the_conflicts_beside_it_and_beside_the_scores(
    server, panelist, tmp_path, monkeypatch
):
    monkeypatch.setenv("PANELIST_OPENREVIEW_URL", server.url)
    monkeypatch.setenv("PANELIST_OPENREVIEW_TOKEN", "good")
    scores, assignment = tmp_path / "scores.csv", tmp_path / "assignment.csv"
    for path, paper in ((scores, "note0001"), (assignment, "note0002")):
        conflict = Conflict(paper, "~Cy1", ConflictKind.COAUTHOR, "wrote a paper together")
        write_table(ConflictTable.grouped([conflict]), conflicts_beside(path))
        path.write_text("note0001,~Cy1,0.9\n")
    files = ("--scores", scores, "--assignment", assignment, "--workspace", tmp_path / "w")
    code, _, error = panelist("openreview", "push", VENUE, *files, "--send")
    assert (code, "in conflict: note0001 ~Cy1" in error) == (2, True)
    assert server.of("Affinity_Score") == {}


def test_a_conflict_of_the_venue_holds_for_all_ids_of_a_person(server, panelist, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_OPENREVIEW_URL", server.url)
    monkeypatch.setenv("PANELIST_OPENREVIEW_TOKEN", "good")
    assignment = tmp_path / "assignment.csv"
    assignment.write_text("note0003,~Bo_Second2,0.9\n")
    same_person = TableHeader(reviewers=("~Bo1", "~Bo_Second2"), aliases={"~bo_second2": "~Bo1"})
    write_table(ConflictTable((), same_person), conflicts_beside(assignment))
    code, _, error = panelist("openreview", "push", VENUE, "--assignment", assignment, "--workspace", tmp_path / "w")
    assert (code, "in conflict: note0003 ~Bo_Second2" in error) == (2, True)
