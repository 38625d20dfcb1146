"""What users read about how conflicts were looked for: how many authors were known, and what was not checked."""

import pytest
from conflict_support import REEF, XENIA, asked, look
from msgspec.structs import replace

from panelist.records import Author, ConflictsChecked, Institution
from retriever.conference.conflicts.rules import conflict_rules

NORA, STRANGER = Author("orcid:0", "Nora Nym"), Author("z9", "Zoe Zed")
HERE = Institution(*REEF)


@pytest.mark.parametrize(
    ("given", "checked"),
    [
        (
            {"authors": (XENIA,)},
            ConflictsChecked(
                1, ("xenia",), complete=True, words="conflicts were looked for with 1 of 1 author known by id"
            ),
        ),
        (
            {"authors": (XENIA, NORA, STRANGER), "author_names": ("Ann Arbor", "Neighbour")},
            ConflictsChecked(
                5,
                ("xenia",),
                ("orcid:0", "Neighbour"),
                ("z9", "Ann Arbor"),
                words="conflicts were looked for with 1 of 5 authors known by id; by name only: orcid:0, Neighbour; "
                "not found: z9, Ann Arbor",
            ),
        ),
        (
            {"author_names": ("Ann Arbor",)},
            ConflictsChecked(
                1, missing=("Ann Arbor",), words="nothing was checked: 0 of 1 author matched; not found: Ann Arbor"
            ),
        ),
        (
            {"authors": (STRANGER,), "institutions": (HERE,)},
            ConflictsChecked(
                1, missing=("z9",), words="only institutions were checked: 0 of 1 author matched; not found: z9"
            ),
        ),
        (
            {"institutions": (HERE,)},
            ConflictsChecked(
                words="no author was given: only colleagues were looked for, authors and co-authors may be on the panel"
            ),
        ),
        (
            {},
            ConflictsChecked(
                words="no author was given, so that conflicts are not checked: authors may be on the panel"
            ),
        ),
    ],
)
def test_how_conflicts_stand(finder, given, checked):
    assert finder.find(asked(**given), look()).conflicts_checked == checked


def test_the_paper_itself_says_whose_conflicts_are_looked_for(finder):
    panel = finder.find(replace(asked(), title="Coral one"), look())
    words = "no author was given: the paper itself is known, and conflicts with its authors were looked for"
    assert panel.conflicts_checked == ConflictsChecked(words=words)


def test_what_the_rules_ask_for_and_nobody_knows_is_told(finder):
    panel = finder.find(asked(authors=(XENIA,)), look(conflict_rules=conflict_rules("openreview")))
    assert panel.conflicts_checked == ConflictsChecked(
        1,
        ("xenia",),
        unchecked=("advisors and students", "e-mail domains"),
        words="conflicts were looked for with 1 of 1 author known by id; "
        "not checked: advisors and students, e-mail domains",
    )
    note = "not checked for conflicts, because the corpus does not have them: advisors and students, e-mail domains"
    assert note in panel.notes


def test_what_was_not_found_is_noted(finder):
    wrong = Author("0000-0002-1825-0098", "Ann Arbor", "0000-0002-1825-0098")
    panel = finder.find(asked(authors=(NORA, STRANGER, wrong)), look(declared={"s1": ("ghost", "ghost", "spook")}))
    assert {
        "not in the index, so without known co-authors or institution: z9, 0000-0002-1825-0098",
        "found by name only, so that conflicts with them are possible ones: orcid:0",
        "not an ORCID, because the check digit is wrong, so nobody was found by it: 0000-0002-1825-0098",
        "declared as in conflict, but not in the index: ghost, spook",
    } <= {*panel.notes}
