"""A GROBID server reads PDF files, where its address is given (`PANELIST_GROBID_URL`): https://grobid.readthedocs.io.

Off by default, since a manuscript is confidential: whoever sends one is told the address before.
"""

from typing import Any
from urllib.parse import urlsplit
from xml.etree.ElementTree import Element

from panelist.corpus.readers.catalogues.xml import elements_of, text_of, texts_of
from panelist.errors import InputError

_SECONDS = 120


def read_by_grobid(content: bytes, address: str) -> dict[str, Any]:
    """Title, authors, abstract and references of a PDF file, as this server reads them."""
    from panelist.http.client import Client, FetchError

    files = {"input": ("manuscript.pdf", content, "application/pdf")}
    url = f"{address.rstrip('/')}/api/processFulltextDocument"
    try:
        with Client(attempts=2, timeout=_SECONDS, host=urlsplit(address).hostname) as client:  # it may be busy
            answer = client.request("POST", url, bytes, files=files, data={"includeRawCitations": "1"})
        (document,) = elements_of(answer, ("TEI",))
    except (FetchError, ValueError) as error:
        reason = str(error).splitlines()[0].replace(address.rstrip("/"), "it")
        raise InputError(f"GROBID at {shown(address)} does not read this file ({reason}): try without it") from error
    parts: dict[str, Any] = {
        "title": text_of(document, ".//titleStmt/title"),
        "authors": _names(document.iterfind(".//sourceDesc//analytic/author/persName")),
        "abstract": text_of(document, ".//profileDesc/abstract"),
        "references": list(map(_printed, document.iterfind(".//listBibl/biblStruct"))),
    }
    return {
        **parts,
        "pages": len({page.get("n") for page in document.iter("pb")}) or 1,
        "sure": {name: "fair" if text else "none" for name, text in parts.items()},  # it does not say
    }


def shown(address: str) -> str:
    """The address without user and password."""
    scheme, _, location = address.rpartition("://")
    return f"{scheme}://{location.rpartition('@')[2]}"


def _names(people: Any) -> list[str]:
    names = (texts_of(element for element in person if element.tag in ("forename", "surname")) for person in people)
    return [" ".join(name) for name in names if name]


def _printed(entry: Element) -> str:
    """A reference as it was printed, else its parts as a line."""
    raw = text_of(entry, "note[@type='raw_reference']")
    parts = [", ".join(_names(entry.iterfind(".//author/persName"))), *texts_of(entry.iterfind(".//title"))]
    dates = [date.get("when", "") for date in entry.iter("date")]
    return raw or ". ".join(filter(None, [*parts, *dates, *texts_of(entry.iterfind(".//idno"))]))
