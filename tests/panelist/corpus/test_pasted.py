"""What is pasted instead of a title: identifiers in all their forms, records of two catalogues, and nonsense."""

import json

import pytest

from panelist.corpus.pasted import Identifier, Record, read_pasted
from panelist.corpus.sqlite import SqliteStore
from panelist.errors import InputError
from panelist.records import Author, Authorship, Paper

HEX = "0796f6cd7f0403a854d67d525e9b32af3b277331"
WORK = {
    "id": "https://openalex.org/W7",
    "title": "Reefs",
    "abstract_inverted_index": {"They": [0], "bleach": [1]},
    "authorships": [
        {"author": {"id": "https://openalex.org/A1", "display_name": "Ada"}},
        {"author": {"display_name": "Bob"}},
        {"raw_author_name": "Cyd"},
    ],
}
S2 = {
    "paperId": HEX,
    "title": "Reefs",
    "abstract": "They bleach",
    "authors": [{"authorId": "9", "name": "Ada"}, {"name": "Bob"}],
}


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("10.7554/eLife.00003", "doi", "10.7554/elife.00003"),
        (" https://doi.org/10.7554/eLife.00003\n", "doi", "10.7554/elife.00003"),
        ("DOI: 10.1000/182", "doi", "10.1000/182"),
        ("W2741809807", "openalex", "W2741809807"),
        ("https://openalex.org/works/w27", "openalex", "W27"),
        ("https://api.openalex.org/works/W27", "openalex", "W27"),
        (HEX.upper(), "semanticscholar", HEX),
        (f"https://www.semanticscholar.org/paper/A-Title/{HEX}?sort=x", "semanticscholar", HEX),
        ("CorpusID: 215416146", "semanticscholar", "CorpusId:215416146"),
    ],
)
def test_identifiers_are_recognised(text, kind, value):
    assert read_pasted(text) == Identifier(kind, value)


@pytest.mark.parametrize("wrapped", [WORK, {"results": [WORK]}, [WORK]])
def test_a_work_of_openalex_is_read(wrapped):
    record = read_pasted(json.dumps(wrapped))
    assert isinstance(record, Record)
    assert (record.paper.title, record.paper.abstract, record.names) == ("Reefs", "They bleach", ("Bob", "Cyd"))


@pytest.mark.parametrize("wrapped", [S2, {"data": [S2]}])
def test_a_paper_of_semantic_scholar_is_read(wrapped):
    record = read_pasted(json.dumps(wrapped))
    assert isinstance(record, Record)
    assert (record.paper.id, record.paper.abstract, record.names) == (HEX, "They bleach", ("Bob",))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Coral reefs", "neither a DOI"),
        ("10.1/x", "neither a DOI"),
        ('{"id": "W1", "title":', "not a whole JSON"),
        ("[]", "paste one record"),
        (json.dumps([WORK, WORK]), "paste one record"),
        ('{"results": []}', "paste one record"),
        (json.dumps(WORK | {"authorships": "Ada"}), "authorships: expected a list"),
        (json.dumps(S2 | {"title": 5}), "title: expected a string"),
        (json.dumps({"id": "W1"}), "neither title nor abstract"),
    ],
)
def test_other_things_are_refused_in_one_line(text, reason):
    with pytest.raises(InputError, match=reason):
        read_pasted(text)


def test_papers_of_the_corpus_are_found_and_authors_told_apart(tmp_path):
    known = Author("https://openalex.org/A1", "Ada Lovelace")
    paper = Paper("https://openalex.org/W7", "Reefs", authorships=(Authorship(known),), doi="10.5555/R")
    with SqliteStore(tmp_path / "corpus.sqlite") as corpus:
        corpus.upsert([paper, Paper(HEX, "Another")])
        for text, found in [("W7", paper), ("doi:10.5555/r", paper), (HEX, Paper(HEX, "Another")), ("W8", None)]:
            identifier = read_pasted(text)
            assert isinstance(identifier, Identifier)
            assert identifier.find(corpus) == found
        record = read_pasted(json.dumps(WORK))
        assert isinstance(record, Record)
        assert record.authors(corpus) == ([known], ["Bob", "Cyd"])
        other = read_pasted(json.dumps(S2))
        assert isinstance(other, Record)
        assert other.authors(corpus) == ([Author("9", "Ada")], ["Bob"])  # an id stays, known or not


@pytest.mark.parametrize(
    "text",
    [
        "@article{k, title={Reefs}, abstract = {They {bleach}}, author={Lovelace, Ada and Bob Bee}, year=2020}",
        "TY  - JOUR\nTI  - Reefs\nAB  - They bleach\nAU  - Lovelace, Ada\nAU  - Bee, Bob\nPY  - 2020\nER  - \n",
        '{"title": "Reefs", "abstract": "They bleach", "authors": ["Ada Lovelace", {"name": "Bob Bee"}], "year": 2020}',
    ],
)
def test_a_record_without_an_id_gets_one(text):
    record = read_pasted(text)
    assert (record.paper.title, record.paper.abstract, record.paper.year) == ("Reefs", "They bleach", 2020)
    assert record.names == ("Ada Lovelace", "Bob Bee")
    assert record.paper.id


def test_of_several_entries_one_is_asked_for():
    with pytest.raises(InputError, match="holds 2 entries: paste one"):
        read_pasted("@misc{a, title={A}}\n@misc{b, title={B}}")
