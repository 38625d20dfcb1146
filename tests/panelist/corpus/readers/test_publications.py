"""Publications of one person, as catalogues export them."""

import json

import pytest

from panelist.corpus.readers.publications import publications_of
from panelist.errors import InputError

BIBTEX = "@article{a, title={Notes on engines}, author={Lovelace, Ada and Menabrea, Luigi}, year=1843}"
DBLP = (
    '<?xml version="1.0"?><dblpperson><r><article key="journals/x/L43"><author>Ada Lovelace</author>'
    "<author>Luigi Menabrea</author><title>Notes on engines.</title><year>1843</year></article></r></dblpperson>"
)
PAPER = {
    "paperId": "s2",
    "title": "Notes on engines",
    "year": 1843,
    "authors": [{"authorId": "7", "name": "Luigi Menabrea"}],
}


@pytest.mark.parametrize(
    "text",
    [
        BIBTEX,
        DBLP,
        json.dumps({"data": [PAPER]}),
        json.dumps({"papers": [PAPER]}),
        json.dumps(PAPER),
        json.dumps([PAPER]),
    ],
)
def test_every_form_gives_papers_of_the_person(text):
    (paper,) = publications_of(text, "ada@x.org", "Ada Lovelace")
    assert (paper.id, paper.title, paper.year) == ("ada@x.org#1", "Notes on engines", 1843)
    person, other = (authorship.author for authorship in paper.authorships)
    assert (person.id, person.name) == ("ada@x.org", "Ada Lovelace")
    assert " " in other.id  # a name, and nobody's id
    assert "Menabrea" in other.name


def test_the_abstract_of_a_catalogue_counts():
    (paper,) = publications_of(json.dumps([PAPER | {"abstract": "On Bernoulli numbers."}]), "a", "Ada")
    assert paper.abstract == "On Bernoulli numbers."


@pytest.mark.parametrize("text", ["", "{}", "<a/>", '{"data": []}'])
def test_nothing_is_refused(text):
    with pytest.raises(InputError, match=r"no publication|cannot read references|no reference"):
        publications_of(text, "a", "Ada")
