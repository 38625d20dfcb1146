"""Files about conflicts of interest: declared ones as CSV, rules as TOML; mistakes are told with their line."""

import pytest

from panelist.errors import InputError
from panelist.records import Conflict, ConflictKind, Submission
from retriever.conference.conflicts.declared import read_conflicts, unmatched, write_constraints, write_possible
from retriever.conference.conflicts.rules import ConflictRules, check_handling, conflict_rules


def written(tmp_path, content):
    path = tmp_path / "declared.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "s1,ada\ns2,bob\ns1,cy\n",
        "paper,reviewer\ns1,ada\ns2,bob\ns1,cy\n",
        "s1,ada,\ns2,bob,,\ns1,cy,-1,why\n",
        "\ufeffpaper,reviewer,score\r\ns1, ada ,-1\r\n\r\ns2,bob,-1\r\ns1,cy,-1\r\n",
    ],
)
def test_declared_conflicts_are_read(tmp_path, content):
    assert read_conflicts(written(tmp_path, content)) == {"s1": ("ada", "cy"), "s2": ("bob",)}


@pytest.mark.parametrize("content", ["", "paper,reviewer\n"])
def test_nobody_may_be_declared(tmp_path, content):
    assert read_conflicts(written(tmp_path, content)) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("s1,ada\ns2\n", "declared.csv:2: expected 'paper,reviewer', received 's2'"),
        ("paper,reviewer\n\ns1,\n", "declared.csv:3: expected 'paper,reviewer', received 's1,"),
        ('paper,reviewer\n"two\nlines",ada\ns1\n', "declared.csv:4: expected"),
        (b"s1,\xff\x81\n", "is not text in UTF-8"),
        ('s1,"ada\ns2,bob\ns1,cy\n', "declared.csv, line 3: not CSV: unexpected end of data"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path, content, message):
    with pytest.raises(InputError) as error:
        read_conflicts(written(tmp_path, content))
    assert message in str(error.value)


def test_what_is_written_is_read_as_declared(tmp_path):
    found = [
        Conflict("s1", "r,1", ConflictKind.COAUTHOR, "co-authored “Bees”, 2019"),
        Conflict("s1", "r,1", ConflictKind.INSTITUTION, "at Reef University"),
        Conflict("s1", "r2", ConflictKind.AUTHOR, 'has the name "R"', certain=False),
        Conflict("s1", "r2", ConflictKind.INSTITUTION, "at the Reef", certain=False),
    ]
    certain, possible = tmp_path / "certain.csv", tmp_path / "possible.csv"
    write_constraints(found, certain)
    write_possible(found, possible)
    assert certain.read_text() == 's1,"r,1",-1\n'
    assert possible.read_text() == 's1,r2,-1,"has the name ""R"""\n'
    assert [read_conflicts(path) for path in (certain, possible)] == [{"s1": ("r,1",)}, {"s1": ("r2",)}]


def test_what_names_no_submission_or_nobody_of_the_reviewers_is_told():
    declared = {"s1": ["ADA@x.org", "bob"], "s2": ["ada@x.org"]}
    submissions = [Submission("s1", "Bees")]
    assert unmatched(declared, submissions) == ["s2,ada@x.org"]
    assert unmatched(declared, submissions, ["ada@x.org"]) == ["s1,bob", "s2,ada@x.org"]


def test_missing_file_of_conflicts_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"cannot read '.*nowhere\.csv'"):
        read_conflicts(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("years", [-1, 10**20])
def test_a_number_of_years_that_makes_no_sense_is_refused(years):
    with pytest.raises(InputError, match=f"{years} years .* from 0 to 10,000"):
        ConflictRules(coauthor_years=years)
    assert ConflictRules(coauthor_years=0, institution_years=10_000).institution_years == 10_000


def test_only_a_known_way_to_handle_conflicts_is_taken():
    for handling in ("hide", "flag", "ignore"):
        check_handling(handling)
    with pytest.raises(InputError, match="unknown conflict handling 'show': use hide, flag or ignore"):
        check_handling("show")


@pytest.mark.parametrize(
    ("name", "unchecked"),
    [
        ("panelist", ()),
        ("acl", ("advisors and students",)),
        ("openreview", ("advisors and students", "e-mail domains")),
    ],
)
def test_what_a_venue_asks_for_and_no_corpus_has_is_told(name, unchecked):
    assert conflict_rules(name).unchecked() == unchecked


def test_rules_from_a_file(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text("coauthor_years = 7\ninstitution_years = false\nadvisors = true\n")
    assert conflict_rules(str(path)) == ConflictRules(coauthor_years=7, institution_years=None, advisors=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "years = 3",
            "unknown key 'years': use own_authors, coauthor_years, institution_years, advisors, email_domains$",
        ),
        ("coauthor_years = 'x'", "coauthor_years = x .* give a number$"),
        ("advisors = 1", "advisors = 1 .* give a boolean$"),
        ("coauthor_years = -1", "conflicts of the last -1 years"),
        ("= 3", "cannot read conflict rules"),
        (None, "cannot read conflict rules"),
    ],
)
def test_rules_that_make_no_sense_are_refused(tmp_path, content, message):
    path = tmp_path / "rules.toml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(InputError, match=message):
        conflict_rules(str(path))
    with pytest.raises(InputError, match=r"'nips'.* panelist, neurips, acl, openreview"):
        conflict_rules("nips")
