"""Conflicts of interest in `panelist affinity`: who gets no score, who is flagged, and what cannot be checked."""

import csv
import json
from functools import partial

import pytest
from openreview_support import read_scores
from tiny_model import make_tiny_model

from indexing.jobs.build import IndexJobs
from panelist.app.demo import corpus
from panelist.workspace import Workspace
from retriever.conference.conflicts.table import read_table

PROFILES = (
    "reviewer,paper,title,abstract,name,year\n"
    "r:ada,p1,Neural networks,Deep nets learn.,Ada Net,2024\n"
    "r:bob,p1,Neural networks,Deep nets learn.,Bob Bee,2024\n"
    "r:bob,p2,Honey bees,Bees dance.,Bob Bee,2024\n"
    "r:cy,p2,Honey bees,Bees dance.,Cy Old,2024\n"
    "r:cy,p3,Wax,Combs of wax.,Cy Old,2010\n"
    "r:dee,p3,Wax,Combs of wax.,Dee Far,2010\n"
    "r:eve,p4,Honey,Honey is sweet.,Eve Sweet,\n"
    "r:dee,p4,Honey,Honey is sweet.,Dee Far,\n"
)


@pytest.fixture
def run(panelist, tmp_path, monkeypatch):
    monkeypatch.setenv("PANELIST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PANELIST_WORKSPACE", str(tmp_path / "workspace"))
    return partial(panelist, "affinity")


@pytest.fixture
def check(run, tmp_path):
    """Score submissions of a CSV file against the profiles; returns summary, scores, constraints, possible ones."""
    (tmp_path / "expertise.csv").write_text(PROFILES)

    def score(submissions, *arguments):
        (tmp_path / "submissions.csv").write_text(submissions)
        out, constraints, possible = (tmp_path / name for name in ("scores.csv", "constraints.csv", "possible.csv"))
        code, printed, err = run(
            *("-s", tmp_path / "submissions.csv", "-r", tmp_path / "expertise.csv", "-o", out, "-m", "bm25", "--json"),
            *("--constraints", constraints, "--possible", possible, *arguments),
        )
        assert code == 0
        with possible.open(encoding="utf-8", newline="") as file:
            flagged = {(paper, reviewer): evidence for paper, reviewer, _, evidence in csv.reader(file)}
        closed = {tuple(line.split(",")[:2]) for line in constraints.read_text().splitlines()}
        return json.loads(printed), read_scores(out), closed, flagged, err

    return score


def test_authors_by_id_and_their_coauthors_of_recent_years_get_no_score(check):
    summary, scores, closed, flagged, err = check("id,title,authors,abstract\ns1,Bees,r:bob,Bees and nets.\n")
    assert closed == {("s1", "r:bob"), ("s1", "r:ada"), ("s1", "r:cy")}
    assert {reviewer for _, reviewer in scores} == {"r:dee", "r:eve"}
    assert (summary["conflicts"], summary["possible_conflicts"], flagged, err) == (3, 0, {}, "")


def test_what_was_written_together_long_ago_is_no_conflict_and_without_a_year_a_possible_one(check):
    _, scores, closed, flagged, _ = check("id,title,authors,abstract\ns1,Beeswax,r:dee,Combs.\n")
    assert closed == {("s1", "r:dee")}
    assert flagged == {("s1", "r:eve"): "co-authored “Honey” without a known year with Dee Far"}
    assert {"r:cy", "r:eve"} <= {reviewer for _, reviewer in scores}
    _, _, closed, _, _ = check("id,title,authors,abstract\ns1,Beeswax,r:dee,Combs.\n", "--years", 20)
    assert closed == {("s1", "r:dee"), ("s1", "r:cy")}


def test_the_rules_of_a_venue_hold_and_say_what_they_cannot_check(check):
    submitted = "id,title,authors,abstract\ns1,Beeswax,r:dee,Combs.\n"
    summary, _, closed, _, _ = check(submitted, "--conflict-rules", "openreview")  # whoever ever wrote with an author
    assert closed == {("s1", "r:dee"), ("s1", "r:cy"), ("s1", "r:eve")}
    assert summary["unchecked_conflicts"] == [
        "5 of 5 reviewers have no institution: whose colleagues they are cannot be known",
        "nothing is known here of advisors and students, e-mail domains",
    ]
    assert check(submitted, "--conflicts", "ignore")[0]["unchecked_conflicts"] == []


def test_submissions_none_of_whose_authors_is_known_are_named(check):
    summary, *_, err = check("id,title,authors,abstract\ns1,Bees,Nobody Known; r:ghost,Nets.\ns2,Nets,r:bob,Nets.\n")
    said = "0 of 2 authors of 1 submission matched: nothing was checked but whether their names fit a reviewer's"
    assert summary["unchecked_conflicts"][0] == said
    assert err == f"WARNING conflicts of interest: {said}: s1\n"


def test_authors_by_name_are_possible_conflicts_with_their_evidence(check):
    summary, scores, closed, flagged, _ = check('id,title,authors,abstract\ns1,Bees,"BEE, Bób; Zoe Else",Nets.\n')
    assert closed == set()
    assert flagged == {
        ("s1", "r:ada"): "co-authored “Neural networks” in 2024 with Bób BEE (matched by name)",
        ("s1", "r:bob"): "has the name of the author Bób BEE",
        ("s1", "r:cy"): "co-authored “Honey bees” in 2024 with Bób BEE (matched by name)",
    }
    assert {reviewer for _, reviewer in scores} == {"r:ada", "r:bob", "r:cy", "r:dee", "r:eve"}
    assert (summary["conflicts"], summary["possible_conflicts"]) == (0, 3)


@pytest.mark.parametrize("written", ["B. Bee", "Bee Bob", "Bob Maria Bee", "Dr. Bob BEE"])
def test_other_forms_of_a_name_are_possible_conflicts_too(check, written):
    _, _, closed, flagged, _ = check(f"id,title,authors,abstract\ns1,Bees,{written},Nets.\n")
    assert (closed, ("s1", "r:bob") in flagged) == (set(), True)


def test_the_same_orcid_in_another_form_is_the_same_person(run, tmp_path):
    orcid = "0000-0002-1825-0097"
    (tmp_path / "expertise.csv").write_text(
        f"reviewer,paper,title,abstract\nhttps://orcid.org/{orcid},p1,Bees,Dance.\n"
    )
    (tmp_path / "s.csv").write_text(f"id,title,abstract,authorids\ns1,Nets,Deep.,orcid:{orcid}\n")
    constraints = tmp_path / "constraints.csv"
    code, _, _ = run(
        *("-s", tmp_path / "s.csv", "-r", tmp_path / "expertise.csv", "-o", tmp_path / "o.csv", "-m", "bm25"),
        *("--constraints", constraints),
    )
    assert (code, constraints.read_text()) == (0, f"s1,https://orcid.org/{orcid},-1\n")


def test_conflicts_can_be_flagged_or_ignored(check):
    submissions = "id,title,authors,abstract\ns1,Bees,r:bob;Eve Sweet,Bees and nets.\n"
    _, scores, closed, flagged, _ = check(submissions, "--conflicts", "flag")
    assert {reviewer for _, reviewer in scores} == {"r:ada", "r:bob", "r:cy", "r:dee", "r:eve"}
    assert closed == {("s1", "r:bob"), ("s1", "r:ada"), ("s1", "r:cy")}
    assert {reviewer for _, reviewer in flagged} == {"r:eve", "r:dee"}
    summary, scores, closed, flagged, _ = check(submissions, "--conflicts", "ignore")
    assert (len(scores), closed, flagged, summary["conflicts"]) == (5, set(), {}, 0)


def test_possible_conflicts_that_were_checked_can_be_declared(check, tmp_path):
    submissions = "id,title,authors,abstract\ns1,Bees,Bob Bee,Nets.\n"
    check(submissions)
    checked = tmp_path / "checked.csv"
    checked.write_text((tmp_path / "possible.csv").read_text())
    _, scores, closed, flagged, _ = check(submissions, "--declared", checked)
    assert closed == {("s1", reviewer) for reviewer in ("r:ada", "r:bob", "r:cy")}
    assert (flagged, {reviewer for _, reviewer in scores}) == ({}, {"r:dee", "r:eve"})


def test_owners_of_the_same_note_are_coauthors(run, venue, tmp_path):
    """Archives: whoever has the same note as an author wrote with them; ids of OpenReview say the name."""
    note = {"id": "n9", "content": {"title": "Nets and bees", "abstract": "Both.", "year": 2024}}
    for owner in ("~Ada_Net1", "~Bob_Bee1"):
        with (venue / "archives" / f"{owner}.jsonl").open("a") as file:
            file.write(json.dumps(note) + "\n")
    by_id = {"title": "Wax", "abstract": "Combs.", "authorids": ["~Ada_Net1"], "authors": ["Ada Net"], "year": 2025}
    by_name = {"title": "Two waxes", "abstract": "Combs!", "authors": ["Ada Net"], "year": 2025}
    submitted = {"s1": {"id": "s1", "content": by_id}, "s2": {"id": "s2", "content": by_name}}
    (venue / "submissions.json").write_text(json.dumps(submitted))
    constraints, possible = tmp_path / "constraints.csv", tmp_path / "possible.csv"
    code, _, err = run(
        *("-s", venue, "-r", venue, "-o", tmp_path / "scores.csv", "-m", "bm25"),
        *("--constraints", constraints, "--possible", possible),
    )
    assert (code, err) == (0, "")
    assert constraints.read_text() == "s1,~Ada_Net1,-1\ns1,~Bob_Bee1,-1\n"
    assert possible.read_text() == (
        "s2,~Ada_Net1,-1,has the name of the author Ada Net\n"
        "s2,~Bob_Bee1,-1,co-authored “Nets and bees” in 2024 with Ada Net (matched by name)\n"
    )


def test_an_indexed_corpus_flags_namesakes_as_the_look_up_does(run, tmp_path):
    workspace = Workspace.at()
    with workspace.open_corpus(create=True) as store:
        store.upsert(corpus())
        IndexJobs(workspace.index_path).build(store, encoder=str(make_tiny_model(tmp_path / "model")), engine="bm25s")
        author = next(paper for paper in store.iter_papers() if len(paper.authorships) > 1).authorships[0].author
    mine = {"id": "mine", "title": "Anything", "authors": [author.name]}
    (tmp_path / "s.jsonl").write_text(json.dumps(mine) + "\n")
    possible = tmp_path / "possible.csv"
    code, printed, _ = run(
        *("-s", tmp_path / "s.jsonl", "-o", tmp_path / "o.csv", "-m", "bm25"), "--possible", possible, "--json"
    )
    assert code == 0
    summary = json.loads(printed)
    assert (summary["conflicts"], summary["possible_conflicts"] > 1) == (0, True)
    assert f"mine,{author.id},-1,has the name of the author {author.name}" in possible.read_text().splitlines()


def test_all_conflicts_are_written_beside_the_scores(run, tmp_path):
    (tmp_path / "expertise.csv").write_text(PROFILES)
    (tmp_path / "submissions.csv").write_text("id,title,authors,abstract\ns1,Bees,r:bob,Bees and nets.\n")
    job = ["-s", tmp_path / "submissions.csv", "-r", tmp_path / "expertise.csv", "-o", tmp_path / "s.csv", "-m", "bm25"]
    printed = run(*job)[1]
    beside = tmp_path / "s.conflicts.jsonl"
    assert "certain conflict of interest: 3; they get no score\n" in printed
    assert f"all conflicts, for 'panelist assign': '{beside}'" in printed
    assert {pair.reviewer for pair in read_table(beside).blocked()} == {"r:ada", "r:bob", "r:cy"}
    _, _, told = run(*job, "--conflicts", "ignore")
    assert not beside.exists()  # it would be taken for the table of the new scores
    assert f"'{beside}' was of earlier scores and is removed" in told
