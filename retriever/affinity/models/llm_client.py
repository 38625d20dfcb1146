"""One question to an OpenAI-compatible endpoint, repeated until there is an answer or a reason to give up."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx2
import orjson

from panelist.closing import Closing
from panelist.config import llm_key
from panelist.corpus.fetch.http import retry_after
from panelist.errors import ModelError

T = TypeVar("T")

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """What an answer must look like."""

    name: str  # what it holds, in one word
    schema: Mapping[str, Any]  # of its JSON
    # takes the JSON value and gives what is wanted, or raises `ValueError` with what is wrong with it
    read: Callable[[Any], T]

    def response_format(self) -> dict[str, Any]:
        """As the endpoint wants it."""
        return {"type": "json_schema", "json_schema": {"name": self.name, "strict": True, "schema": self.schema}}


class _Again(Exception):  # noqa: N818
    """This attempt failed and another may not; after `pause` seconds, if the server says so."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


class LlmClient(Closing):
    """Asks; safe to share between threads."""

    def __init__(
        self,
        endpoint: str,  # the address that ends before `/chat/completions`
        model: str,  # its name there
        retries: int,  # how often a question is repeated
        timeout: float,  # seconds to wait for an answer
    ) -> None:
        key = llm_key()
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._endpoint, self._model, self._retries = endpoint.rstrip("/"), model, retries
        self._client = httpx2.Client(headers=headers, timeout=timeout)
        self._structured = True  # until the server says that it cannot
        self._stopped = threading.Event()

    def ask(self, instructions: str, question: str, form: Form[T]) -> T:
        """The answer.

        Raises:
            ModelError: the server refuses, or there is no answer of this form after all retries.
        """
        pause = _FIRST_PAUSE
        for attempt in range(self._retries + 1):
            try:
                return self._attempt(instructions, question, form)
            except _Again as error:
                if attempt == self._retries:
                    raise ModelError(
                        f"no {form.name} from {self._model} at {self._endpoint} in {attempt + 1} attempts, "
                        f"at last: {error}; "
                        f"answers so far are kept: run the same command again"
                    ) from error
                wanted = error.pause if error.pause is not None else pause * random.uniform(0.5, 1.5)
            if self._stopped.wait(min(wanted, _LONGEST_PAUSE)):
                break
            pause *= 2
        raise ModelError(f"{self._model} was not asked any further")

    def stop(self) -> None:
        """End all pauses for good: whoever waits gives up."""
        self._stopped.set()

    def _attempt(self, instructions: str, question: str, form: Form[T]) -> T:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": question}],
        }
        structured = self._structured
        if structured:
            body["response_format"] = form.response_format()
        try:
            response = self._client.post(f"{self._endpoint}/chat/completions", json=body)
        except (httpx2.InvalidURL, httpx2.UnsupportedProtocol) as error:
            raise ModelError(f"'{self._endpoint}' is not the address of an endpoint: {error}") from error
        except httpx2.HTTPError as error:
            raise _Again(f"{type(error).__name__} {error}".strip()) from error
        if response.status_code in (400, 422) and structured:
            self._structured = False  # many local servers do not know response_format; the question asks for JSON too
            raise _Again(f"HTTP {response.status_code}", pause=0.0)
        if response.status_code in (408, 409, 425, 429) or response.status_code >= 500:
            raise _Again(f"HTTP {response.status_code}", retry_after(response.headers.get("Retry-After")))
        if response.status_code != httpx2.codes.OK:
            text = " ".join(response.text.split())[:200]
            raise ModelError(
                f"{self._endpoint} refuses {self._model} with HTTP {response.status_code} ({text}): check endpoint and "
                f"model, and the key in PANELIST_LLM_KEY"
            )
        return _read(response, form)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _read(response: httpx2.Response, form: Form[T]) -> T:
    """What the JSON in the answer holds; it may be in a fence."""
    try:
        content = orjson.loads(response.content)["choices"][0]["message"]["content"]
        text = content.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
        answer = orjson.loads(text)
    except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
        raise _Again(f"an answer without a {form.name} ({' '.join(response.text.split())[:100]})") from error
    try:
        return form.read(answer)
    except ValueError as error:
        raise _Again(f"an answer that is {error}") from error
