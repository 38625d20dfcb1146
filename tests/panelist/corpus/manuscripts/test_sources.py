"""What LaTeX sources and Word files say of a manuscript, packed or alone, whole or damaged."""

import gzip
import io
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelist.app.confined.sources import guess
from panelist.app.manuscripts import extract
from panelist.corpus.manuscripts.latex import read_latex
from panelist.errors import InputError

sys.path.append(str(Path(__file__).parents[4] / "benchmarks"))
from latex_papers import STYLES, paper

COMMANDS = [name for name in STYLES if not name.startswith(("like-neurips", "like-springer", "structured", "journal-"))]
TEX = r"""\documentclass{article}\title{Of tides % not \title{this}
 and salt}\author{Ada Lovelace\thanks{Of London} \and Émilie du Ch\^atelet \\ Paris}
\begin{document}\maketitle\input{parts/abstract}\section{One}\cite{a,c} \bibliography{own}\end{document}"""
BIB = "@article{a, title={Of kelp}, author={Mary Somerville}, year=1834}\n@article{b, title={Never cited}}\n"


def packed(files, kind):
    data = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(data, "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)
    else:
        with tarfile.open(fileobj=data, mode="w:gz") as archive:
            for name, text in files.items():
                entry = tarfile.TarInfo(f"./{name}")
                entry.size = len(text.encode())
                archive.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


@pytest.mark.parametrize("style", COMMANDS)
def test_the_commands_of_each_class_are_read(style):
    for number in range(3):
        truth = paper(number, style, 7)
        template, form = STYLES[style]
        found = read_latex({"main.tex": template(truth, form)})
        assert (found["title"], found["authors"]) == (truth["title"], truth["authors"])
        assert found["abstract"] == truth["abstract"]
        if style != "like-acl":  # whose references are paragraphs
            assert len(found["references"]) == truth["references"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_gives_its_included_files_and_the_references_that_are_cited(kind):
    files = {
        "main.tex": TEX,
        "parts/abstract.tex": r"\begin{abstract}We measured \emph{tides}.\end{abstract}",
        "own.bib": BIB,
    }
    found = extract(packed(files, kind))
    assert found["title"] == "Of tides and salt"
    assert found["authors"] == ["Ada Lovelace", "Émilie du Châtelet"]
    assert found["abstract"] == "We measured tides."
    assert [line for line in found["references"] if "Of kelp" in line] == found["references"] != []


def test_a_single_gzipped_source_is_read():
    assert guess(gzip.compress(TEX.encode()))["title"] == "Of tides and salt"


def paragraph(text, style="", size=None, raised=""):
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    letters = f'<w:rPr><w:sz w:val="{size}"/></w:rPr>' if size else ""
    above = f'<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{raised}</w:t></w:r>' if raised else ""
    return f"<w:p>{properties}<w:r>{letters}<w:t>{text}</w:t></w:r>{above}</w:p>"


def word(*paragraphs):
    xml = f'<?xml version="1.0"?><w:document xmlns:w="w"><w:body>{"".join(paragraphs)}</w:body></w:document>'
    return packed({"word/document.xml": xml, "[Content_Types].xml": "<Types/>"}, "zip")


@pytest.mark.parametrize("title", [{"style": "Title"}, {"size": 36}, {}])
def test_a_word_file_is_read_by_styles_by_sizes_or_by_order(title):
    found = extract(
        word(
            paragraph("Tidal mixing sets the pace of plankton blooms", **title),
            paragraph("Ada Example, Bob B. Sample", raised="1"),
            paragraph("University of the Sea, Port"),
            paragraph("Abstract", "Heading1"),
            paragraph("We measured how tides stir shallow seas, and how soon the plankton answers."),
            paragraph("Background", "Heading1"),
            paragraph("The sea is never still, as we all know from it."),
            paragraph("References", "Heading1"),
            paragraph("Lovelace A. Of tides and of storms in winter. 1843.", "ListParagraph"),
            paragraph("Somerville M. Of salt and of kelp in summer. 1834.", "ListParagraph"),
            paragraph("Appendix", "Heading1"),
            paragraph("Something long that stands behind the references."),
        )
    )
    assert found["title"] == "Tidal mixing sets the pace of plankton blooms"
    assert found["authors"] == ["Ada Example", "Bob B. Sample"]
    assert found["abstract"] == "We measured how tides stir shallow seas, and how soon the plankton answers."
    assert len(found["references"]) == 2


@pytest.mark.parametrize(
    "content",
    [
        b"PK\x03\x04nothing",
        packed({"a.txt": "x"}, "zip"),
        packed({"a.tex": "no document"}, "zip"),
        gzip.compress(b"x", mtime=0),
    ],
    ids=["damaged", "text", "no document", "gzip"],
)
def test_an_archive_without_a_manuscript_is_refused_in_one_line(content):
    with pytest.raises(InputError) as error:
        extract(content)
    assert "\n" not in str(error.value)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([TEX, TEX.replace("\n", "{")]), st.data())
def test_mutated_sources_are_read_or_refused(text, data):
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(content)))
        content[place : place + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=4))
    try:
        found = guess(bytes(content))
    except (InputError, ValueError):
        return
    assert set(found) >= {"title", "authors", "abstract", "references", "sure"}
