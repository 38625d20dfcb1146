"""What papers and people are called."""

import numpy as np
import pytest
from indexing_support import load_hashing

from indexing.index import open_index
from indexing.jobs.build import IndexJobs
from indexing.tables.names import name_code
from indexing.tables.references import key_hashes
from panelist.corpus.reference_keys import doi_key, keys_of, title_key
from panelist.corpus.sqlite import SqliteStore
from panelist.records import Author, Authorship, Paper, Reference

SAME = ["Valerie C Ho", "Ho, Valerie C.", "VC Ho", "V. C. Ho", "Ho VC", "V Ho", "Valerie Ho", "Ho, V.C."]
OTHER = ["C Ho", "Valerie C Hu", "Ho", "", "Valerie"]


@pytest.mark.parametrize("name", SAME)
def test_forms_of_a_name_have_one_key(name):
    assert name_code(name).key == "v ho"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Jürgen Müller-Lüdenscheidt", "J. Mueller-Luedenscheidt"),
        ("José García Márquez", "J Garcia Marquez"),
        ("Łukasz Kaiser", "L. KAISER"),
        ("Martin Luther King, Jr.", "M. L. King"),
        ("JEAN-PAUL SARTRE", "JP Sartre"),
        ("Anne De Cian", "A De Cian"),
    ],
)
def test_accents_particles_and_capitals_do_not_matter(one, other):
    assert name_code(one).key == name_code(other).key != ""


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    def paper(number, title, *people, doi=None):
        return Paper(f"p{number}", title, authorships=tuple(Authorship(Author(*one)) for one in people), doi=doi)

    path = tmp_path_factory.mktemp("names")
    papers = [
        paper(1, "Semaphorins direct endothelial motility", ("a1", "Valerie C Ho"), ("a2", "B Smith"), doi="10.1/P1"),
        paper(2, "Annual report of the society", ("a3", "Victor Ho")),
        paper(3, "Annual report of the society", ("a1", "V Ho"), ("a4", "Ho")),
        paper(4, "Motility", ("a2", "Bea Smith")),
    ]
    with SqliteStore(path / "corpus.sqlite") as corpus:
        corpus.upsert(papers)
        jobs = IndexJobs(path / "index", load=load_hashing)
        jobs.build(corpus, encoder="hashing", engine="bm25s")
    with open_index(path / "index", load=load_hashing) as index:
        yield index


def people(index, name):
    return index.ownership.author_ids.take(index.names.people([name_code(name)])[1])


@pytest.mark.parametrize("name", SAME)
def test_people_are_found_by_any_form_of_their_name(index, name):
    assert "a1" in people(index, name)


@pytest.mark.parametrize("name", OTHER)
def test_people_are_not_found_by_other_names(index, name):
    assert people(index, name) == []


def test_an_initial_finds_namesakes_and_a_given_name_tells_them_apart(index):
    assert people(index, "V Ho") == ["a1", "a3"]
    assert people(index, "Victor Ho") == ["a1", "a3"]  # a1 is once printed as "V Ho"
    assert people(index, "Valerie Ho") == ["a1"]
    rows, _ = index.names.people([name_code(one) for one in ("B Smith", "Nobody Else", "Bea Smith", "Bob Smith")])
    assert rows.tolist() == [0, 2, 3]


def test_papers_are_found_by_id_doi_and_a_title_that_is_theirs_alone(index):
    (unit,) = index.units.find(["p1"])
    keys = ["p1", doi_key("https://doi.org/10.1/p1"), title_key("Semaphorins direct: endothelial motility")]
    assert index.names.papers(key_hashes(keys)).tolist() == [unit] * 3
    titles = [title_key("Annual report of the society"), title_key("Motility"), title_key("Something else entirely")]
    assert index.names.papers(key_hashes(titles)).tolist() == [-1] * 3


def test_an_entry_has_the_keys_that_it_gives():
    assert keys_of(Reference("Deep Learning!", doi="https://doi.org/10.1/X")) == ("doi:10.1/x", "title:deeplearning")
    assert keys_of(Reference(text="no title")) == ()
    assert title_key("深度学习及其应用") == "title:深度学习及其应用"
    assert len(title_key("long " * 40)) == len("title:") + 80
    assert np.array_equal(key_hashes([]), [])
