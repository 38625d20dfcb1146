"""One record of a public catalogue by its id or DOI: what a person would look up by hand."""

from typing import Any
from urllib.parse import quote

from panelist.corpus.fetch.openalex import FIELDS
from panelist.http.client import Client, FetchError

_S2_FIELDS = "paperId,title,abstract,year,venue,authors,externalIds,citationCount,fieldsOfStudy,references.paperId"


def fetch_work(client: Client, base_url: str, identifier: str, api_key: str | None = None) -> dict[str, Any] | None:
    """A work of OpenAlex by `W123` or `doi:10.1234/abc`; None where it has no such one."""
    parameters = {"select": FIELDS} | ({"api_key": api_key} if api_key else {})
    return _get(client, f"{base_url.rstrip('/')}/works/{quote(identifier, safe=':/')}", parameters)


def fetch_s2_paper(client: Client, base_url: str, identifier: str) -> dict[str, Any] | None:
    """A paper of Semantic Scholar by 40 hexadecimal digits or `CorpusId:123`; None where it has no such one."""
    return _get(client, f"{base_url.rstrip('/')}/paper/{quote(identifier, safe=':')}", {"fields": _S2_FIELDS})


def _get(client: Client, url: str, parameters: dict[str, str]) -> dict[str, Any] | None:
    try:
        return client.get_json(url, parameters)
    except FetchError as error:
        if error.status == 404:
            return None
        raise
