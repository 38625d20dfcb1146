"""Authors in a cell of a table: ids and names, in whichever way an export separates them."""

import pytest

from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.people import read_people
from panelist.corpus.readers.submissions import read_submissions
from panelist.records import Author


@pytest.mark.parametrize(
    ("cell", "ids", "names"),
    [
        ("", [], []),
        ("Ada Lovelace", [], ["Ada Lovelace"]),
        ("Ada Lovelace; Bob Bee|Cy None", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("Ada Lovelace, Bob Bee and Cy None", [], ["Ada Lovelace", "Bob Bee", "Cy None"]),
        ("Lovelace, Ada", [], ["Ada Lovelace"]),
        ("Lovelace, Ada; van der Bee, Bob", [], ["Ada Lovelace", "Bob van der Bee"]),
        ("Ada Lovelace (University of London)*; Bob Bee (MIT, Boston)", [], ["Ada Lovelace", "Bob Bee"]),
        ("~Ada_Lovelace1, ~Bob_Bee1", ["~Ada_Lovelace1", "~Bob_Bee1"], []),
        ("https://orcid.org/0000-0001;Bob Bee", ["https://orcid.org/0000-0001"], ["Bob Bee"]),
        ("Ferdinand Anderson, Alexandra Sand", [], ["Ferdinand Anderson", "Alexandra Sand"]),
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
    with pytest.raises(FieldError, match="1 authors, but 2 author ids"):
        read_people("~Ada1;~Bob1", "Ada Lovelace")


@pytest.mark.parametrize("column", ["authors", "Author", "author_names", "authorids"])
def test_author_columns_of_submissions_are_read(tmp_path, column):
    path = tmp_path / "submissions.csv"
    path.write_text(f"id,title,{column},abstract\ns1,Nets,~Ada1;~Bob1,Deep nets.\ns2,Bees,,Honey.\n")
    first, second = read_submissions(path)
    assert [author.id for author in first.authors] == ["~Ada1", "~Bob1"]
    assert (second.authors, second.author_names) == ((), ())
