"""Review histories as the stores keep them: the keys of people, and the JSON of events."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from hashlib import sha256

import msgspec
from msgspec import Struct

from panelist.corpus.documents import DIGEST_BYTES
from panelist.corpus.identity import comparable
from panelist.corpus.names import normalise_name
from panelist.records import HistoryEvent

MATCHED = "history-people.npz"
"""The file of a workspace with what its events say of the people of an index; made when it is missing."""


def keys_of_event(event: HistoryEvent) -> tuple[str, ...]:
    """What identifies the person of an event, the most certain first; a name counts where there is nothing else."""
    certain = tuple(filter(None, ("" if event.possible else event.person, event.orcid, event.email)))
    return certain or tuple(filter(None, (name_key(event.name), event.person)))


def name_key(name: str) -> str:
    """What stands for somebody of whom only the name is known; empty where there is none."""
    return f"name:{plain}" if (plain := normalise_name(name)) else ""


_decoder = msgspec.json.Decoder(HistoryEvent)


class StoredEvent(Struct, frozen=True, gc=False):
    """An event as a store writes it: its key, the keys that it replaces, and its JSON."""

    paper: str
    role: str
    key: str
    older: tuple[str, ...]  # of the same event, when less was known of the person
    digest: bytes
    payload: bytes

    @classmethod
    def of(cls, event: HistoryEvent) -> "StoredEvent":
        """Encode an event."""
        key, *other_keys = keys_of_event(event)
        payload = msgspec.json.encode(event)
        older = {*other_keys, name_key(event.name), event.person} - {key, ""}
        return cls(event.paper, event.role.value, key, tuple(older), sha256(payload).digest()[:DIGEST_BYTES], payload)


def decode_event(payload: bytes) -> HistoryEvent:
    """The event that a store wrote."""
    return _decoder.decode(payload)


def forms_of(keys: Iterable[str]) -> set[str]:
    """Keys of people and papers as they are, and as they are compared: an ORCID with and without its address."""
    return {form for key in keys for form in (key, comparable(key))}


def concerns(event: HistoryEvent, keys: AbstractSet[str]) -> bool:
    """Whether an event is about one of these people or papers; `keys` are in the forms of `forms_of`."""
    return not keys.isdisjoint(forms_of((event.paper, *keys_of_event(event))))
