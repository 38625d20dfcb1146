"""Files about conflicts of interest: declared ones as CSV, rules as TOML; mistakes are told with their line."""

import pytest

from panelist.errors import InputError
from retriever.conference.conflicts.declared import read_conflicts
from retriever.conference.conflicts.rules import ConflictRules, conflict_rules


def written(tmp_path, content):
    path = tmp_path / "declared.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "s1,ada\ns2,bob\ns1,cy\n",
        "paper,reviewer\ns1,ada\ns2,bob\ns1,cy\n",
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


def test_missing_file_of_conflicts_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"cannot read '.*nowhere\.csv'"):
        read_conflicts(tmp_path / "nowhere.csv")


@pytest.mark.parametrize("years", [-1, 10**20])
def test_a_number_of_years_that_makes_no_sense_is_refused(years):
    with pytest.raises(InputError, match=f"{years} years .* from 0 to 10,000"):
        ConflictRules(coauthor_years=years)


def test_rules_from_a_file(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text("coauthor_years = 7\ninstitution_years = false\nadvisors = true\n")
    assert conflict_rules(str(path)) == ConflictRules(coauthor_years=7, institution_years=None, advisors=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("years = 3", "unknown key 'years'"),
        ("coauthor_years = 'x'", r"coauthor_years = x .*number"),
        ("advisors = 1", r"advisors = 1 .*boolean"),
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
