"""Files of reviewer ids, one per line: who may review, who is on a committee."""

from __future__ import annotations

from pathlib import Path

from panelist.errors import InputError


def read_ids(path: Path) -> tuple[str, ...]:
    """The ids of a file, each once; empty lines and lines that start with `#` are skipped.

    Raises:
        InputError: the file cannot be read, a line holds more than one word, or there is no id.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read reviewer ids from '{path}': {error}") from error
    ids: dict[str, None] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) > 1:
            raise InputError(f"{path}:{number}: expected one id per line, received '{line.strip()[:80]}'")
        ids[words[0]] = None
    if not ids:
        raise InputError(f"'{path}' holds no reviewer id: give one id per line")
    return tuple(ids)
