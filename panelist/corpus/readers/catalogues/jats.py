"""JATS, in which publishers give whole articles (eLife, PLOS, Frontiers, Europe PMC): https://jats.nlm.nih.gov.

Papers come with ORCIDs, institutions, e-mail addresses and what they cite; where a journal names its editors and
reviewers (eLife's `contrib-type`, Frontiers' note 'Reviewed by'), these are read, too.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple
from xml.etree.ElementTree import Element

from panelist.corpus.names import names_in_line, normalise_name
from panelist.corpus.readers.catalogues.xml import text_of, texts_of, xml_reader
from panelist.corpus.readers.fields import FieldError, check_text, identifier
from panelist.corpus.readers.people import EMAIL, distinct_authors, make_author
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.reference_keys import doi_key, title_key
from panelist.records import Author, Authorship, Institution, Paper

_ROLES = {"reviewer": "reviewer", "editor": "editor", "senior_editor": "senior_editor", "assoc_editor": "editor"}

_NOTES = re.compile(r"^\s*(edited|reviewed)\s+by\s*:?\s*", re.IGNORECASE)


class Article(NamedTuple):
    """A paper with the roles, by person, of those whom the journal names as having handled it.

    A role is `reviewer`, `editor` or `senior_editor`; `published` is None where no year is given.
    """

    paper: Paper
    roles: dict[Author, str]
    published: date | None


def to_article(article: Element, report: ReadReport) -> Article:
    """Convert one article to a paper with the people who handled it."""
    meta = article.find("front/article-meta")
    if meta is None:
        raise FieldError("no <article-meta>: give JATS XML")
    ids = {node.get("pub-id-type", ""): text_of(node) for node in meta.iterfind("article-id")}
    doi = ids.get("doi", "")
    pmc = ids.get("pmc") or ids.get("pmcid", "")
    pubmed_key = f"pmc:{pmc.upper().removeprefix('PMC')}" if pmc else f"pmid:{ids['pmid']}" if ids.get("pmid") else None
    title = text_of(meta, "title-group/article-title")
    abstract = next((_plain(node) for node in meta.iterfind("abstract") if not node.get("abstract-type")), "")
    check_text(title, abstract)
    related = {node.get("related-article-type") for node in meta.iterfind("related-article")}
    places = {node.get("id", ""): _institution(node) for node in meta.iter("aff")}
    contacts = {node.get("id", ""): EMAIL.findall(text_of(node)) for node in meta.iter("corresp")}
    people = (node for node in meta.iterfind("contrib-group/contrib") if node.get("contrib-type", "author") == "author")
    people_and_places = ((_author(author, contacts), _places(author, places)) for author in people)
    authorships = (Authorship(author, institutions) if author else None for author, institutions in people_and_places)
    published = _published(meta)
    paper = Paper(
        identifier(doi_key(doi) if doi else pubmed_key, "article-id"),
        title,
        abstract,
        published.year if published else None,
        distinct_authors(authorships, report),
        text_of(article, "front/journal-meta/journal-title-group/journal-title", "front/journal-meta//journal-title")
        or None,
        doi or None,
        tuple(dict.fromkeys(filter(None, map(_cited, article.iterfind("back/ref-list//ref"))))),
        0,
        tuple(dict.fromkeys(texts_of(meta.iterfind("kwd-group/kwd")))),
        "retraction-forward" in related or article.get("article-type") == "retraction",
    )
    return Article(paper, dict(_roles(article, meta)), published)


def _author(contrib: Element, contacts: dict[str, list[str]]) -> Author | None:
    family_name = text_of(contrib, ".//name/surname")
    orcid = text_of(contrib, ".//contrib-id[@contrib-id-type='orcid']")
    email = text_of(contrib, "email", ".//address/email")
    if not email:
        # A note may hold the addresses of several authors: one counts as theirs where it has their last name.
        notes = [contact for xref in contrib.iter("xref") for contact in contacts.get(xref.get("rid", ""), ())]
        stem = normalise_name(family_name).replace(" ", "")[:6]
        email = next((address for address in notes if stem and stem in normalise_name(address).partition("@")[0]), "")
    return make_author(f"{text_of(contrib, './/name/given-names')} {family_name}", orcid, email)


def _places(contrib: Element, places: dict[str, Institution]) -> tuple[Institution, ...]:
    referenced = (places.get(rid) for node in contrib.iter("xref") for rid in (node.get("rid") or "").split())
    direct = (_institution(node) for node in contrib.iterfind("aff"))
    institutions = dict.fromkeys(filter(None, (*referenced, *direct)))
    return tuple(institution for institution in institutions if institution.name)


def _institution(affiliation: Element) -> Institution:
    # Departments come first, and the mark of an affiliation is not part of its name.
    names = (node for node in affiliation.iter("institution") if node.get("content-type") != "dept")
    name = next(iter(texts_of(names)), "")
    marks = texts_of([*affiliation.iterfind("label"), *affiliation.iter("sup")])
    name = name or " ".join(word for word in text_of(affiliation).split() if word not in marks)
    ror = next((text_of(node) for node in affiliation.iter("institution-id") if "ror.org" in text_of(node)), None)
    country = next((node.get("country") for node in affiliation.iter("country") if node.get("country")), None)
    return Institution(name, ror, country)


def _cited(reference: Element) -> str:
    if doi := text_of(reference, ".//pub-id[@pub-id-type='doi']"):
        return doi_key(doi.replace(" ", ""))
    return title_key(text_of(reference, ".//article-title", ".//part-title", ".//chapter-title", ".//data-title"))


def _published(meta: Element) -> date | None:
    """The first day of publication; the last day of the month or year where no more is given."""
    days = []
    for node in meta.iterfind("pub-date"):
        numbers = [text_of(node, name) for name in ("year", "month", "day")]
        if numbers[0].isdecimal() and 1000 <= int(numbers[0]) <= 9999:
            year, month, day = (int(number) if number.isdecimal() else 0 for number in numbers)
            month = month if 1 <= month <= 12 else 12
            last_day = monthrange(year, month)[1]
            days.append(date(year, month, day if 1 <= day <= last_day else last_day))
    return min(days, default=None)


def _plain(abstract: Element) -> str:
    """An abstract without its heading and without the DOI that eLife prints below it."""
    texts = [text_of(node) for node in abstract.iter() if node.tag in ("p", "title") and text_of(node)]
    texts = [text for text in texts if not text.startswith(("DOI:", "http")) and text.lower() != "abstract"]
    return " ".join(texts) or text_of(abstract)


def _roles(article: Element, meta: Element) -> Iterator[tuple[Author, str]]:
    for parent in [meta, *article.iterfind("sub-article/front-stub")]:
        for contrib in parent.iterfind("contrib-group/contrib"):
            role = _ROLES.get(contrib.get("contrib-type", "").lower().replace("-", "_"))
            if role and (author := _author(contrib, {})) is not None:
                yield author, role
    for note in meta.iterfind("author-notes/fn"):
        text = text_of(note)
        if begins := _NOTES.match(text):
            role = "editor" if begins[1].lower() == "edited" else "reviewer"
            for entry in text[begins.end() :].split(";"):
                for name in names_in_line(entry.partition(",")[0])[:1]:
                    if (author := make_author(name)) is not None:
                        yield author, role


_SUFFIXES = (".xml", ".nxml", ".xml.gz", ".nxml.gz")
ARTICLES = xml_reader(("article",), to_article, _SUFFIXES)
READER = xml_reader(("article",), lambda article, report: to_article(article, report).paper, _SUFFIXES)
