"""Publishers' and catalogues' own formats, each by a small invented file in its real shape."""

import gzip
from datetime import date
from importlib import import_module

import pytest
from catalogue_support import ARXIV, EUROPE_PMC, FILES

from panelist.corpus.readers.catalogues import jats
from panelist.corpus.readers.people import identified
from panelist.corpus.readers.report import ReadReport
from panelist.records import Author, Authorship, Institution

ORCID = "0000-0002-1825-0097"


def read(name, path):
    module = import_module(f"panelist.corpus.readers.catalogues.{name}")
    report = ReadReport()
    return list(getattr(module, "READER", module).read([path], report)), report


def write(folder, name, content=None):
    path = folder / FILES[name][0]
    path.write_bytes((content or FILES[name][1]).encode("latin-1" if name == "dblp" else "utf-8"))
    return path


def test_jats_gives_people_with_addresses_what_is_cited_and_who_handled_it(tmp_path):
    report = ReadReport()
    ((paper, roles, published),) = jats.ARTICLES.read([write(tmp_path, "jats")], report)
    assert (paper.id, paper.doi, paper.year, paper.venue) == (
        *("doi:10.1234/engines.00003", "10.1234/Engines.00003", 1843, "Engines"),
    )
    assert (paper.title, paper.abstract) == ("Notes on engines that weave", "Engines weave algebra.")
    ada = Author(f"orcid:{ORCID}", "Ada K Lovelace", ORCID, "a.lovelace@london.example")
    # The second address of the note may be anybody's: it is nobody's.
    assert paper.authorships == (
        Authorship(ada, (Institution("University of London", None, "GB"),)),
        Authorship(Author("name:charles_babbage", "Charles Babbage"), (Institution("Royal Society, London"),)),
    )
    assert report.unidentified_authors == 1
    assert paper.references == ("doi:10.1/loom", "title:ontheweavingofflowers")
    assert (paper.topics, paper.retracted) == (("engines", "looms"), False)
    assert published == date(1843, 12, 31)
    assert {person.name: role for person, role in roles.items()} == {
        "Mary Somerville": "editor",
        "Luigi Menabrea": "editor",
        "Caroline Herschel": "reviewer",
        "Sophie Germain": "reviewer",
        "Emmy Noether": "reviewer",
    }


def test_pubmed_and_europe_pmc(tmp_path):
    (paper,), report = read("pubmed", write(tmp_path, "pubmed"))
    author = Author(f"orcid:{ORCID}", "Joseph Marie Jacquard", ORCID, "jm@silk.example")
    assert paper.authorships == (Authorship(author, (Institution("Silk Works, Lyon, France"),)),)
    assert (paper.id, paper.title, paper.abstract) == ("pmid:17", "Looms of silk.", "To weave. We wove.")
    assert (paper.year, paper.doi, paper.references) == (1998, "10.5/silk", ("pmid:16",))
    assert (paper.topics, paper.retracted, report.unidentified_authors) == (("Silk",), True, 1)
    (paper,), _ = read("pubmed", write(tmp_path, "pubmed", EUROPE_PMC))
    assert (paper.id, paper.abstract, paper.year, paper.cited_by_count) == ("pmid:18", "Aim To spin.", 1779, 3)
    assert [one.author.id for one in paper.authorships] == [f"orcid:{ORCID}"]


def test_crossref_notes_what_is_retracted(tmp_path):
    (paper, notice), report = read("crossref", write(tmp_path, "crossref"))
    assert (paper.id, paper.title, paper.abstract, paper.year) == (
        "doi:10.5/cotton",
        "Looms of cotton",
        "We spin.",
        1785,
    )
    author = Author(f"orcid:{ORCID}", "Edmund Cartwright", ORCID)
    assert paper.authorships == (Authorship(author, (Institution("Doncaster", "https://ror.org/1"),)),)
    assert (paper.references, paper.cited_by_count) == (("doi:10.5/silk", "title:ontheweavingofflowers"), 4)
    assert (paper.retracted, notice.retracted, report.retractions) == (False, True, {"doi:10.5/flax"})
    assert [one.reason for one in report.rejections] == ["DOI: missing"]


def test_dblp_tells_namesakes_apart_and_knows_html_characters(tmp_path):
    (paper,), _ = read("dblp", write(tmp_path, "dblp"))
    assert (paper.id, paper.title, paper.year, paper.doi) == (
        *("dblp:conf/looms/Wang01", "Weaving p-adic cloth", 2001, "10.5/CLOTH"),
    )
    assert [one.author for one in paper.authorships] == [
        Author("dblp:Wei_Wang_0001", "Wei Wang", ORCID),
        Author("dblp:Jürgen_Möller", "Jürgen Möller"),
    ]


def test_arxiv_leaves_versions_out_of_ids(tmp_path):
    (paper,), _ = read("arxiv", write(tmp_path, "arxiv"))
    assert (paper.id, paper.title, paper.year, paper.doi) == (
        *("arxiv:hep-th/9901001", "Looms in ten dimensions", 1999, "10.5/ten"),
    )
    assert paper.authorships == (Authorship(Author("name:ada_lovelace", "Ada Lovelace"), (Institution("London"),)),)


@pytest.mark.parametrize("name", FILES)
def test_gzipped_files_give_the_same_and_cut_files_what_was_whole(tmp_path, name):
    path = write(tmp_path, name)
    papers, _ = read(name, path)
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(name, packed)[0] == papers
    path.write_bytes(path.read_bytes()[:-20])
    _, report = read(name, path)
    assert report.rejected >= 1
    assert "not" in report.rejections[0].reason
    path.write_bytes(b"")
    assert read(name, path)[1].rejected == 1


BOMB = '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><dblp><article key="k"><title>&b;</title></article></dblp>'
FILE = (
    '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><dblp><article key="k"><title>&a;</title></article></dblp>'
)


@pytest.mark.parametrize("content", [BOMB, FILE])
def test_files_that_declare_entities_are_refused(tmp_path, content):
    papers, report = read("dblp", write(tmp_path, "dblp", content))
    assert papers == []
    assert "declares entities" in report.rejections[0].reason


def test_a_file_of_another_format_is_said_to_hold_nothing(tmp_path):
    _, report = read("jats", write(tmp_path, "jats", ARXIV))
    assert report.rejections[0].reason == "holds no element <article>"


def test_authors_who_are_known_by_name_only_can_be_left_out(tmp_path):
    report = ReadReport()
    papers = list(identified(jats.READER.read([write(tmp_path, "jats")], report), report))
    assert [one.author.id for one in papers[0].authorships] == [f"orcid:{ORCID}"]
    assert report.unidentified_authors == 2
