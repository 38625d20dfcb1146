"""PubMed's XML (`PubmedArticle`, also the yearly baseline) and that of Europe PMC's search (`result`).

Formats: https://www.nlm.nih.gov/bsd/licensee/elements_descriptions.html, https://europepmc.org/RestfulWebService.
"""

import re
from xml.etree.ElementTree import Element

from panelist.corpus.readers.catalogues.xml import text_of, texts_of, xml_reader, year_in
from panelist.corpus.readers.fields import FieldError, check_text, identifier
from panelist.corpus.readers.people import distinct_authors, make_author
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.reference_keys import doi_key
from panelist.records import Authorship, Institution, Paper

_EMAIL = re.compile(r"\s*(?:electronic address:|e-?mail:)?\s*\S+@\S+", re.IGNORECASE)


def _to_paper(record: Element, report: ReadReport) -> Paper:
    if record.tag == "result":
        return _from_epmc(record, report)
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
    return Paper(
        identifier(f"pmid:{text_of(citation, 'PMID')}", "PMID"),
        title,
        abstract,
        year_in(date),
        distinct_authors(map(_author, article.iterfind("AuthorList/Author")), report),
        text_of(article, "Journal/Title") or None,
        ids.get("doi") or None,
        tuple(dict.fromkeys(filter(None, map(_cited, record.iterfind("PubmedData/ReferenceList//Reference"))))),
        0,
        tuple(dict.fromkeys(topics)),
        any(kind in ("Retracted Publication", "Retraction of Publication", "Retraction Notice") for kind in kinds),
    )


def _author(author: Element) -> Authorship | None:
    """An author of either format; the e-mail address stands in the text of an affiliation."""
    family_name = text_of(author, "LastName", "lastName")
    name = f"{text_of(author, 'ForeName', 'firstName', 'Initials', 'initials')} {family_name}" if family_name else ""
    orcid = text_of(author, "Identifier[@Source='ORCID']", "authorId[@type='ORCID']")
    paths = ("AffiliationInfo/Affiliation", ".//authorAffiliation/affiliation")
    affiliations = texts_of(node for path in paths for node in author.iterfind(path))
    person = make_author(name, orcid, next(filter(lambda text: "@" in text, affiliations), ""))
    plain = (_EMAIL.sub("", affiliation).strip() for affiliation in affiliations)
    institutions = tuple(Institution(affiliation.rstrip(". ")) for affiliation in plain if affiliation)
    return Authorship(person, institutions) if person else None


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
        year_in(text_of(record, "pubYear")),
        distinct_authors(map(_author, record.iterfind("authorList/author")), report),
        text_of(record, "journalInfo/journal/title") or None,
        text_of(record, "doi") or None,
        (),
        int(count) if count.isdecimal() else 0,
        tuple(dict.fromkeys(texts_of(record.iterfind("keywordList/keyword")))),
        any(kind.lower() == "retracted publication" for kind in texts_of(record.iterfind("pubTypeList/pubType"))),
    )


READER = xml_reader(("PubmedArticle", "result"), _to_paper)
