"""Which rows of a collection belong to an index directory.

A collection has the rows of all generations of an index since its last build: unit numbers only ascend, so a
generation is the units up to its last one without its tombstones. Readers of an old generation therefore stay right
while a new one is written, and the rows of a killed writer are those above the last committed unit.
"""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

from indexing.milvus.address import parse_address
from indexing.milvus.server import VECTORS_SINCE, Server
from indexing.tables.arrays import damaged_file
from panelist.errors import EngineError, IndexDirectoryError, InputError, MissingDependencyError
from panelist.files import write_whole

STATE = "milvus.json"
"""Names the collection of an index directory, and the last row that belongs to it."""

logger = logging.getLogger(__name__)


def new_collection() -> str:
    """A name that no collection has."""
    return f"panelist_{token_hex(8)}"


def read_state(path: Path) -> dict[str, Any] | None:
    """The state of an index directory, None where there is none."""
    try:
        state: dict[str, Any] = json.loads((path / STATE).read_bytes())
        if {"address", "collection", "last"} <= set(state):
            return state
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise damaged_file(path / STATE) from error
    raise damaged_file(path / STATE)


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Replace the state of an index directory; it survives a crash."""
    write_whole(path / STATE, json.dumps(state).encode())


def drop_unused(directory: Path, index: Path) -> None:
    """Drop the collections that `directory`, which is about to be deleted, names and nothing else in `index` does."""
    collections = {path: _collection(path) for path in index.rglob(STATE)}
    needed = {entry for path, entry in collections.items() if not path.is_relative_to(directory)}
    for address, collection in set(collections.values()) - needed:
        try:
            server = Server(parse_address(address)[0], VECTORS_SINCE)
            if server.exists(collection):
                server.drop(collection)
        except (EngineError, InputError, MissingDependencyError) as error:
            logger.warning("the collection %s on %s is no longer needed; drop it: %s", collection, address, error)


def _collection(path: Path) -> tuple[str, str]:
    try:
        state = read_state(path.parent) or {}
    except IndexDirectoryError:
        state = {}
    return str(state.get("address", "")), str(state.get("collection", ""))
