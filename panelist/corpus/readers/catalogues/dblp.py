"""DBLP's XML, the whole file or parts of it: https://dblp.org/xml. It has no abstracts.

DBLP tells namesakes apart (`Wei Wang 0001`), so that its names serve as ids.
"""

import re
from xml.etree.ElementTree import Element

from panelist.corpus.readers.catalogues.xml import text_of, texts_of, xml_reader, year_in
from panelist.corpus.readers.fields import check_text, identifier
from panelist.corpus.readers.people import distinct_authors
from panelist.corpus.readers.report import ReadReport
from panelist.records import Author, Authorship, Paper

RECORDS = ("article", "inproceedings", "incollection", "book", "phdthesis")
_NUMBER = re.compile(r"\s\d{4}$")
_DOI = re.compile(r"^https?://(?:dx\.)?doi\.org/(10\.\S+)$", re.IGNORECASE)


def to_paper(record: Element, report: ReadReport) -> Paper:
    """One record as a paper; what has no title is refused."""
    key = record.get("key")
    title = text_of(record, "title").removesuffix(".")
    check_text(title, "")
    return Paper(
        identifier(f"dblp:{key}" if key else None, "key"),
        title,
        "",
        year_in(text_of(record, "year")),
        distinct_authors(map(_author, record.iterfind("author")), report),
        text_of(record, "journal", "booktitle", "publisher") or None,
        next((match[1] for address in texts_of(record.iterfind("ee")) if (match := _DOI.match(address))), None),
        retracted=record.get("publtype") == "withdrawn",
    )


def _author(element: Element) -> Authorship | None:
    name = text_of(element)
    author = Author(f"dblp:{name.replace(' ', '_')}", _NUMBER.sub("", name), element.get("orcid"))
    return Authorship(author) if name else None


READER = xml_reader(RECORDS, to_paper)
