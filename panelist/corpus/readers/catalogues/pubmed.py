"""PubMed's XML (`PubmedArticle`, also the yearly baseline) and that of Europe PMC's search (`result`).

Formats: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html, https://europepmc.org/RestfulWebService.
"""

import re
from xml.etree.ElementTree import Element

from panelist.corpus.readers.catalogues.people import person
from panelist.corpus.readers.catalogues.xml import known, text_of, texts_of, xml_reader
from panelist.corpus.readers.fields import FieldError, check_text, identifier
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.reference_keys import doi_key
from panelist.records import Authorship, Institution, Paper

_YEAR = re.compile(r"\d{4}")


def _to_paper(record: Element, report: ReadReport) -> Paper:
    return _from_pubmed(record, report) if record.tag == "PubmedArticle" else _from_epmc(record, report)


def _from_pubmed(record: Element, report: ReadReport) -> Paper:
    citation, article = record.find("MedlineCitation"), record.find("MedlineCitation/Article")
    if citation is None or article is None:
        raise FieldError("no <Article>: give PubMed XML")
    title = text_of(article, "ArticleTitle").removeprefix("[").removesuffix("].")
    abstract = " ".join(texts_of(article.iterfind("Abstract/AbstractText")))
    check_text(title, abstract)
    ids = {node.get("IdType"): text_of(node) for node in record.iterfind("PubmedData/ArticleIdList/ArticleId")}
    kinds = texts_of(article.iterfind("PublicationTypeList/PublicationType"))
    date = text_of(article, "Journal/JournalIssue/PubDate/Year", "Journal/JournalIssue/PubDate/MedlineDate")
    topics = texts_of([*citation.iterfind("MeshHeadingList/MeshHeading/DescriptorName"), *citation.iter("Keyword")])
    cited = record.iterfind("PubmedData/ReferenceList//Reference")
    return Paper(
        identifier(f"pmid:{text_of(citation, 'PMID')}", "PMID"),
        title,
        abstract,
        _year(date),
        known(map(_pubmed_author, article.iterfind("AuthorList/Author")), report),
        text_of(article, "Journal/Title") or None,
        ids.get("doi") or None,
        tuple(dict.fromkeys(filter(None, map(_cited, cited)))),
        0,
        tuple(dict.fromkeys(topics)),
        any(kind in ("Retracted Publication", "Retraction of Publication", "Retraction Notice") for kind in kinds),
    )


def _pubmed_author(author: Element) -> Authorship | None:
    places = texts_of(author.iterfind("AffiliationInfo/Affiliation"))
    name = f"{text_of(author, 'ForeName', 'Initials')} {text_of(author, 'LastName')}"
    orcid = next((text_of(node) for node in author.iterfind("Identifier") if node.get("Source") == "ORCID"), "")
    return _authorship(name if text_of(author, "LastName") else "", orcid, places)


def _authorship(name: str, orcid: str, places: list[str]) -> Authorship | None:
    """An author with the addresses of a paper, in the text of which stands the e-mail address."""
    author = person(name, orcid, next((place for place in places if "@" in place), ""))
    plain = (re.sub(r"\s*(?:electronic address:|e-?mail:)?\s*\S+@\S+", "", one, flags=re.IGNORECASE) for one in places)
    return Authorship(author, tuple(Institution(one.rstrip(". ")) for one in plain if one.strip())) if author else None


def _cited(reference: Element) -> str:
    ids = {node.get("IdType"): text_of(node) for node in reference.iterfind("ArticleIdList/ArticleId")}
    return doi_key(ids["doi"]) if ids.get("doi") else f"pmid:{ids['pubmed']}" if ids.get("pubmed") else ""


def _from_epmc(record: Element, report: ReadReport) -> Paper:
    title, abstract = text_of(record, "title").rstrip("."), re.sub(r"<[^>]+>", " ", text_of(record, "abstractText"))
    check_text(title, abstract)
    number = text_of(record, "pmid")
    source = f"{text_of(record, 'source').lower()}:{text_of(record, 'id')}"
    count = text_of(record, "citedByCount")
    return Paper(
        identifier(f"pmid:{number}" if number else source, "id"),
        title,
        " ".join(abstract.split()),
        _year(text_of(record, "pubYear")),
        known(map(_epmc_author, record.iterfind("authorList/author")), report),
        text_of(record, "journalInfo/journal/title") or None,
        text_of(record, "doi") or None,
        (),
        int(count) if count.isdecimal() else 0,
        tuple(dict.fromkeys(texts_of(record.iterfind("keywordList/keyword")))),
        any(kind.lower() == "retracted publication" for kind in texts_of(record.iterfind("pubTypeList/pubType"))),
    )


def _epmc_author(author: Element) -> Authorship | None:
    name = f"{text_of(author, 'firstName', 'initials')} {text_of(author, 'lastName')}"
    places = texts_of(author.iterfind(".//authorAffiliation/affiliation"))
    return _authorship(name if text_of(author, "lastName") else "", text_of(author, "authorId[@type='ORCID']"), places)


def _year(text: str) -> int | None:
    match = _YEAR.search(text)
    return int(match[0]) if match and match[0] >= "1000" else None


READER = xml_reader(("PubmedArticle", "result"), _to_paper)
