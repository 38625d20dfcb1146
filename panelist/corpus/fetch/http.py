"""A polite HTTP client: few requests per second, patient with busy servers, and one clear line when it gives up."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import orjson

from panelist import __version__
from panelist.closing import Closing
from panelist.errors import PanelistError

T = TypeVar("T")

_log = logging.getLogger(__name__)

_LONGEST_WAIT = 120.0  # seconds; whoever asks for more wants us to come back another day


class FetchError(PanelistError):
    """A download failed, and trying again would not help; `status` is the server's. All that ask one raise it."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class _TransientError(Exception):
    """Worth another try, after `wait` seconds if the server said so; `refused` if it surely did nothing."""

    def __init__(self, message: str, wait: float | None = None, *, refused: bool = False) -> None:
        super().__init__(message)
        self.wait, self.refused = wait, refused


class Client(Closing):
    """At most `rate` requests per second; retries what failed for a temporary reason, waiting twice as long each time.

    Temporary reasons are 429, 5xx, a connection that breaks, and an answer that is cut off. `Retry-After` is honoured.
    """

    def __init__(
        self,
        *,
        rate: float = 10.0,
        attempts: int = 6,  # how often a request is tried
        backoff: float = 1.0,  # seconds before the second try
        timeout: float = 60.0,  # seconds without an answer
        host: str | None = None,  # the only one that may be asked, also where an answer leads elsewhere; None for any
        largest: int = 1 << 28,  # bytes of a JSON answer
    ) -> None:
        """Prepare the client."""
        self._host, self._largest = host, largest
        self._interval = 1.0 / rate
        self._attempts = attempts
        self._backoff = backoff
        self._next = 0.0
        self._answered = False
        logging.getLogger("httpx2").setLevel(logging.WARNING)  # it logs whole addresses, keys included
        self._client = httpx2.Client(
            timeout=timeout,
            follow_redirects=True,
            headers={"User-Agent": f"panelist/{__version__}"},
            event_hooks={"request": [self._check_host]},
        )

    def get_json(
        self, url: str, parameters: Mapping[str, str], headers: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """The JSON object at `url`."""
        value = self._json("GET", url, headers, parameters=parameters)
        if type(value) is not dict:
            raise FetchError(f"{url}: expected a JSON object: is this the right address?")
        return value

    def post_json(self, url: str, body: Any, headers: Mapping[str, str] | None = None, *, repeat: bool = True) -> Any:
        """The JSON value that `url` answers to another one.

        With `repeat` it is sent again where nobody knows if it arrived; else only after 429.
        """
        return self._json("POST", url, headers, body=body, repeat=repeat)

    def _json(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str] | None,
        *,
        parameters: Mapping[str, str] | None = None,
        body: Any = None,
        repeat: bool = True,
    ) -> Any:
        content = None if method == "GET" else orjson.dumps(body)
        sent = {**(headers or {}), **({} if content is None else {"Content-Type": "application/json"})}

        def request() -> Any:
            try:
                received = bytearray()
                with (
                    self._errors(),
                    self._client.stream(method, url, params=parameters, content=content, headers=sent) as answer,
                ):
                    for chunk in answer.iter_bytes():
                        received += chunk
                        if len(received) > self._largest:
                            raise FetchError(f"{url}: the answer is larger than {self._largest >> 20} MB")
                _check(answer, received)
                value = orjson.loads(received)
            except orjson.JSONDecodeError:
                raise _TransientError("the answer is not JSON, or cut off") from None
            except _TransientError as error:
                if repeat or error.refused:
                    raise
                raise FetchError(f"{url}: {error}: whether it arrived is not known", 503) from None
            return value

        return self._persist(url, request)

    def download(self, url: str, path: Path, progress: Callable[[int, int | None], None]) -> None:
        """Save what is at `url` as `path`; `progress` is called with the bytes so far and in all, if known."""

        def request() -> None:
            with self._errors(), self._client.stream("GET", url) as answer, path.open("wb") as file:
                _check(answer, b"" if answer.is_success else answer.read())
                length = answer.headers.get("Content-Length", "")
                for chunk in answer.iter_raw():
                    file.write(chunk)
                    progress(file.tell(), int(length) if length.isdecimal() else None)

        self._persist(url, request)

    def _check_host(self, request: httpx2.Request) -> None:
        if self._host is not None and request.url.host != self._host:
            raise FetchError(f"{self._host} leads to {request.url.host}, which nobody named: it is not asked")

    def _persist(self, url: str, request: Callable[[], T]) -> T:
        attempt = 0
        while True:
            attempt += 1
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self._interval
            try:
                return request()
            except _TransientError as error:
                wait = error.wait if error.wait is not None else self._backoff * 2 ** (attempt - 1)
                if wait > _LONGEST_WAIT:
                    raise FetchError(
                        f"{url}: {error}; it asks to wait {wait:,.0f} s: run the same command again then"
                    ) from None
                if attempt == self._attempts:
                    raise FetchError(f"{url}: {error}, {attempt} times: run the same command again later") from None
                _log.info("%s: %s; trying again in %.1f s", url, error, wait)
                time.sleep(wait)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except httpx2.ConnectError as error:
            if self._answered:
                raise _TransientError(f"no connection ({error})") from None
            # Nothing has ever come from there: most likely there is no network or the address is wrong.
            raise FetchError(f"cannot reach {error.request.url.host}: {error}: check the network") from None
        except httpx2.TransportError as error:
            raise _TransientError(f"the connection broke ({error or type(error).__name__})") from None
        except httpx2.HTTPError as error:
            raise FetchError(str(error)) from None
        self._answered = True

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _check(answer: httpx2.Response, received: bytes | bytearray) -> None:
    """Raise for anything but success; what the server says about it goes into the message."""
    if answer.is_success:
        return
    status = f"the server answered {answer.status_code} {answer.reason_phrase}".rstrip()
    if answer.status_code == 429 or answer.status_code >= 500:
        wait = retry_after(answer.headers.get("Retry-After"))
        raise _TransientError(status, wait, refused=answer.status_code == 429)
    said = _message(received)
    where = answer.url.copy_with(query=None)
    raise FetchError(f"{where}: {status}{f' ({said})' if said else ''}", answer.status_code)


def _message(received: bytes | bytearray) -> str:
    try:
        said = orjson.loads(received)
        return str(said.get("message") or said.get("error") or "")[:300]
    except (orjson.JSONDecodeError, AttributeError):
        return ""


def retry_after(value: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which is a number or a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
