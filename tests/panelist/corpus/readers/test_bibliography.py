"""References of a manuscript from BibTeX, RIS, text and the last pages of a paper."""

import unicodedata

import pytest

from panelist.corpus.readers import openalex
from panelist.corpus.readers.bibliography import read_bibliography
from panelist.corpus.readers.bibliography.printed import split_references
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Reference

BIB = r"""
@string{of_the = {of the {A}nalytical}}
@comment{title = {not this}}
@article{one, author = {Lovelace, Ada and Mon{\v{c}}ilo {\'C}iri{\'c} and {The Engine Collaboration} and others},
  title = "Notes " # of_the # { Engine}, journal = {Memoirs}, DOI = {https://doi.org/10.1234/ABC}, year = 1843,
  month = jan}
@inproceedings{two, author = "Ludwig van Beethoven",
  title = "On {\"O}rsted's law of \emph{currents} in \textit{E.~coli} & yeast",
  booktitle = {A volume with a title = {inside}}, date = {1820-07-21}
}
@misc{three, year = 2001}
@misc{three, title = {A key that comes twice}}
@book{four, note = "never closed, title = {After a mark that is never closed}, doi = 10.3333/z}
@misc{five, title = {The last}}
"""
RIS = """TY  - JOUR
TI  - Coral reefs
  in warm seas
AU  - Humboldt, Alexander von
AU  - Bonpland, Aimé
PY  - 1805/03//
DO  - 10.2222/X
ER  -

TY  - BOOK
T1  - A second title
UR  - https://doi.org/10.2222/y
ER  -
"""
NBIB = """
PMID- 1
TI  - Coral reefs in the
      Red Sea.
FAU - Forsskal, Peter
AU  - Forsskal P
LID - S00-1 [pii]
LID - 10.2222/z [doi]
DP  - 1775 Jan

PMID- 2
TI  - Another.
"""


def read(tmp_path, name, content):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_bibliography(tmp_path / name)


def test_bibtex_gives_plain_text_whatever_the_commands_and_entries(tmp_path):
    one, two, three, four, five = read(tmp_path, "a.bib", BIB)
    assert one == Reference(
        "Notes of the Analytical Engine",
        ("Ada Lovelace", "Mončilo Ćirić", "The Engine Collaboration"),
        1843,
        "10.1234/abc",
        "Notes of the Analytical Engine. doi:10.1234/abc",
    )
    assert two.title == two.text == "On Örsted's law of currents in E. coli & yeast"
    assert (two.authors, two.year, two.doi) == (("Ludwig van Beethoven",), 1820, None)
    assert three.title == "A key that comes twice"
    assert (four.title, four.doi) == ("After a mark that is never closed", "10.3333/z")
    assert five.title == "The last"


def test_ris_and_pubmed_records_continue_over_lines(tmp_path):
    one, two = read(tmp_path, "a.ris", RIS)
    people = ("Alexander von Humboldt", "Aimé Bonpland")
    line = "Coral reefs in warm seas. doi:10.2222/x"
    assert one == Reference("Coral reefs in warm seas", people, 1805, "10.2222/x", line)
    assert (two.title, two.doi) == ("A second title", "10.2222/y")
    one, two = read(tmp_path, "a.nbib", NBIB)
    assert (one.title, one.authors) == ("Coral reefs in the Red Sea.", ("Peter Forsskal",))
    assert (one.year, one.doi, two.title) == (1775, "10.2222/z", "Another.")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_text_has_one_reference_per_line_in_any_usual_encoding(tmp_path, encoding):
    text = "Lovelace É. Notes (1843) doi:10.1234/A.\n\n Babbage C. Engines. \n"
    one, two = read(tmp_path, "a.txt", text.encode(encoding))
    assert one == Reference(year=1843, doi="10.1234/a", text="Lovelace É. Notes (1843) doi:10.1234/A.")
    assert two == Reference(text="Babbage C. Engines.")


@pytest.mark.parametrize("content", [b"", b"@comment{nothing}", b"\xff\xfe\x00", b"@misc{a, title={x\0y}}"])
def test_a_file_without_references_is_refused_in_one_line(tmp_path, content):
    with pytest.raises(InputError) as error:
        read(tmp_path, "a.bib", content)
    assert "\n" not in str(error.value)


LETTERS = {"ß": r"{\ss}", "ø": r"{\o}", "Ø": r"{\O}", "ł": r"{\l}", "Ł": r"{\L}", "æ": r"{\ae}", "å": r"{\aa}"}
MARKS = dict(
    zip("\u0300\u0301\u0302\u0303\u0308\u030c\u0327\u0328\u0304\u0306\u0307\u030a\u030b", "`'^~\"vck=u.rH", strict=True)
)


def latex(title, form):
    """A title as BibTeX has it, by a table of our own, so that no library is compared with itself."""
    written = []
    for character in title:
        letter, *marks = unicodedata.normalize("NFD", character)
        if character in LETTERS:
            written.append(LETTERS[character])
        elif len(marks) == 1 and marks[0] in MARKS:
            written.append(form.format(MARKS[marks[0]], {"i": r"\i"}.get(letter, letter)))
        else:
            written.append({"%": r"\%", "&": r"\&", "$": r"\$", "#": r"\#", "_": r"\_"}.get(character, character))
    return "".join(written)


@pytest.mark.data
@pytest.mark.parametrize("form", [r"{{\{}{{{}}}}}", r"\{}{{{}}}"])
def test_accented_titles_come_back_from_latex(tmp_path, data_dir, form):
    titles = [paper.title for paper in openalex.read([data_dir / "acl" / "works"], ReadReport())]
    accented = sorted({" ".join(one.split()) for one in titles if not one.isascii() and latex(one, form) != one})
    entries = [f"@article{{k{n}, title = {{{latex(one, form)}}}}}" for n, one in enumerate(accented)]
    read_back = [one.title for one in read(tmp_path, "acl.bib", "\n".join(entries))]
    assert len(read_back) == len(accented) > 500
    equal = sum(map(str.__eq__, accented, read_back))
    assert equal >= 0.99 * len(accented), f"{equal} of {len(accented)} titles"


STYLES = {
    "bracketed": "[{n}] Lovelace A., Babbage C. {title}. Memoirs, 184{n}.",
    "numbered": "{n}. Lovelace A, Babbage C. {title}. Memoirs, 184{n}.",
    "by name": "Lovelace, A. and Babbage, C. (184{n}). {title}. Memoirs {n}.",
}


@pytest.mark.parametrize("style", STYLES)
def test_the_reference_section_of_a_manuscript_is_divided_into_entries(style):
    title = "A title of work number {n} that is lo-\nnger than a line"
    entries = [STYLES[style].format(n=n, title=title.format(n=n)) for n in range(1, 4)]
    before, after = "A title\nAbstract\nReferences are many.\n1. Introduction\nText.", "Appendix A\nMore."
    text = "\n".join([before, "References", *entries, after])
    found = split_references(text)
    assert len(found) == 3
    for number, entry in enumerate(found, 1):
        assert f"A title of work number {number} that is longer than a line." in entry
        assert "More" not in entry


def test_a_manuscript_without_a_reference_section_has_no_references():
    assert split_references("A title\nReferences are many.\nThe end.") == []
