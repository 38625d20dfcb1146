"""One question to an OpenAI-compatible endpoint, repeated until there is an answer or a reason to give up."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import orjson

from panelist.config import llm_key
from panelist.errors import ModelError
from panelist.http.client import Client, FetchError, TransientError

T = TypeVar("T")

_BACKOFF = 0.5  # seconds before a question is repeated


@dataclass(frozen=True, slots=True)
class Form(Generic[T]):
    """What an answer must look like."""

    name: str  # what it holds, in one word
    schema: Mapping[str, Any]  # of its JSON
    # takes the JSON value and gives what is wanted, or raises `ValueError` with what is wrong with it
    read: Callable[[Any], T]

    def answer_in(self, received: bytearray) -> T:
        """What the JSON in an answer holds; it may be in a fence."""
        try:
            content = orjson.loads(received)["choices"][0]["message"]["content"]
            text = content.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
            answer = orjson.loads(text)
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError) as error:
            shown = " ".join(received.decode(errors="replace").split())[:100]
            raise TransientError(f"an answer without a {self.name} ({shown})") from error
        try:
            return self.read(answer)
        except ValueError as error:
            raise TransientError(f"an answer that is {error}") from error


class LlmClient(Client):
    """Asks an endpoint, and no host that it may lead to: texts are confidential. Safe to share between threads."""

    def __init__(
        self,
        endpoint: str,  # the address that ends before `/chat/completions`
        model: str,  # its name there
        retries: int,  # how often a question is repeated
        timeout: float,  # seconds to wait for an answer
    ) -> None:
        self._endpoint, self._model = endpoint.rstrip("/"), model
        host = urlsplit(endpoint).hostname
        super().__init__(rate=1e9, attempts=retries + 1, backoff=_BACKOFF, timeout=timeout, host=host)
        self._structured = True  # until the server says that it cannot

    def ask(self, instructions: str, question: str, form: Form[T]) -> T:
        """The answer to a question; `ModelError` where the server refuses, or gives none of this form."""
        key, structured = llm_key(), self._structured
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": "system", "content": instructions}, {"role": "user", "content": question}],
        }
        if structured:
            schema = {"name": form.name, "strict": True, "schema": form.schema}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        url = f"{self._endpoint}/chat/completions"
        try:
            return self.request("POST", url, form.answer_in, json=body, headers=headers)
        except FetchError as error:
            if error.status in (400, 422) and structured:
                self._structured = False  # many local servers do not know response_format; the text asks for JSON, too
                return self.ask(instructions, question, form)
            raise ModelError(
                f"no {form.name} from {self._model} at {self._endpoint} ({error}): answers so far are kept: check "
                f"endpoint and model, and the key in PANELIST_LLM_KEY, or run the same command again"
            ) from error
