"""Ids and names in many forms: what is the same, what may be, and what is not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from panel_support import same_person

from panelist.corpus.identity import comparable, identity_key, identity_keys, spellings
from retriever.conference.institution_names import InstitutionNames, institution_parts
from retriever.conference.names import People

ORCID = "orcid:0000-0002-1825-0097"


@pytest.mark.parametrize(
    ("given", "key"),
    [
        *((form, ORCID) for form in ("0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097")),
        *((form, ORCID) for form in ("http://www.ORCID.org/0000-0002-1825-0097/", "ORCID:0000-0002-1825-0097")),
        ("0000000218250097", ORCID),
        ("Mailto:Ada@Example.ORG", "ada@example.org"),
        ("https://openreview.net/profile?id=~Ada_Lovelace1", "~ada_lovelace1"),
        ("~Ada_Lovelace1", "~ada_lovelace1"),
        ("000000029079593x", "orcid:0000-0002-9079-593X"),
        ("https://ror.org/042NB2s44/", "ror:042nb2s44"),
        ("042nb2s44", "ror:042nb2s44"),
        ("https://openalex.org/A5023888391", "openalex:A5023888391"),
        ("http://api.openalex.org/authors/a5023888391", "openalex:A5023888391"),
        ("a5023888391", "openalex:A5023888391"),
        *((form, "openalex:A12") for form in ("openalex:a12", "a12", "A12/", "openalex.org/A12")),
        *((form, ORCID) for form in ("orcid.org/0000-0002-1825-0097", "0000\u20100002\u20111825\u20130097")),
        ("https://openreview.net/profile?id=%7EAda_Lovelace1&x=y", "~ada_lovelace1"),
        ("Ada Lovelace <Ada@turin.it>", "ada@turin.it"),
        ("\u200bada@turin.it\ufeff", "ada@turin.it"),
    ],
)
def test_forms_of_an_id_have_one_key(given, key):
    assert identity_key(given) == key
    assert all(identity_key(form) == key for form in spellings(given))
    assert spellings(given)[0] == given


@pytest.mark.parametrize(
    "given",
    ["", "@a12", "elife:00003", "0000000218250098", "https://orcid.org/0000-0001-2345-678x", "1234", "A"],
)
def test_other_ids_are_opaque(given):
    assert identity_key(given) is None
    assert {*spellings(given)} == {given, given.lower(), given.upper()}


def test_opaque_ids_are_the_same_in_any_case_and_coding():
    forms = ("Jos\u00e9_1", "Jose\u0301_1", "JOS\u00c9_1", "jos\u00e9\u200b_1", " Jos\u00e9_1")
    assert {*map(comparable, forms)} == {"jos\u00e9_1"}
    assert "Jose\u0301_1" in spellings(forms[0])


def test_an_entry_may_hold_several_addresses():
    assert identity_keys("Ada@turin.it, Ada Lovelace <ada@home.uk>") == ("ada@turin.it", "ada@home.uk")
    assert identity_keys("ada@turin.it") == ("ada@turin.it",)


SAME = [
    ("J. Doe", "Jane Doe"),
    ("Doe, Jane", "Jane Doe"),
    ("Doe Jane", "Jane Doe"),
    ("Jane A. Doe", "Jane Doe"),
    ("Jane Anna Doe", "Jane A Doe"),
    ("Jean\u2010Pierre Roux", "Jean-Pierre Roux"),
    ("J.-P. Roux", "Jean Pierre Roux"),
    ("Joerg Mueller", "Jörg Müller"),
    ("Soeren Aagaard", "Søren Ågaard"),
    ("Ja\u200bne Doe", "Jane Doe"),
    ("Doe JA", "Jane Anna Doe"),
    ("Dr. Jane Doe", "Jane Doe"),
    ("JANE DOE", "Jane Doe"),
    ("Xiao-Ming Wang", "Xiaoming Wang"),
    ("Wang Xiaoming", "Xiao Ming Wang"),
    ("X.-M. Wang", "Xiaoming Wang"),
    ("王 小明", "王小明"),
    ("王小明", "Xiaoming Wang"),
    ("Иван Петров", "Ivan Petrov"),
    ("И. Петров", "Petrov, Ivan"),
    ("Ji-Hoon Kim", "Jihoon Kim"),
    ("Omar al-Khatib", "Omar Alkhatib"),
    ("O. Alkhatib", "Omar Al-Khatib"),
    ("al-Khatib, Omar", "Omar Alkhatib"),
    ("Jane Doe¹", "Jane Doe"),
    ("J. Edgar Hoover", "Edgar Hoover"),
    ("Md Arafat Sultan", "M. A. Sultan"),
    ("Md. Arafat Sultan", "Arafat Sultan"),
    ("Jane Doe, MD", "Jane Doe"),
    ("Jane Doe, MIT", "Jane Doe"),
    ("Jane Doe <jane@doe.org>", "Jane Doe"),
    ("Jane Doe (MIT)", "Jane Doe"),
    ("Mike Doe", "Michael Doe"),
]
OTHERS = [
    ("Jane Doe", "John Doe"),
    ("Jane A. Doe", "Jane B. Doe"),
    ("J. Doe", "K. Doe"),
    ("Jane Doe", "Jane Roe"),
    ("Wei Li", "Wei Liu"),
    ("Xiao-Ming Wang", "Xiaohong Wang"),
    ("王小明", "Xiaohong Wang"),
    ("Иван Петров", "Igor Petrov"),
    ("J. Edgar Hoover", "Edna Hoover"),
    ("Doe", "Jane Doe"),
    ("", "Jane Doe"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_that_may_be_of_one_person(one, other):
    assert same_person(one, other)
    assert same_person(other, one)
    assert People({7: one, 8: "Somebody Else"}).like(other) == [7]


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_names_of_different_people(one, other):
    assert not same_person(one, other)
    assert not same_person(other, one)
    assert People({7: one}).like(other) == []


@given(st.text(max_size=30), st.text(max_size=30))
@example("IV", "")
def test_any_names_can_be_compared_and_a_name_is_like_itself(one, other):
    assert same_person(one, other) == same_person(other, one)
    # What has an @ is an address, which is no name.
    assert same_person(one, one) or "@" in one or not any(character.isalpha() for character in one)


MIT = "Massachusetts Institute of Technology"
PLACES = InstitutionNames(
    enumerate(
        [
            *(MIT, "MIT", "Dept. of Physics, MIT", "Stanford University", "Manipal University"),
            *("University of California, San Diego", "University of California, Los Angeles", "Univ. X", "Univ. Y"),
        ]
    )
)


@pytest.mark.parametrize(
    ("name", "like"),
    [
        (MIT, {0, 1, 2}),
        ("MIT", {0, 1, 2}),
        ("Department of Computer Science, MIT", {0, 1, 2}),
        (f"{MIT} (MIT)", {0, 1, 2}),
        ("Masachusetts Institute of Technology", {0, 1, 2}),
        ("Stanfrod University", {3}),
        ("School of Medicine, Stanford University, Stanford, CA", {3}),
        ("University of California, San Diego", {5}),
        ("University of California", {5, 6}),
        ("Univ. Z", set()),  # too short for a wrong letter
        ("", set()),
        ("Department of Physics", set()),
    ],
)
def test_institutions_are_known_by_similar_names(name, like):
    assert PLACES.like(name) == like
    assert PLACES.like(name) == like  # remembered


def test_parts_of_a_name():
    name = "Dept. of Physics, University of California, San Diego (UCSD)"
    assert institution_parts(name) == ("University of California", "san diego", ("ucsd",))
    assert institution_parts("Department of Physics") == ("Department of Physics", "", ())


@given(st.lists(st.text(max_size=40), max_size=5), st.text(max_size=40))
def test_any_names_of_institutions_can_be_compared(names, wanted):
    known = InstitutionNames(enumerate(names))
    assert known.like(wanted) <= set(range(len(names)))
    for number, name in enumerate(names):
        assert number in known.like(name)
