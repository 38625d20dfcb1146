"""Authors in a cell of a table: ids and names, in whichever way an export separates them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.people import read_people, split_people
from panelist.corpus.readers.submissions import read_submissions, to_submission
from panelist.records import Author, Institution


@pytest.mark.parametrize(
    ("cell", "ids", "names"),
    [
        ("", [], []),
        ("Ada Lovelace", [], ["Ada Lovelace"]),
        ("Ada Lovelace; Bob Bee|Cy None", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("Ada Lovelace, Bob Bee and Cy None", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("and Ada Lovelace", [], ["Ada Lovelace"]),
        ("Lovelace, Ada", [], ["Ada Lovelace"]),
        ("Lovelace, Ada; van der Bee, Bob", [], ["Ada Lovelace", "Bob van der Bee"]),
        ("Ada Lovelace (University of London)*; Bob Bee (MIT, Boston)", [], ["Ada Lovelace", "Bob Bee"]),
        ("Ada Lovelace, Bob Bee (University of London) and Cy None", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("~Ada_Lovelace1, ~Bob_Bee1", ["~Ada_Lovelace1", "~Bob_Bee1"], []),
        ("https://orcid.org/0000-0001;Bob Bee", ["https://orcid.org/0000-0001"], ["Bob Bee"]),
        ("Ferdinand Anderson, Alexandra Sand", [], ["Ferdinand Anderson", "Alexandra Sand"]),
        ("Ada Lovelace & Bob Bee / Cy None", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("Ada Lovelace/Bob Bee", [], ["Ada Lovelace", "Bob Bee"]),
        ("Ada Lovelace¹, Bob Bee¹,²* and Cy None3", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("Ada Lovelace, MIT", [], ["Ada Lovelace"]),
        ("Ada Lovelace, MIT, Boston, USA, Bob Bee, University of London", [], ["Ada Lovelace", "Bob Bee"]),
        ("Lovelace, A., Bee, B. C., None, C.", [], ["A. Lovelace", "B. C. Bee", "C. None"]),
        ("Lovelace, Ada and Bee, Bob", [], ["Ada Lovelace", "Bob Bee"]),
        ("Lovelace, Ada, Bee, Bob", [], ["Ada Lovelace", "Bob Bee"]),
        ("Martin King, Jr., Bob Bee, PhD", [], ["Martin King", "Bob Bee"]),
        ("Ada Lovelace <ada@example.org>, Bob Bee (~Bob_Bee1)", ["ada@example.org", "~Bob_Bee1"], []),
        ("Ada Lovelace (0000-0002-1825-0097)\nBob Bee", ["0000-0002-1825-0097"], ["Bob Bee"]),
        ("['~Ada1', \"~Bob1\"]", ["~Ada1", "~Bob1"], []),
        ("['Ada Lovelace', 'Bob Bee']", [], ["Ada Lovelace", "Bob Bee"]),
        ("1, *, ,", [], []),
    ],
)
def test_entries_without_whitespace_are_ids_others_names(cell, ids, names):
    authors, found = read_people("", cell)
    assert ([author.id for author in authors], list(found)) == (ids, names)


def test_names_beside_ids_belong_to_them():
    assert read_people("~Ada1 ~Bob1", "Ada Lovelace; Bob Bee")[0] == (
        Author("~Ada1", "Ada Lovelace"),
        Author("~Bob1", "Bob Bee"),
    )
    assert read_people("~Ada1;~Bob1", "")[0] == (Author("~Ada1", "~Ada1"), Author("~Bob1", "~Bob1"))
    assert read_people("['~Ada1', '~Bob1']", "")[0] == read_people("~Ada1;~Bob1", "")[0]
    with pytest.raises(FieldError, match="1 authors, but 2 author ids"):
        read_people("~Ada1;~Bob1", "Ada Lovelace")


@pytest.mark.parametrize("column", ["authors", "Author", "author_names", "authorids"])
def test_author_columns_of_submissions_are_read(tmp_path, column):
    path = tmp_path / "submissions.csv"
    path.write_text(f"id,title,{column},abstract\ns1,Nets,~Ada1;~Bob1,Deep nets.\ns2,Bees,,Honey.\n")
    first, second = read_submissions(path)
    assert [author.id for author in first.authors] == ["~Ada1", "~Bob1"]
    assert (second.authors, second.author_names) == ((), ())


@pytest.mark.parametrize(
    ("listed", "authors", "names"),
    [
        ([{"name": "Ada", "orcid": "0000"}], [Author("0000", "Ada", "0000")], []),
        ([{"name": "Ada", "email": "A@b.org"}], [Author("A@b.org", "Ada", None, "A@b.org")], []),
        ([{"first": "Ada", "last": "Lovelace"}], [], ["Ada Lovelace"]),
        ([{"fullname": "Ada Lovelace"}], [], ["Ada Lovelace"]),
        ([{"fullname": "Ada Lovelace", "username": "~Ada1"}], [Author("~Ada1", "Ada Lovelace")], []),
        ([{"id": "~A1", "given": "Ada", "family": "Lovelace"}], [Author("~A1", "Ada Lovelace")], []),
        (["Ada Lovelace & Bob Bee", {"name": "Cy None, MIT"}], [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("Ada Lovelace, Bob Bee", [], ["Ada Lovelace", "Bob Bee"]),
    ],
)
def test_authors_of_json_are_known_by_whatever_identifies_them(listed, authors, names):
    found = to_submission({"id": "s", "title": "t", "authors": listed})
    assert (list(found.authors), list(found.author_names)) == (authors, names)


def test_where_an_author_works_is_an_institution_of_the_submission():
    found = to_submission({"id": "s", "title": "t", "authors": [{"name": "Ada", "affiliation": "MIT"}]})
    assert found.institutions == (Institution("MIT"),)


def test_ids_of_openreview_that_were_printed_as_a_list_are_ids():
    content = {"title": "t", "authors": "['Ada Lovelace', 'Bob Bee']", "authorids": "['~Ada1', '~Bob1']"}
    found = to_submission({"id": "s", "content": content})
    assert found.authors == (Author("~Ada1", "Ada Lovelace"), Author("~Bob1", "Bob Bee"))


@pytest.mark.parametrize(
    ("written", "ids"), [("3; 4", ["3", "4"]), (" 2 ", ["2"]), ("1,12", ["1", "12"]), ("0000000218250097", ...)]
)
def test_numbers_alone_are_ids(written, ids):
    ids = [written] if ids is ... else ids
    assert [author.id for author in read_people("", written)[0]] == ids
    for authors in ([written], written.split(";")):
        assert [author.id for author in to_submission({"id": "s", "title": "t", "authors": authors}).authors] == ids


def test_a_word_alone_is_an_id_in_a_list_of_json_as_in_a_table():
    found = to_submission({"id": "s", "title": "t", "authors": ["load", "Ada Lovelace"]})
    assert (found.authors, found.author_names) == ((Author("load", "load"),), ("Ada Lovelace",))


@given(st.text(max_size=60))
def test_any_text_can_be_split_and_nobody_is_empty(text):
    for one in split_people(text):
        assert (one if isinstance(one, str) else one.id).strip()
