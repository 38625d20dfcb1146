"""`panelist demo` fills a workspace, says that it is synthetic, and keeps out of a real corpus."""

import json

from conference_support import bare_view, open_conferences

from panelist.app import demo
from panelist.app.desk.conference.conflicts import TABLE
from panelist.app.desk.conference.intake.checks import cross_check
from panelist.app.desk.conference.reviewing import checking, intake
from panelist.app.desk.conference.reviews import load_reviews
from panelist.app.desk.conference.view import Look
from panelist.app.desk.conference.views.scores import ScoreView
from panelist.records import Paper
from panelist.workspace import Workspace
from retriever.conference.conflicts.table import read_table

PAPERS = demo.corpus()


def test_the_command_fills_a_workspace_and_repeats_itself(tmp_path, panelist):
    workspace = tmp_path / "new" / "demo"
    code, first, _ = panelist("demo", "--workspace", workspace, "--json")
    assert code == 0
    summary = json.loads(first)
    assert summary["synthetic"] is True
    assert summary["papers"] == len(PAPERS) == sum(summary["topics"].values())
    with Workspace.at(workspace).open_corpus() as store:
        before = store.fingerprint()
        assert tuple(store.iter_papers()) == PAPERS
    conferences = open_conferences(workspace)
    (conference,) = conferences.list()
    assert conference.id == summary["conference"]
    view = ScoreView(bare_view(conference))
    assert (len(view.papers), len(view.reviewers)) == (42, 40)
    table = conference.content(TABLE, read_table)
    assert {reason.kind for one in table for reason in one.reasons} >= {"author", "coauthor"}
    assert not any(cross_check(conference).values())
    checked = checking.checked(conference, Look(limit=50))
    assert (checked["total"], checked["summary"]["reviews"]) == (42, 126)
    assert any(one["disputes"] for one in checked["papers"])
    assert any(one["uncovered"] for one in checked["papers"])
    assert [one["same_reviewer"] for one in checked["shared"] if one["containment"] > 0.5] == [True]
    (strayed,) = [one for one in checked["matches"] if one["suspected"]]
    assert strayed["nearest"] != strayed["paper"]
    texts = load_reviews(conference)["texts"]
    assert intake.beside_assignment(conference, texts) == []
    assert panelist("demo", "--workspace", workspace, "--json") == (0, first, "")
    (again,) = conferences.list()
    assert (again.id, again.parts, again.events) == (conference.id, conference.parts, conference.events)
    with Workspace.at(workspace).open_corpus() as store:
        assert store.fingerprint() == before


def test_the_command_says_that_it_is_synthetic(tmp_path, panelist):
    code, out, _ = panelist("demo", "--workspace", tmp_path)
    assert code == 0
    assert "Synthetic" in out
    assert all(paper.topics[0] in out for paper in PAPERS)
    assert demo.submissions()[0].id in out


def test_the_command_keeps_out_of_a_real_corpus(tmp_path, panelist):
    with Workspace.at(tmp_path).open_corpus(create=True) as store:
        store.upsert([Paper("real:1", "A real paper")])
    code, _, err = panelist("demo", "--workspace", tmp_path)
    assert code == 2
    assert "1 paper of another corpus" in err
    with Workspace.at(tmp_path).open_corpus() as store:
        assert store.counts().papers == 1
