"""Ids and names in many forms: what is the same, what may be, and what is not."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from panel_support import same_person

from panelist.corpus.identity import comparable, identity_key, identity_keys, is_wrong_orcid, spellings
from panelist.corpus.names import in_latin
from retriever.conference.institution_names import InstitutionNames, institution_parts
from retriever.conference.names import People, name_words, same_full_name

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


def test_escapes_count_in_addresses_only():
    assert comparable("a%41b") == "a%41b"
    assert comparable("http://x.org/a%41b") == "http://x.org/aab"


SITES = ("https://{}.org/", "http://{}.org/", "https://www.{}.org/", "{}:", "")


@pytest.mark.parametrize(
    ("kind", "bares"),
    [
        ("orcid", ("0000-0002-9079-593X", "0000-0002-9079-593x", "000000029079593X", "000000029079593x")),
        ("ror", ("042nb2s44", "042NB2S44")),
        ("openalex", ("A12", "a12")),
    ],
)
def test_an_id_is_looked_for_in_the_forms_in_which_corpora_write_it(kind, bares):
    forms = {f"{site.format(kind)}{bare}{slash}" for site in SITES for bare in bares for slash in ("", "/")}
    forms = {form for form in forms if identity_key(form)}
    assert len(forms) > len(SITES)
    if kind == "orcid":  # without hyphens as others write it: with the letter in its capital form
        forms = {form for form in forms if "000000029079593x" not in form}
    assert all(forms <= {*spellings(form)} for form in forms)


@given(st.text("0123456789", min_size=15, max_size=15))
@example("0" * 15)
@example("000000000000001")
def test_the_last_digit_of_an_orcid_is_the_one_that_makes_its_sum_one(digits):
    """ISO 7064, 11-2: each digit counts twice as much as the one after it; X is ten."""
    whole = [int(digit) for digit in digits]
    right = [check for check in range(11) if sum(d * 2**n for n, d in enumerate([check, *whole[::-1]])) % 11 == 1]
    assert len(right) == 1
    for check, character in enumerate("0123456789X"):
        orcid = f"{digits[:4]}-{digits[4:8]}-{digits[8:12]}-{digits[12:]}{character}"
        assert (identity_key(orcid) is not None) == (not is_wrong_orcid(orcid)) == ([check] == right)


def test_an_orcid_is_wrong_only_where_it_is_written_as_one():
    wrong = ("0000-0002-1825-0098", "https://orcid.org/0000-0002-1825-0098", "0000-0002-9079-5931")
    assert all(map(is_wrong_orcid, wrong))
    others = ("0000-0002-1825-0097", "0000-0002-9079-593x", "0000000218250098", "ada@turin.it", "A12", "")
    assert not any(map(is_wrong_orcid, others))


def test_an_entry_may_hold_several_addresses():
    assert identity_keys("Ada@turin.it, Ada Lovelace <ada@home.uk>") == ("ada@turin.it", "ada@home.uk")
    for one in ("ada@turin.it", "Ada@turin.it; ", "ada@turin.it,", "Ada Lovelace, MIT | ada@turin.it"):
        assert identity_keys(one) == ("ada@turin.it",)
    for opaque in ("https://x.org/@Ada", "elife:00003", "@ada / @bob", ""):
        assert identity_keys(opaque) == (opaque.lower(),)


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
    ("Omar B. Alkhatib", "Omar al-Khatib"),
    ("al-Khatib, Omar", "Omar Alkhatib"),
    ("Jane Doe¹", "Jane Doe"),
    ("J. Edgar Hoover", "Edgar Hoover"),
    ("Md Arafat Sultan", "M. A. Sultan"),
    ("Md. Arafat Sultan", "Arafat Sultan"),
    ("Jane Doe, MD", "Jane Doe"),
    ("Dr. Prof.", "Dr Prof"),
    ("Åsa Doe", "Aasa Doe"),
    ("MÜLLER JÖRG", "Joerg Mueller"),
    ("Jane Doe, MIT", "Jane Doe"),
    ("Jane Doe <jane@doe.org>", "Jane Doe"),
    ("Jane Doe (MIT)", "Jane Doe"),
    ("Mike Doe", "Michael Doe"),
    ("Bob Doe", "Robert Doe"),
    ("B. Doe", "Robert Doe"),
    ("Kristina Doe", "Christina Doe"),
    ("Wladimir Doe", "Vladimir Doe"),
    ("Filip Doe", "Philip Doe"),
    ("Bo Li", "Li Bo"),
    ("Madonna", "MADONNA"),
    ("A. B. C.", "A B C"),
    ("Jane Edgar Hoover", "Edgar Hoover"),
    ("Jane Edgar Ann Hoover", "Edgar Hoover"),
    ("Jane Bo Hoover", "Bo Hoover"),
    ("Jane D'Arcy Hoover", "Darcy Hoover"),
    ("Jane Anna Maria Doe", "Jane Maria Doe"),
    ("Jane Anna Cora Bea Dan Doe", "Jane Bea Doe"),
    ("Abd El Rahman Doe", "Abdelrahman Doe"),
    ("Jane Xiao-Ming Wang", "Jane Xiaoming Wang"),
    ("Jane Xiao Ming Wang", "Xiaoming Wang"),
    ("Jane Abdelrahman Doe", "Abd El Rahman Doe"),
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
    ("Jane E. Hoover", "E. Hoover"),
    ("Jane Anna D.", "Jane D."),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_names_that_may_be_of_one_person(one, other):
    assert same_person(one, other)
    assert same_person(other, one)
    assert People({7: one, 8: "Somebody Else"}).like(other) == [7]
    assert People({8: "Somebody Else", 9: other}).like(one) == [9]


@pytest.mark.parametrize(("one", "other"), OTHERS)
def test_names_of_different_people(one, other):
    assert not same_person(one, other)
    assert not same_person(other, one)
    assert People({7: one}).like(other) == []
    assert People({7: other}).like(one) == []


def test_two_initials_are_like_nobody():
    assert People({1: "J. D.", 2: "Jane Doe"}).like("J. D.") == []


GIVEN = ("J.", "Jane", "E.", "Edgar", "Bob", "Robert", "Bo", "Xiao", "Ming", "Xiaoming", "Anna")
GIVEN += ("B.", "Wladimir", "Vladimir", "Philip", "Filip", "D'Arcy", "Darcy")
NAMES = st.lists(st.sampled_from(GIVEN), min_size=1, max_size=3).flatmap(
    lambda given: st.sampled_from([f"{' '.join(given)} Wang", f"Wang, {' '.join(given)}", f"{'-'.join(given)} Wang"])
)


@given(st.lists(NAMES, max_size=8), NAMES)
def test_people_like_a_name_are_those_whose_names_fit_it_one_by_one(names, wanted):
    fitting = [number for number, name in enumerate(names) if same_person(name, wanted)]
    assert People(dict(enumerate(names))).like(wanted) == fitting


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("Müller-Lüdenscheidt, J.-P.", ("j", "p", "mueller", "luedenscheidt")),
        ("Jane Doe <jane@doe.org>", ("jane", "doe")),
        ("jane@doe.org Jane Doe", ("jane", "doe")),
        ("Jane Doe (MIT)", ("jane", "doe")),
        ("Jane Doe, MIT", ("jane", "doe")),
        ("Jane Doe, PhD", ("jane", "doe")),
        ("Doe, Jane, PhD", ("jane", "doe")),
        ("Prof. Jane Doe", ("jane", "doe")),
        ("Doe JA", ("doe", "j", "a")),
        ("DOE, JANE", ("jane", "doe")),
        ("Smith-Jones, JA", ("j", "a", "smith", "jones")),
        ("Smith-Jones, JAB", ("j", "a", "b", "smith", "jones")),
        ("Smith\u2010Jones, JAB", ("j", "a", "b", "smith", "jones")),
        ("Md. Sultan", ("m", "sultan")),
        ("Prof. Dr.", ("prof", "dr")),
        ("", ()),
    ],
)
def test_the_words_of_a_name(name, words):
    assert name_words(name) == tuple(word for one in words for word in name_words(one))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Lovelace, Ada K.", "Ada Lovelace", True),
        ("Ada King Lovelace", "Ada Lovelace", True),
        ("Lovelace Ada", "Ada Lovelace", True),
        ("Ada Byron Lovelace", "Ada King Lovelace", True),
        ("MADONNA", "Madonna", True),
        ("Yu Wang", "Wang Yu", True),
        ("Jo Xu", "Jo A. Xu", True),
        ("Al Khatib Omar", "Alkhatib Omar", True),
        ("A. Lovelace", "Ada Lovelace", False),
        ("A. Lovelace", "A. Lovelace", False),
        ("A. K. Lovelace", "A. B. Lovelace", False),
        ("Ada Lovelace", "Ada Byron", False),
        ("Ada Lovelace", "Bob Lovelace", False),
        ("Ada King Lovelace", "King Lovelace", False),
        ("Bob Lovelace", "Robert Lovelace", False),
        ("Ada K. L.", "Ada L.", False),
        ("Lovelace", "Ada Lovelace", False),
        ("A. L.", "A. L.", False),
        ("Ada L.", "L. Ada", False),
        ("", "", False),
    ],
)
def test_a_full_name_is_a_family_name_and_a_first_name_that_are_written_out(one, other, same):
    assert same_full_name(one, other) is same_full_name(other, one) is same


@given(st.text(max_size=30), st.text(max_size=30))
@example("IV", "")
@example("\u1d24", "")
def test_any_names_can_be_compared_and_a_name_is_like_itself(one, other):
    assert same_person(one, other) == same_person(other, one)
    # What has an @ is an address, which is no name; some letters of phonetics have no letter in Latin script.
    assert same_person(one, one) or "@" in one or not any(character.isalpha() for character in in_latin(one))


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
