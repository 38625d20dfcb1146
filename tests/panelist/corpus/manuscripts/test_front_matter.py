"""Title, authors and abstract of invented and of real papers."""

import pytest
from msgspec.structs import replace
from pdf_support import measure

from panelist.corpus.manuscripts.front_matter import front_matter
from panelist.corpus.manuscripts.lines import Line
from panelist.corpus.names import names_in_line


def page(*texts):
    """Lines of one page from its top, each given as size and text."""
    return [
        Line(text, 0, 72.0, 300.0, 760.0 - 20 * row, 760.0 - 20 * row, size) for row, (size, text) in enumerate(texts)
    ]


ABSTRACT = "We show that engines can weave algebra in the same way as looms weave flowers."


@pytest.mark.parametrize("heading", [[(12, "Abstract")], []])
def test_title_authors_and_abstract_stand_in_this_order(heading):
    lines = page(
        (8, "Proceedings of the Royal Society, 1843"),
        (16, "Notes on the Analytical"),
        (16, "Engine"),
        (11, "Ada K. Lovelace†, Charles Babbage† and"),
        (11, "Luigi de Menabrea"),
        (9, "†University of Turin, Turin, Italy"),
        (9, "New Cavendish, Portland Place"),
        *heading,
        (10, ABSTRACT),
        (12, "1 Introduction"),
        (10, "It is known that the engine has a mill."),
    )
    found = front_matter(lines)
    assert found.title == "Notes on the Analytical Engine"
    assert found.authors == ["Ada K. Lovelace", "Charles Babbage", "Luigi de Menabrea"]
    assert found.abstract == ABSTRACT
    assert found.sure == {"title": "high", "authors": "high", "abstract": "high" if heading else "low"}


@pytest.mark.parametrize("lines", [[], page((10, "word"), (10, "word"))])
def test_a_page_without_a_title_gives_nothing(lines):
    found = front_matter(lines)
    assert (found.title, found.authors, found.abstract) == ("", [], "")
    assert set(found.sure.values()) == {"none"}


@pytest.mark.parametrize(
    ("heading", "end"),
    [
        ("Résumé.", "Mots-clés : tides"),
        ("Zusammenfassung", "1 Einleitung"),
        ("Resumen:", "Palabras clave"),
        ("RESUMO —", "Palavras-chave: a"),
        ("A B S T R A C T", "Keywords"),
    ],
)
def test_headings_of_five_languages_begin_and_end_an_abstract(heading, end):
    found = front_matter(
        page((16, "Notes on the engine"), (11, "Ada Lovelace"), (10, heading), (10, ABSTRACT), (10, end))
    )
    assert found.abstract == ABSTRACT
    assert found.sure["abstract"] == "high"


def test_a_structured_abstract_keeps_its_first_part():
    parts = [(10, "Context: we weave algebra."), (10, "Results: it is done by the engine.")]
    found = front_matter(
        page((16, "Notes on the engine"), (11, "Ada Lovelace"), (12, "Abstract"), *parts, (12, "Keywords"))
    )
    assert found.abstract == "Context: we weave algebra. Results: it is done by the engine."


def test_the_cover_of_a_repository_is_skipped():
    cover = page(
        (20, "UC San Diego"),
        (14, "UC San Diego Previously Published Works"),
        (10, "Permalink"),
        (10, "Authors"),
        (10, "Publication Date 1843"),
        (9, "Powered by the California Digital Library"),
    )
    paper = page((16, "Notes on the engine"), (11, "Ada Lovelace"), (12, "Abstract"), (10, ABSTRACT))
    found = front_matter([*cover, *(replace(line, page=1) for line in paper)])
    assert (found.title, found.authors, found.abstract) == ("Notes on the engine", ["Ada Lovelace"], ABSTRACT)


def test_an_abstract_beside_the_introduction_is_read_in_its_own_column():
    def line(text, left, top):
        return Line(text, 0, left, left + 200, top, top, 10.0)

    lines = [
        Line("Notes on the engine", 0, 150, 450, 760, 760, 16.0),
        Line("Ada Lovelace", 0, 250, 350, 730, 730, 11.0),
        line("ABSTRACT", 72, 700),
        line("1. INTRODUCTION", 320, 700),
        line("We weave algebra with the engine", 72, 688),
        line("as looms weave flowers and leaves.", 72, 676),
        line("It is known that engines have a mill.", 320, 688),
    ]
    assert front_matter(lines).abstract == "We weave algebra with the engine as looms weave flowers and leaves."


def test_addresses_are_no_names():
    assert names_in_line("C. Contreras, Michigan State University, 48823 East Lansing, MI, USA") == ["C. Contreras"]
    assert names_in_line("Katherine Heller KH204@DUKE.EDU, Cara O’Brien") == ["Katherine Heller", "Cara O’Brien"]


@pytest.mark.data
def test_real_papers_give_title_authors_abstract_and_references(data_dir):
    papers = list(measure(data_dir / "pdfs"))
    mean = {
        name: sum(paper[name] for paper in papers) / len(papers)
        for name in ("title", "authors", "abstract", "references", "first", "last")
    }
    assert mean["title"] >= 0.9, mean
    assert mean["authors"] >= 0.85, mean
    assert mean["abstract"] >= 0.9, mean
    assert min(mean["references"], mean["first"], mean["last"]) >= 0.8, mean
