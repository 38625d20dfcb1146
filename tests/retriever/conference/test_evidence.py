"""What conflicts rest on is kept: they stay when the corpus loses it, are called lost, and can then be dismissed."""

from datetime import UTC, datetime

import pytest
from indexing_support import load_hashing
from panel_support import make_finder, paper

from indexing.index import open_index
from indexing.jobs.build import IndexJobs
from panelist.corpus.removals import Removals
from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper, Submission
from panelist.workspace import Workspace
from retriever.conference.committee import Committee
from retriever.conference.conference import Conference
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.conflicts.table import Decision, read_table, write_table

ORCID = "0000-0002-1825-0097"
ADA = Author("A1", "Ada Lovelace", ORCID, "ada@example.org")
BEN, CLEO, DORA = (Author(key, name) for key, name in (("B1", "Ben Bee"), ("C1", "Cleo Coe"), ("D1", "Dora Doe")))
ROYAL, TURIN = Institution("Royal College", "https://ror.org/01ej9dk98"), Institution("University of Turin")
PAPERS = [
    Paper("p1", "Engines of two people", "", 2024, (Authorship(ADA), Authorship(BEN))),
    Paper("p2", "Engines of one person", "", 2024, (Authorship(ADA, (ROYAL,)),)),
    Paper("p3", "Wheels of a colleague", "", 2024, (Authorship(CLEO, (ROYAL,)),)),
    Paper("p4", "Cogs of a stranger", "", 2024, (Authorship(DORA, (TURIN,)),)),
    paper("p5", "far", year=2024),
    Paper("p6", "Newer wheels", "", 2025, (Authorship(CLEO),)),
]
COMMITTEE = Committee(("B1", "C1", "D1", "far"), ((),) * 4)
GIVEN = {
    "id": ADA,
    "orcid": Author(f"https://orcid.org/{ORCID}", "A. L."),
    "e-mail": Author("ada@example.org", "A. L.", None, "ada@example.org"),
}
DISMISSED = Decision("dismissed", "chair", datetime(2026, 1, 1, tzinfo=UTC))


def submissions(given):
    return [Submission("s1", "On the analytical engine", "Numbers.", (GIVEN[given],), year=2025)]


def certain(table):
    return {pair.reviewer for pair in table if pair.certain}


@pytest.fixture
def reopened(tmp_path):
    """Open the index of a workspace, after what somebody did to its corpus; everything is closed in the end."""
    opened = []

    def reopen(*removed):
        workspace = Workspace.at(tmp_path)
        if removed:
            with workspace.open_corpus() as corpus:
                Removals(tmp_path).remove(corpus, removed)
                IndexJobs(workspace.index_path, load=load_hashing).add(corpus)
        indexed = open_index(workspace.index_path, load=load_hashing), workspace.open_corpus()
        opened.extend(indexed)
        return indexed

    make_finder(tmp_path, PAPERS).close()
    yield reopen
    for one in opened:
        one.close()


@pytest.mark.parametrize("given", GIVEN)
def test_a_conflict_stays_when_the_corpus_forgets_the_author(reopened, tmp_path, given):
    before = Conference(submissions(given), COMMITTEE, reopened()).conflicts()
    assert certain(before) == {"B1", "C1"}
    assert not any("no longer" in note for note in before.header.unchecked)
    write_table(before, tmp_path / "kept.jsonl", evidence=True)
    kept = read_table(tmp_path / "kept.jsonl").header.evidence

    indexed = reopened("A1")
    alone = Conference(submissions(given), COMMITTEE, indexed)
    assert not certain(alone.conflicts())  # what the corpus can no longer tell
    for _ in range(2):  # what is kept is handed on
        table = Conference(submissions(given), COMMITTEE, indexed, kept).conflicts()
        assert certain(table) == {"B1", "C1"}
        assert all(reason.lost and "no longer has" in reason.evidence for pair in table for reason in pair.reasons)
        assert any(note.startswith("2 conflicts rest on what the corpus no longer") for note in table.header.unchecked)
        kept = table.header.evidence
    dismissed = table.decide("s1", "B1", DISMISSED)
    assert certain(dismissed) == {"C1"}
    assert [pair.reviewer for pair in dismissed.blocked()] == ["C1"]
    assert certain(dismissed.renewed(table)) == {"C1"}


def test_a_conflict_that_is_still_known_cannot_be_dismissed_and_is_not_called_lost(reopened):
    kept = Conference(submissions("id"), COMMITTEE, reopened()).conflicts().header.evidence
    table = Conference(submissions("id"), COMMITTEE, reopened("C1"), kept).conflicts()
    assert {pair.reviewer: {reason.lost for reason in pair.reasons} for pair in table} == {"B1": {False}, "C1": {True}}
    with pytest.raises(InputError, match="certain and cannot be dismissed"):
        table.decide("s1", "B1", DISMISSED)


def test_a_conference_beside_another_corpus_keeps_its_conflicts(reopened, tmp_path):
    kept = Conference(submissions("e-mail"), COMMITTEE, reopened()).conflicts().header.evidence
    with make_finder(tmp_path / "other", [paper("p1", "far", year=2024)]) as other:
        table = Conference(submissions("e-mail"), COMMITTEE, (other.index, other.corpus), kept).conflicts()
    assert certain(table) == certain(Conference(submissions("e-mail"), COMMITTEE, None, kept).conflicts())
    assert certain(table) == {"B1", "C1"}


def test_what_was_kept_obeys_the_rules_and_the_submission_as_they_are_now(reopened):
    kept = Conference(submissions("id"), COMMITTEE, reopened()).conflicts().header.evidence
    indexed = reopened("A1")
    rules = ConflictRules(institution_years=None)
    assert certain(Conference(submissions("id"), COMMITTEE, indexed, kept).conflicts(rules)) == {"B1"}
    other = [Submission("s1", "On the analytical engine", "Numbers.", (DORA,), year=2025)]
    assert certain(Conference(other, COMMITTEE, indexed, kept).conflicts()) == {"D1"}


def test_only_those_concerned_are_kept_and_a_file_of_scores_has_none_of_it(reopened, tmp_path):
    table = Conference(submissions("id"), COMMITTEE, reopened()).conflicts()
    people = {entry.author.name for kept in table.header.evidence for entry in kept.authorships}
    assert people == {"Ada Lovelace", "Ben Bee", "Cleo Coe"}
    assert not any(kept.abstract for kept in table.header.evidence)
    write_table(table, tmp_path / "scores.conflicts.jsonl")
    assert b"example.org" not in (tmp_path / "scores.conflicts.jsonl").read_bytes()


def test_the_paper_by_which_authors_are_known_is_kept(reopened, tmp_path):
    revised = [Submission("p3", "Wheels, revised", "Without authors.")]
    table = Conference(revised, COMMITTEE, reopened()).conflicts()
    assert certain(table) == {"C1"}
    write_table(table, tmp_path / "kept.jsonl", evidence=True)
    assert "p3" in {kept.id for kept in read_table(tmp_path / "kept.jsonl").header.evidence}
