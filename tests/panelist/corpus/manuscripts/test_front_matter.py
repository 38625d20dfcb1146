"""Title, authors and abstract of invented and of real papers."""

import pytest
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
    people = ["Ada K. Lovelace", "Charles Babbage", "Luigi de Menabrea"]
    assert front_matter(lines) == ("Notes on the Analytical Engine", people, ABSTRACT)


def test_a_page_without_a_title_gives_nothing():
    assert front_matter([]) == ("", [], "")
    assert front_matter(page((10, "word"), (10, "word"))) == ("", [], "")


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
