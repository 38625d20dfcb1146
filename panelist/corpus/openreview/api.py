"""OpenReview's API of version 2: pages of notes and edges, groups, profiles; the login is never logged or written.

https://docs.openreview.net/reference/api-v2
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from panelist.corpus.documents import batches
from panelist.corpus.readers.openreview import content_of
from panelist.errors import InputError
from panelist.http.client import Client, FetchError

T = TypeVar("T")

PAGE = 1000
"""Notes, edges or profiles of one request, the most that the API gives."""

_WITHOUT = "set PANELIST_OPENREVIEW_TOKEN, or PANELIST_OPENREVIEW_USER and PANELIST_OPENREVIEW_PASSWORD"


class OpenReview:
    """Requests in the name of somebody, who is logged in again where the token has expired."""

    def __init__(self, client: Client, url: str, access: tuple[str, str, str] = ("", "", "")) -> None:
        self._client, self._url = client, url.rstrip("/")
        self._token, self._user, self._password = access

    def get(self, path: str, **parameters: str) -> dict[str, Any]:
        """The answer to a question."""
        return self._authorized(lambda headers: self._client.get_json(f"{self._url}/{path}", parameters, headers))

    def post(self, path: str, body: Any, *, repeat: bool = True) -> Any:
        """The answer to what is sent, see `Client.post_json`."""
        url = f"{self._url}/{path}"
        return self._authorized(lambda headers: self._client.post_json(url, body, headers, repeat=repeat))

    def pages(self, path: str, **parameters: str) -> Iterator[dict[str, Any]]:
        """All notes or edges, by ids: what is added meanwhile shifts no page."""
        cursor: dict[str, str] = {}
        while True:
            page = self.get(path, **parameters, **cursor, limit=str(PAGE), sort="id").get(path)
            if type(page) is not list:
                raise FetchError(f"{self._url}/{path}: the answer has no '{path}': is this OpenReview's API 2?")
            yield from page
            if len(page) < PAGE:
                return
            cursor = {"after": str(page[-1]["id"])}

    def group(self, name: str) -> dict[str, Any]:
        """A group with its members."""
        groups: list[dict[str, Any]] = self.get("groups", id=name).get("groups") or []
        if not groups:
            raise InputError(f"OpenReview has no group '{name}' that you may read: check its id and your access")
        return groups[0]

    def profiles(self, members: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Profiles by the member that asked for them: an id, or an e-mail address."""
        ids = [member for member in members if member.startswith("~")]
        addresses = [member for member in members if "@" in member]
        profiles: dict[str, dict[str, Any]] = {}
        for key, requested in (("ids", ids), ("confirmedEmails", addresses)):
            for batch in batches(requested, PAGE):
                for profile in self.post("profiles/search", {key: batch}).get("profiles") or []:
                    for name in {profile["id"], profile.get("email"), *_names(profile)} & set(batch):
                        profiles[str(name)] = profile
        return profiles

    def _authorized(self, request: Callable[[dict[str, str]], T]) -> T:
        if not self._token and self._user:
            self._log_in()
        try:
            return request(self._headers())
        except FetchError as error:
            if error.status not in (401, 403):
                raise
            if error.status == 401 and self._token and self._user:  # expired
                self._log_in()
                return request(self._headers())
            hint = "the token is not valid any more: get another one" if self._token else _WITHOUT
            raise FetchError(f"{error}: {hint}", error.status) from None

    def _log_in(self) -> None:
        body = {"id": self._user, "password": self._password}
        self._token = str(self._client.post_json(f"{self._url}/login", body).get("token") or "")
        if not self._token:
            raise FetchError(f"{self._url}/login: OpenReview gave no token: log in on its page once, then try again")

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token else {}


def _names(profile: dict[str, Any]) -> Iterator[str]:
    content = content_of(profile)
    yield from (str(name["username"]) for name in content.get("names") or () if name.get("username"))
    yield from map(str, content.get("emailsConfirmed") or content.get("emails") or ())
