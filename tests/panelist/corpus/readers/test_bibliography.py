"""References of a manuscript from BibTeX, RIS, text and the last pages of a paper."""

import pytest

from panelist.corpus.readers.bibliography import read_bibliography, split_references
from panelist.errors import InputError

BIB = r"""
@comment{title = {not this}}
@article{one, author = {Ada Lovelace}, title = {Notes on the {A}nalytical Engine and its uses},
  journal = {Memoirs}, DOI = {10.1/abc}, year = 1843}
@inproceedings{two,
  title = "On {\"O}rsted's law of currents",
  booktitle = {A volume with a title = {inside}}
}
@misc{three, year = 2001}
@book{four, note = "never closed, title = {After a mark that is never closed}, doi = 10.3/z}
"""
RIS = "TY  - JOUR\nTI  - Coral reefs in warm seas\nDO  - 10.2/x\nER  - \nTY  - BOOK\nT1  - A second title\nER  - \n"


def test_bibtex_gives_titles_and_dois(tmp_path):
    (tmp_path / "a.bib").write_text(BIB)
    assert read_bibliography(tmp_path / "a.bib") == (
        "Notes on the Analytical Engine and its uses. doi:10.1/abc",
        "On \"Orsted's law of currents",
        "After a mark that is never closed. doi:10.3/z",
    )


def test_ris_gives_titles_and_dois(tmp_path):
    (tmp_path / "a.ris").write_text(RIS)
    assert read_bibliography(tmp_path / "a.ris") == ("Coral reefs in warm seas. doi:10.2/x", "A second title")


def test_text_has_one_reference_per_line(tmp_path):
    (tmp_path / "a.txt").write_text("Lovelace A. Notes.\n\n Babbage C. Engines. \n")
    assert read_bibliography(tmp_path / "a.txt") == ("Lovelace A. Notes.", "Babbage C. Engines.")


@pytest.mark.parametrize("content", [b"", b"@comment{nothing}", b"\xff\xfe\x00"])
def test_a_file_without_references_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "a.bib"
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        read_bibliography(path)
    assert "\n" not in str(error.value)


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
