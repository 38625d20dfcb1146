"""The HTTP client: few requests per second, patient with busy servers, and one clear line when it gives up."""

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
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
Headers = Mapping[str, str]
Progress = Callable[[int, int | None], None]
"""Called with what has come so far and what there is in all, if that is known."""

_log = logging.getLogger(__name__)

_LONGEST_WAIT = 120.0  # seconds; whoever asks for more wants us to come back another day
_CONNECT = 5.0  # seconds to reach a server: an offline machine moves on
_TEMPORARY = (408, 425, 429)  # and all of 500 and above


class FetchError(PanelistError):
    """A request failed, and trying again would not help; `status` is the server's. All that ask one raise it."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class TransientError(Exception):
    """Worth another try, after `wait` seconds if the server said so; `refused` if it surely did nothing."""

    def __init__(self, message: str, wait: float | None = None, *, refused: bool = False) -> None:
        super().__init__(message)
        self.wait, self.refused = wait, refused


class Client(Closing):
    """At most `rate` requests per second; retries what failed for a temporary reason, waiting twice as long each time.

    Temporary reasons are 408, 425, 429, 5xx, a connection that breaks, and an answer that is cut off. `Retry-After` is
    honoured. Safe to share between threads.
    """

    def __init__(
        self,
        *,
        rate: float = 10.0,
        attempts: int = 6,  # how often a request is tried
        backoff: float = 1.0,  # seconds before the second try, more or less: threads do not ask at once
        timeout: float = 60.0,  # seconds without an answer
        host: str | None = None,  # the only one that may be asked, also where an answer leads elsewhere; None for any
        largest: int = 1 << 28,  # bytes of an answer that is not saved as a file
    ) -> None:
        """Prepare the client; no connection is opened yet."""
        self._host, self._largest = host, largest
        self._interval, self._attempts, self._backoff = 1.0 / rate, attempts, backoff
        self._next, self._answered, self._stopped = 0.0, False, threading.Event()
        logging.getLogger("httpx2").setLevel(logging.WARNING)  # it logs whole addresses, keys included
        self._client = httpx2.Client(
            timeout=httpx2.Timeout(timeout, connect=min(timeout, _CONNECT)),
            follow_redirects=True,
            headers={"User-Agent": f"panelist/{__version__}"},
            event_hooks={"request": [self._check_host]},
        )

    def get_json(self, url: str, parameters: Headers, headers: Headers | None = None) -> dict[str, Any]:
        """The JSON object at `url`."""
        value = self.request("GET", url, _read_json, params=parameters, headers=headers)
        if type(value) is not dict:
            raise FetchError(f"{url}: expected a JSON object: is this the right address?")
        return value

    def post_json(self, url: str, body: Any, headers: Headers | None = None, *, repeat: bool = True) -> Any:
        """The JSON value that `url` answers to another one.

        With `repeat` it is sent again where nobody knows if it arrived; else only after 429.
        """
        all_headers = {**(headers or {}), "Content-Type": "application/json"}
        return self.request("POST", url, _read_json, repeat=repeat, content=orjson.dumps(body), headers=all_headers)

    def request(
        self, method: str, url: str, read: Callable[[bytearray], T], *, repeat: bool = True, **content: Any
    ) -> T:
        """What `read` makes of the answer; it may raise `TransientError`. `content` is what httpx sends."""

        def attempt() -> T:
            received = bytearray()
            try:
                with self._errors(), self._client.stream(method, url, **content) as answer:
                    for chunk in answer.iter_bytes():
                        received += chunk
                        if len(received) > self._largest:
                            raise FetchError(f"{url}: the answer is larger than {self._largest >> 20} MB")
                _check_answer(answer, received)
                return read(received)
            except TransientError as error:
                if repeat or error.refused:
                    raise
                raise FetchError(f"{url}: {error}: whether it arrived is not known", 503) from None

        return self._persist(url, attempt)

    def download(self, url: str, path: Path, progress: Progress = lambda so_far, total: None) -> None:
        """Save what is at `url` as `path`; `progress` is in bytes."""

        def attempt() -> None:
            as_it_is = {"Accept-Encoding": "identity"}
            with self._errors(), self._client.stream("GET", url, headers=as_it_is) as answer, path.open("wb") as file:
                _check_answer(answer, b"" if answer.is_success else answer.read())
                length = answer.headers.get("Content-Length", "")
                for chunk in answer.iter_raw():
                    file.write(chunk)
                    progress(file.tell(), int(length) if length.isdecimal() else None)

        self._persist(url, attempt)

    def stop(self) -> None:
        """End all waits for good: whoever waits gives up."""
        self._stopped.set()

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
            except TransientError as error:
                backoff = min(self._backoff * 2 ** (attempt - 1) * random.uniform(0.8, 1.25), _LONGEST_WAIT)
                wait = backoff if error.wait is None else error.wait
                if wait > _LONGEST_WAIT:
                    reason = f"; it asks to wait {wait:,.0f} s: run the same command again then"
                    raise FetchError(f"{url}: {error}{reason}") from None
                if attempt == self._attempts:
                    raise FetchError(f"{url}: {error}, {attempt} times: run the same command again later") from None
                _log.info("%s: %s; trying again in %.1f s", url, error, wait)
                if self._stopped.wait(wait):
                    raise FetchError(f"{url}: {error}: nobody waits for an answer any more") from None

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise FetchError(f"not an address: {error}") from None
        except httpx2.ConnectError as error:
            if self._answered:
                raise TransientError(f"no connection ({error})") from None
            # Nothing has ever come from there: most likely there is no network or the address is wrong.
            raise FetchError(f"cannot reach {error.request.url.host}: {error}: check the network") from None
        except httpx2.TransportError as error:
            raise TransientError(f"the connection broke ({error or type(error).__name__})") from None
        except httpx2.HTTPError as error:
            raise FetchError(str(error)) from None
        self._answered = True

    def close(self) -> None:
        """Close the connections to all servers."""
        self._client.close()


def _read_json(received: bytearray) -> Any:
    try:
        return orjson.loads(received)
    except orjson.JSONDecodeError:
        raise TransientError("the answer is not JSON, or cut off") from None


def _check_answer(answer: httpx2.Response, received: bytes | bytearray) -> None:
    """Raise for anything but success; what the server says about it goes into the message."""
    if answer.is_success:
        return
    status = f"the server answered {answer.status_code} {answer.reason_phrase}".rstrip()
    if answer.status_code in _TEMPORARY or answer.status_code >= 500:
        raise TransientError(status, retry_after(answer.headers.get("Retry-After")), refused=answer.status_code == 429)
    with suppress(orjson.JSONDecodeError, AttributeError):
        explanation = orjson.loads(received)
        reason = explanation.get("message") or explanation.get("error")
        status += f" ({str(reason)[:300]})" if reason else ""
    raise FetchError(f"{answer.url.copy_with(query=None)}: {status}", answer.status_code)


def retry_after(value: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which is a number or a date."""
    if value is None:
        return None
    if value.strip().replace(".", "", 1).isdecimal():
        return float(value)
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
