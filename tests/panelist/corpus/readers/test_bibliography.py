"""References of a manuscript from BibTeX, RIS, PubMed's format and printed text."""

# ruff: noqa: E501 -- files of other programs are easier to read unbroken

import gzip
import unicodedata
from itertools import islice

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panelist.app.bibliographies import references_of
from panelist.corpus.names import normalise_name
from panelist.corpus.readers import openalex
from panelist.corpus.readers.bibliography import read_bibliography
from panelist.corpus.readers.bibliography.printed import read_entry
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
    return references_of(tmp_path / name)


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
    text = "Lovelace É. Notes on engines (1843) doi:10.1234/A.\n\n Babbage C. Engines that think. \n"
    one, two = read(tmp_path, "a.txt", text.encode(encoding))
    line = "Lovelace É. Notes on engines (1843) doi:10.1234/A."
    assert one == Reference(one.title, ("É Lovelace",), year=1843, doi="10.1234/a", text=line)
    assert two == Reference("Engines that think.", ("C Babbage",), text="Babbage C. Engines that think.")


@pytest.mark.parametrize("content", [b"", b"@comment{nothing}", b"\xff\xfe\x00", b"@misc{a, title={x\0y}}"])
def test_a_file_without_references_is_refused_in_one_line(tmp_path, content):
    with pytest.raises(InputError) as error:
        read(tmp_path, "a.bib", content)
    assert "\n" not in str(error.value)


ISI = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Humboldt, A
AF Humboldt, Alexander von
   Bonpland, Aime
TI Coral reefs
   in warm seas
PY 1805
DI 10.2222/X
ER

PT J
AU Nobody, N
ER

EF
"""
ENDNOTE = """<?xml version="1.0"?><xml><records><record><contributors><authors><author><style>Lovelace, Ada</style></author>
</authors></contributors><titles><title><style>Coral reefs in warm seas</style></title></titles><dates><year><style>1843</style></year>
</dates><electronic-resource-num><style>10.2222/X</style></electronic-resource-num></record></records></xml>"""
CSL = """[{"type": "article-journal", "title": "Coral reefs in warm seas", "DOI": "10.2222/X", "issued": {"date-parts": [["1805", 3]]},
"author": [{"family": "Humboldt", "given": "Alexander", "non-dropping-particle": "von"}, {"literal": "The Beagle Team"}]}, {"type": "book"}]"""
RDF = """<rdf:RDF xmlns:rdf="r" xmlns:z="z" xmlns:bib="b" xmlns:dc="d" xmlns:foaf="f"><bib:Article rdf:about="#1"><z:itemType>journalArticle</z:itemType>
<bib:authors><rdf:Seq><rdf:li><foaf:Person><foaf:surname>Lovelace</foaf:surname><foaf:givenName>Ada</foaf:givenName></foaf:Person></rdf:li></rdf:Seq>
</bib:authors><dc:title>Coral reefs in warm seas</dc:title><dc:date>1843</dc:date><dc:identifier>DOI 10.2222/X</dc:identifier></bib:Article>
<bib:Journal rdf:about="j"><dc:title>Sea Letters</dc:title></bib:Journal></rdf:RDF>"""
BBL = r"""\begin{thebibliography}{9}
\bibitem[{Lovelace(1843)}]{one} A.~Lovelace. \newblock Coral reefs in warm seas. \newblock \emph{Memoirs}, 1843. doi:10.2222/x
\bibitem{two} C.~Babbage. \newblock Engines of some kind that think. 1822.
\end{thebibliography}"""
NUMBERED = "[1] A. Lovelace. Coral reefs in warm\nseas. 1843. doi:10.2222/X\n[2] C. Babbage. Engines of some kind that think. 1822.\n"


@pytest.mark.parametrize(
    ("content", "kind", "count", "left_out"),
    [
        (ISI, "Web of Science", 1, {"no title": 1}),
        (ENDNOTE, "EndNote XML", 1, {}),
        (CSL, "CSL-JSON", 1, {"no title": 1}),
        (RDF, "Zotero RDF", 1, {}),
        (BBL, ".bbl", 2, {}),
        (NUMBERED, "text", 2, {}),
        (BIB, "BibTeX", 5, {"no title": 1}),
        (RIS, "RIS", 2, {}),
        (NBIB, "RIS", 2, {}),
    ],
)
def test_one_door_tells_formats_by_their_content_and_counts_what_is_left_out(content, kind, count, left_out):
    found = read_bibliography(content.encode())
    assert (found.format, len(found.references), found.left_out) == (kind, count, left_out)
    if content not in (BIB, NBIB):
        one = found.references[0]
        assert (one.title.rstrip("."), one.doi) == ("Coral reefs in warm seas", "10.2222/x")
        assert one.year in (1805, 1843)
        assert one.authors[0].split()[-1] in ("Humboldt", "Lovelace")


def test_a_long_list_is_cut_aloud():
    found = read_bibliography(RIS.encode()).cut(1)
    assert (len(found.references), found.left_out) == (1, {"over the limit of 1": 1})


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([ISI, ENDNOTE, CSL, RDF, BBL, NUMBERED, BIB, RIS]), st.data())
def test_mutated_files_are_read_or_refused_in_one_line(text, data):
    content = bytearray(text.encode())
    for _ in range(data.draw(st.integers(1, 8))):
        place = data.draw(st.integers(0, len(content)))
        content[place : place + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=4))
    try:
        told = "".join(reference.title for reference in read_bibliography(bytes(content)).references[:1])
    except InputError as error:
        told = str(error)
    assert "\n" not in told


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


@pytest.fixture(scope="module")
def titles(data_dir):
    """The titles of the ACL Anthology that are not ASCII."""
    papers = openalex.read([data_dir / "acl" / "works"], ReadReport())
    return {" ".join(paper.title.split()) for paper in papers if not paper.title.isascii()}


@pytest.mark.data
@pytest.mark.parametrize("form", [r"{{\{}{{{}}}}}", r"\{}{{{}}}"])
def test_accented_titles_come_back_from_latex(tmp_path, titles, form):
    accented = sorted(title for title in titles if latex(title, form) != title)
    entries = [f"@article{{k{n}, title = {{{latex(one, form)}}}}}" for n, one in enumerate(accented)]
    read_back = [one.title for one in read(tmp_path, "acl.bib", "\n".join(entries))]
    assert len(read_back) == len(accented) > 500
    equal = sum(map(str.__eq__, accented, read_back))
    assert equal >= 0.99 * len(accented), f"{equal} of {len(accented)} titles"


def printed(names, form, last=" and ", between=", "):
    written = [form(*name) for name in names]
    return written[0] if len(written) == 1 else between.join(written[:-1]) + last + written[-1]


STYLES = {
    "{people} ({year}). {title}. {venue}, 12(3), 45–67.": (lambda a, b: f"{b}, {a}", ", & "),
    "{people}. {title}. {venue}. {year};12(3):45-67.": (lambda a, b: f"{b} {a.replace('. ', '').strip('.')}", ", "),
    "{people}, “{title},” {venue}, vol. 12, no. 3, pp. 45–67, {year}.": (lambda a, b: f"{a} {b}", ", and "),
    "{people}. {title}. {venue}, 12(3):45–67, {year}.": (lambda a, b: f"{a} {b}", " and "),
    "{people} {year}. {title}. In {venue}.": (lambda a, b: f"{b}, {a}", "; and ", "; "),
}


@pytest.mark.data
@pytest.mark.parametrize("style", STYLES)
def test_printed_references_give_their_names_and_titles_in_any_style(data_dir, style):
    wanted, named, titled, total = 0, 0, 0, 0
    with gzip.open(data_dir / "elife" / "bibliographies.jsonl.gz") as lines:
        papers = [orjson.loads(line) for line in islice(lines, 20)]
    wanted_keys = {"authors", "source", "title", "year"}
    for one in (one for paper in papers for one in paper["references"] if one.keys() >= wanted_keys):
        names = [name.partition(" ")[::2] for name in one["authors"]]
        if not names or not all(first.isalpha() and first.isupper() and last for first, last in names):
            continue
        people = printed([(". ".join(first) + ".", last) for first, last in names], *STYLES[style])
        title = one["title"].rstrip(".")
        found = read_entry(style.format(people=people, title=title, venue=one["source"], year=one["year"]))
        read_names = [normalise_name(name) for name in found.authors]
        named += sum(any(name.endswith(normalise_name(last)) for name in read_names) for _, last in names)
        wanted += len(names)
        titled += found.title == title
        total += 1
    assert total > 500
    assert named >= 0.98 * wanted, f"{named} of {wanted} names"
    assert titled >= 0.93 * total, f"{titled} of {total} titles"


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("Ho VC. The role of IL-6 (interleukin 6) in liver repair. Cell, 2016.",) * 2,
        ("Ho VC. Trends in COVID-19 (SARS-CoV-2) testing. Lancet 395(10223): 497.",) * 2,
        ("Ho VC. Journal of Modern Results 521 (7553) 436. 2015.", ""),
        ("Ho VC. Journal of Modern Results 12 (Suppl. 1), 33. 2015.", ""),
    ],
)
def test_a_number_before_a_parenthesis_is_a_volume_only_where_an_issue_follows(line, title):
    assert read_entry(line).title == (title and title.split(". ")[1])


def test_whole_first_names_collaborations_and_references_without_a_title_are_read():
    one = read_entry("Ada K. Lovelace, Luigi F. Menabrea, and Charles Babbage. 1843. Notes on the engine. In Memoirs.")
    assert one.authors == ("Ada K. Lovelace", "Luigi F. Menabrea", "Charles Babbage")
    assert (one.title, one.year) == ("Notes on the engine", 1843)
    two = read_entry("ATLAS Collaboration, G. Aad et al., Phys. Rev. Lett. 122, 161801 (2019).")
    assert (two.authors, two.title, two.year) == (("G. Aad",), "", 2019)
    assert read_entry("Aa " * 50_000).authors == ()  # hostile lines end, too
