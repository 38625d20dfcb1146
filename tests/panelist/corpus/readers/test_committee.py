"""Lists of people as chairs have them."""

from pathlib import Path

import pytest

from panelist.corpus.readers.committee import lists_people, people_list, read_people_list
from panelist.corpus.readers.report import watch_files
from panelist.errors import InputError


def _first(text):
    person = people_list(text)[0]
    return person.name, person.email, person.orcid, person.institution


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name,email\nAda Lovelace,ada@turin.it", ("Ada Lovelace", "ada@turin.it", None, "")),
        ("E-mail;Affiliation;Name\nada@turin.it;Turin;Ada Lovelace", ("Ada Lovelace", "ada@turin.it", None, "Turin")),
        ("first name\tlast name\temail\nAda\tLovelace\tada@turin.it", ("Ada Lovelace", "ada@turin.it", None, "")),
        ("Ada Lovelace <ada@turin.it>", ("Ada Lovelace", "ada@turin.it", None, "")),
        ('name\n"Lovelace, Ada"', ("Ada Lovelace", None, None, "")),
        (
            "Ada Lovelace,ada@turin.it,University of Turin",
            ("Ada Lovelace", "ada@turin.it", None, "University of Turin"),
        ),
        ("ada@turin.it\tAda\tLovelace", ("Ada Lovelace", "ada@turin.it", None, "")),
        ("Ada Lovelace", ("Ada Lovelace", None, None, "")),
        ("Name,ORCID\nAda Lovelace,0000-0002-1825-0097", ("Ada Lovelace", None, "0000-0002-1825-0097", "")),
        ("Ada Lovelace;https://orcid.org/0000-0002-1825-009x", ("Ada Lovelace", None, "0000-0002-1825-009X", "")),
        ("\ufeffsep=;\nname;email\nAda Lovelace;ada@turin.it", ("Ada Lovelace", "ada@turin.it", None, "")),
    ],
)
def test_a_person_is_read_from_any_order_of_columns(text, expected):
    assert _first(text) == expected


def test_member_numbers_are_not_ids_of_the_corpus():
    person = people_list("member #,first name,last name,role\n7,Ada,Lovelace,senior")[0]
    assert (person.id, person.member, person.role) == (None, "7", "senior")


def test_columns_that_say_nothing_of_people_are_named():
    with watch_files() as files:
        people_list("name,shirt size\nAda Lovelace,M", "pc.csv")
    assert files[Path("pc.csv")].words() == ["column 'shirt size' was not used"]


def test_lines_are_numbered_as_in_the_file(tmp_path):
    path = tmp_path / "pc.csv"
    path.write_text("name\n\nAda Lovelace\n")
    assert [person.line for person in read_people_list(path)] == [3]


@pytest.mark.parametrize("text", ["", "\n\n", "name,email\n"])
def test_a_list_of_nobody_is_refused(text):
    with pytest.raises(InputError, match="names nobody"):
        people_list(text)


def test_a_header_may_stand_below_a_title():
    text = "CONF2025 Reviewers,,\n,,\nFirst Name,Last Name,E-mail\nFinn,Hay,finn@w.org"
    assert [(one.line, one.name, one.email) for one in people_list(text)] == [(4, "Finn Hay", "finn@w.org")]


@pytest.mark.parametrize("header", ["paper,title,abstract", "id,title,abstract,authors", "paper,first,last,email"])
def test_a_table_of_papers_is_no_committee(header):
    with pytest.raises(InputError, match="is a table of papers"):
        people_list(f"{header}\n1,Sorting,We sort.,Ada")


def test_a_title_is_no_paper():
    (person,) = people_list("title,first name,last name,email\nDr.,Finn,Hay,finn@w.org")
    assert person.name == "Finn Hay"
    assert lists_people("title,first name,last name,email\nDr.,Finn,Hay,finn@w.org")
