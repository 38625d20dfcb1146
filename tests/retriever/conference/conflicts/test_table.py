"""The conflict table: look-ups by any spelling, decisions, renewal, and its file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace
from panel_support import at, paper

from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind, Submission
from retriever.conference.committee import Committee
from retriever.conference.conference import Conference
from retriever.conference.conflicts.rules import ConflictRules
from retriever.conference.conflicts.table import (
    ConflictPair,
    ConflictTable,
    Decision,
    OtherPerson,
    TableHeader,
    conflicts_beside,
    read_table,
    write_table,
)

ORCID = "0000-0002-1825-0097"
AT = datetime(2026, 1, 2, tzinfo=UTC)
CONFIRMED, DISMISSED = (Decision(verdict, "Chair", AT) for verdict in ("confirmed", "dismissed"))


def conflict(submission, reviewer, kind="coauthor", certain=True, evidence="wrote together"):
    return Conflict(submission, reviewer, ConflictKind(kind), evidence, certain)


@pytest.fixture
def table():
    return ConflictTable.grouped(
        [
            conflict("s1", f"https://orcid.org/{ORCID}", "institution", certain=False, evidence="same town"),
            conflict("s1", f"https://orcid.org/{ORCID}", "author"),
            conflict("s1", "~Ada_Lovelace1", "author", certain=False, evidence="has the name of the author"),
            conflict("s2", "Mail@Example.org", "declared", evidence="declared by the user"),
        ],
        TableHeader(
            submissions=("s1", "s2"),
            rules=ConflictRules(coauthor_years=None),
            unchecked=("1 of 3 reviewers has no name",),
            unchecked_people={"~Ada_Lovelace1": "no ORCID"},
            aliases={"ada@example.org": "~Ada_Lovelace1"},
        ),
    )


def test_reasons_are_ordered_and_pairs_are_found_by_any_spelling(table):
    for spelling in (ORCID, f"orcid:{ORCID}", f"http://ORCID.org/{ORCID}/"):
        pair = table.of("s1", spelling)
        assert pair.certain
        assert [one.kind for one in pair.reasons] == ["author", "institution"]
        assert pair.evidence == "wrote together; same town"
    assert table.of("s2", "mail@EXAMPLE.org").certain
    assert table.of("s2", ORCID) is None
    assert table.of("s1", "ADA@example.org") is table.of("s1", "~Ada_Lovelace1")
    assert (len(table), set(table.pairs)) == (3, {(one.submission, one.reviewer) for one in table})


def test_possible_pairs_are_blocked_unless_they_are_allowed_or_dismissed(table):
    asked = [("s1", ORCID), ("s1", "~Ada_Lovelace1"), ("s2", "~Ada_Lovelace1")]
    assert len(list(table.blocked())) == 3 == sum(pair.blocked() for pair in table)
    assert len(list(table.blocked("allow"))) == 2
    assert [pair.reviewer for pair in table.check(asked)] == [f"https://orcid.org/{ORCID}", "~Ada_Lovelace1"]
    assert [pair.reviewer for pair in table.check(asked, "allow")] == [f"https://orcid.org/{ORCID}"]
    dismissed = table.decide("s1", "~Ada_Lovelace1", DISMISSED)
    assert [pair.submission for pair in dismissed.blocked()] == ["s1", "s2"]
    confirmed = table.decide("s1", "ada@example.org", CONFIRMED)
    assert confirmed.of("s1", "~Ada_Lovelace1").certain
    assert confirmed.decide("s1", "~Ada_Lovelace1", None) == table
    assert len(list(table.blocked())) == 3  # the value itself is as it was


def test_a_certain_conflict_cannot_be_dismissed_and_an_unknown_one_not_decided(table):
    with pytest.raises(InputError, match=r"certain .*dismissed: wrote together"):
        table.decide("s1", ORCID, DISMISSED)
    with pytest.raises(InputError, match="'s2' and '~Ada_Lovelace1'"):
        table.decide("s2", "~Ada_Lovelace1", CONFIRMED)


def test_what_the_corpus_lost_counts_until_it_is_dismissed_and_nothing_else_can_be():
    lost, known = replace(conflict("s1", "r1"), lost=True), conflict("s1", "r1", "institution")
    table = ConflictTable.grouped([lost])
    assert table.of("s1", "r1").certain
    assert not table.decide("s1", "r1", DISMISSED).of("s1", "r1").blocked()
    with pytest.raises(InputError, match="cannot be dismissed"):
        ConflictTable.grouped([lost, known]).decide("s1", "r1", DISMISSED)
    assert ConflictPair("s1", "r1", (lost, known), DISMISSED).certain  # found after it was dismissed


def test_decisions_are_carried_over_to_what_is_newly_found(table):
    decided = table.decide("s1", "~Ada_Lovelace1", DISMISSED)
    same = ConflictTable(iter(table))
    assert not decided.renewed(same).of("s1", "~Ada_Lovelace1").possible
    more = ConflictTable.grouped(
        [*(r for p in table for r in p.reasons), conflict("s1", "~Ada_Lovelace1", "coauthor", False)]
    )
    assert decided.renewed(more).of("s1", "~Ada_Lovelace1").possible
    certain = ConflictTable.grouped([conflict("s1", "~Ada_Lovelace1", "author")])
    assert decided.renewed(certain).of("s1", "~Ada_Lovelace1").certain
    assert len(decided.renewed(ConflictTable())) == 0
    confirmed = table.decide("s1", "~Ada_Lovelace1", CONFIRMED)
    assert [pair.reviewer for pair in confirmed.renewed(ConflictTable())] == ["~Ada_Lovelace1"]


def test_the_file_holds_everything(table, tmp_path):
    decided = table.decide("s1", "~Ada_Lovelace1", CONFIRMED)
    path = conflicts_beside(tmp_path / "scores.csv.gz")
    assert path == tmp_path / "scores.conflicts.jsonl" == conflicts_beside(tmp_path / "scores.csv")
    write_table(decided, path)
    assert read_table(path) == decided != table
    assert read_table(path).header.unchecked == table.header.unchecked


def test_papers_of_the_corpus_are_in_the_file_only_where_they_are_asked_for(tmp_path):
    table = ConflictTable((), TableHeader(evidence=(paper("p1", "ada"),)))
    write_table(table, tmp_path / "with.jsonl", evidence=True)
    write_table(table, tmp_path / "without.jsonl")
    assert read_table(tmp_path / "with.jsonl") == table
    assert read_table(tmp_path / "without.jsonl") == ConflictTable()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "after 0 pairs"),
        ("[]\n", "after 0 pairs"),
        ('{"panelist_conflicts": 9}\n', "version 9"),
        ('{"panelist_conflicts": 1}\n{"submission": "s1"}\n', "after 0 pairs"),
    ],
)
def test_a_file_that_is_no_table_is_refused(tmp_path, content, message):
    path = Path(tmp_path / "x.conflicts.jsonl")
    path.write_text(content)
    with pytest.raises(InputError, match=message):
        read_table(path)
    with pytest.raises(InputError, match="nowhere"):
        read_table(tmp_path / "nowhere.jsonl")


def test_a_pair_under_two_ids_of_a_reviewer_keeps_the_reasons_of_both():
    """The later one must not hide the earlier one: a possible reason after a certain one would open the pair."""
    first = Conflict("s1", f"https://orcid.org/{ORCID}", ConflictKind.AUTHOR, "is an author")
    second = Conflict("s1", ORCID, ConflictKind.COAUTHOR, "perhaps wrote together", certain=False)
    for reasons in ([first, second], [second, first]):
        (pair,) = ConflictTable.grouped(reasons)
        assert pair.certain
        assert [one.evidence for one in pair.reasons] == ["is an author", "perhaps wrote together"]
    dismissed = Decision("dismissed", "Grace", datetime.now(UTC))
    known = ConflictTable.grouped([second]).decide("s1", ORCID, dismissed)
    (pair,) = ConflictTable([*known, *ConflictTable.grouped([replace(second, evidence="is a namesake")])])
    assert pair.possible


def test_tables_that_are_joined_have_the_reasons_of_both_and_decisions_about_all_of_them():
    certain = Conflict("s1", "r1", ConflictKind.DECLARED, "declared")
    unsure = [Conflict("s2", f"r{i}", ConflictKind.AUTHOR, "has the same name", certain=False) for i in range(3)]
    dismissed = Decision("dismissed", "Grace", datetime.now(UTC))
    known = ConflictTable.grouped([certain, *unsure])
    for one in unsure[:2]:
        known = known.decide("s2", one.reviewer, dismissed)
    more = Conflict("s2", "r1", ConflictKind.COAUTHOR, "wrote together")
    table = known.joined(ConflictTable.grouped([unsure[0], more, replace(certain, certain=False)]))
    assert table.of("s1", "r1").certain
    assert not table.of("s2", "r0").blocked()
    assert table.of("s2", "r1").certain
    assert table.of("s2", "r2").possible


def test_joined_tables_know_people_under_the_ids_of_both():
    known = ConflictTable(header=TableHeader(aliases={f"orcid:{ORCID}": "~Ada_Lovelace1"}))
    late = ConflictTable.grouped([conflict("s1", ORCID, "author")])
    assert known.joined(late).of("s1", "~Ada_Lovelace1").certain


def named(submission, reviewer, author, namesake, kind="author"):
    return Conflict(submission, reviewer, ConflictKind(kind), "name", False, author=author, namesake=namesake)


def test_who_is_another_person_is_dismissed_where_nothing_but_the_name_speaks_for_it():
    reasons = [
        named("s1", "yue", "Yue Zhang", "yue"),
        named("s1", "ann", "Yue Zhang", "yue", "coauthor"),
        named("s2", "ann", "Yue Zhang", "yue", "coauthor"),
        named("s2", "ann", "Yue Zhang", "yue2", "coauthor"),  # by another one of that name, of whom nobody spoke
        named("s3", "yue", "Yue Zhang", "yue"),
        named("s3", "yue", "Yan Zhang", "yue"),
        named("s4", "yue", "Yue Zhang", "yue"),
        conflict("s4", "yue", "institution", certain=False, evidence="same town"),
        named("s5", "yue", "Yue Zhang", "yue"),
        conflict("s5", "yue", "coauthor"),
        named("s6", "yue", "Yue Zhang", "yue"),
        conflict("s6", "judge", "coauthor"),
        named("s7", "yue", "Yue Zhang", ""),  # known by the name alone
    ]
    table = ConflictTable.grouped(reasons, TableHeader(aliases={"y1": "yue"}))
    assert table.resting_on("Y1", "yue  zhang") == ("s1", "s2", "s3", "s4", "s6")
    other = OtherPerson("y1", "YUE ZHANG", DISMISSED, ("judge",))
    judged = table.told_apart([other], ConflictTable())
    assert judged.header == table.header
    assert table.told_apart([], ConflictTable()) is table  # nobody decided anything: there is nothing to go through
    settled = {(pair.submission, pair.reviewer) for pair in judged if pair.decision}
    assert settled == {("s1", "yue"), ("s1", "ann")}
    assert judged.of("s5", "yue").certain
    hidden = ConflictTable.grouped([conflict("s1", "judge", "author")])
    assert not any(pair.decision for pair in table.told_apart([other], hidden))
    both = table.told_apart([other, replace(other, judge=())], hidden)
    assert {pair.submission for pair in both if pair.decision} == {"s1", "s6"}


def test_reasons_under_another_id_of_a_reviewer_are_about_that_id_and_the_same_others():
    reasons = [
        named("s1", "r1", "Yue Zhang", "r1"),
        named("s1", "r1", "Bo Li", "bo", "coauthor"),
        conflict("s1", "r1", "institution", certain=False),
    ]
    table = ConflictTable.grouped(reasons, TableHeader(reviewers=("r1", "r2"), aliases={"r2": "r1"}))
    for found in (table.pairs["s1", "r1"], table.of("s1", "r1")), (table.pairs["s1", "r2"], table.of("s1", "r2")):
        assert found[0] == found[1]
        key = found[0].reviewer
        assert [(one.reviewer, one.namesake) for one in found[0].reasons] == [(key, key), (key, "bo"), (key, "")]


def test_a_reviewer_is_asked_about_every_author_whose_name_fits():
    submission = Submission("s", "Reefs", author_names=("Yue Zhang", "Yan Zhang"))
    committee = Committee.of([paper("p", at("y", name="Y. Zhang"))])
    table = Conference([submission], committee).conflicts()
    assert {reason.author for reason in table.of("s", "y").reasons} == {"Yue Zhang", "Yan Zhang"}
    assert {reason.namesake for reason in table.of("s", "y").reasons} == {"y"}
    assert table.header.unknown == {"s": 2}
    assert table.header.nothing_checked()[0].startswith("0 of 2 authors of 1 submission matched: nothing was checked")


def test_what_rests_on_a_name_goes_when_its_owner_is_another_person():
    reef = ("Reef University", "https://ror.org/02abcde12")
    together = paper("p1", at("yue", reef, name="Yue Zhang"), "mate")
    committee = Committee.of([together, paper("p2", at("near", reef), title="Lagoons")])
    table = Conference([Submission("s", "Reefs", author_names=("Yue Zhang",))], committee).conflicts()
    assert {pair.reviewer: [(one.kind, one.author, one.namesake) for one in pair.reasons] for pair in table} == {
        "yue": [("author", "Yue Zhang", "yue")],
        "mate": [("coauthor", "Yue Zhang", "yue")],
        "near": [("institution", "Yue Zhang", "yue")],
    }
    assert not list(table.told_apart([OtherPerson("yue", "Yue Zhang", DISMISSED)], ConflictTable()).blocked())
