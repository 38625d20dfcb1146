"""Who has a conflict of interest, on what evidence, within which years, under which rules: a table by hand."""

from datetime import UTC, datetime

import msgspec
import pytest
from conflict_support import AUTHOR, COAUTHOR, DECLARED, EVERYONE, INSTITUTION, REEF, XENIA, asked, look
from panel_support import at, ids, make_finder, paper, reasons

from panelist.records import Author, Institution, Submission
from retriever.conference.conflicts.rules import ConflictRules, conflict_rules


def test_every_kind_with_its_evidence(evidence):
    assert evidence(asked(authors=(XENIA,)), declared={"s1": ("nobody",), "s2": ("homonym",)}) == {
        "xenia": [(AUTHOR, True, "author of the submission")],
        "c2019": [(COAUTHOR, True, "co-authored “Coral one” in 2019 with Xenia Reef")],
        "c2017": [(COAUTHOR, True, "co-authored “Coral two” in 2017 with Xenia Reef")],
        "undated": [(COAUTHOR, False, "co-authored “Coral four” without a known year with Xenia Reef")],
        "colleague": [(INSTITUTION, True, "at Reef University in 2019, as Xenia Reef")],
        "moved": [(INSTITUTION, True, "at Reef University in 2018, as Xenia Reef")],
        "silent": [(INSTITUTION, True, "at Reef University in 2009, as Xenia Reef")],
        "unlisted": [(INSTITUTION, False, "at the REEF university in 2019, as Xenia Reef")],
        "nobody": [(DECLARED, True, "declared by the user")],
        "xenia2": [(AUTHOR, False, "has the name of the author Xenia Reef")],
    }


@pytest.mark.parametrize(("years", "within"), [(0, set()), (2, {"c2019"}), (3, {"c2019", "c2017"}), (4, {"c2016"})])
def test_the_years_are_adjustable_and_the_boundary_counts(evidence, years, within):
    found = evidence(asked(authors=(XENIA,)), conflict_rules=ConflictRules(coauthor_years=years))
    coauthors = {author for author, kinds in found.items() if kinds[0][0] is COAUTHOR}
    assert within | {"undated"} <= coauthors
    assert len(coauthors) == {0: 1, 2: 2, 3: 3, 4: 4}[years]


@pytest.mark.parametrize(("years", "colleagues"), [(1, {"colleague", "silent"}), (2, {"colleague", "silent", "moved"})])
def test_the_years_of_shared_institutions_too(evidence, years, colleagues):
    found = evidence(asked(institutions=(Institution(*REEF),)), conflict_rules=ConflictRules(institution_years=years))
    certain = {author for author, kinds in found.items() if kinds[0][:2] == (INSTITUTION, True)}
    assert certain == colleagues | {"xenia"}


def test_each_kind_can_be_switched_off(evidence):
    nothing = ConflictRules(own_authors=False, coauthor_years=None, institution_years=None)
    assert evidence(asked(authors=(XENIA,)), conflict_rules=nothing) == {}


def test_without_a_year_the_newest_paper_says_what_recent_is(finder):
    with_year = finder.find(asked(authors=(XENIA,)), EVERYONE)
    without = finder.find(msgspec.structs.replace(with_year.submission, year=None), EVERYONE)
    assert (without.matches, without.hidden) == (with_year.matches, with_year.hidden)


def test_hide_flag_and_ignore(finder):
    submission = asked(authors=(XENIA,))
    certain = {"xenia", "c2019", "c2017", "colleague", "moved", "silent"}
    hide, flag, ignore = (finder.find(submission, look(conflicts=way)) for way in ("hide", "flag", "ignore"))
    assert ids(ignore) == ids(flag)
    assert [author for author in ids(flag) if author not in {*certain, "xenia2"}] == ids(hide)
    assert {one.reviewer for one in hide.hidden} == certain
    assert {one.reviewer for one in hide.held_back} == {"xenia2"}
    assert flag.hidden == ignore.hidden == flag.held_back == ignore.held_back == ()
    assert all(not match.conflicts for match in ignore.matches)
    assert reasons(hide)["unlisted"] == {(INSTITUTION, False)}


@pytest.mark.parametrize("year", [None, 2050])
def test_a_paper_from_the_future_does_not_move_the_last_years(tmp_path, year):
    now = datetime.now(UTC).year
    papers = [
        paper("own", at("ann", REEF), "bob", year=now - 1),
        paper("colleague", at("cid", REEF), year=now - 1),
        paper("typo", "dan", year=2050),
    ]
    with make_finder(tmp_path, papers) as finder:
        submission = Submission("s", "bleaching", authors=(Author("ann", "Ann"),), year=year)
        panel = finder.find(submission, look(size=9))
    assert ids(panel) == ["dan"]


def test_declared_reviewers_who_are_not_in_the_index_are_noted(finder):
    panel = finder.find(asked(), look(declared={"s1": ("ghost", "nobody", "colleague")}))
    assert any("declared as in conflict, but not in the index: ghost" in note for note in panel.notes)
    assert not {"nobody", "colleague"} & set(ids(panel))


@pytest.mark.parametrize(
    ("name", "hidden", "unchecked"),
    [
        ("panelist", {"xenia", "c2019", "c2017", "colleague", "moved", "silent"}, None),
        ("neurips", {"xenia", "c2019", "c2017", "colleague", "moved", "silent"}, "advisors"),
        ("acl", {"xenia", "c2019", "c2017", "c2016", "colleague", "silent"}, "advisors and students"),
        (
            "openreview",
            {"xenia", "c2019", "c2017", "c2016", "undated", "colleague", "moved", "silent", "left"},
            "advisors and students, e-mail domains",
        ),
    ],
)
def test_rules_by_venue(finder, name, hidden, unchecked):
    panel = finder.find(asked(authors=(XENIA,)), look(conflict_rules=conflict_rules(name)))
    assert {one.reviewer for one in panel.hidden} == hidden
    notes = [note for note in panel.notes if note.startswith("not checked")]
    assert len(notes) == (unchecked is not None)
    assert unchecked is None or unchecked in notes[0]


def test_a_panel_is_complete_however_many_of_the_best_have_a_conflict(tmp_path):
    """Conflicts are looked for among the first of the ranking, and further down where these do not suffice."""
    papers = [paper("own", "ann", *(f"friend{n}" for n in range(80)), title="bleaching of coral reefs", year=2019)]
    papers += [paper(f"q{n}", f"far{n}", title="coral and other animals of the sea", year=2019) for n in range(4)]
    with make_finder(tmp_path, papers) as finder:
        panel = finder.find(asked(authors=(Author("ann", "Ann"),)), look(size=4))
    assert set(ids(panel)) == {f"far{n}" for n in range(4)}
    assert len({one.reviewer for one in panel.hidden}) == 81
