"""Files of reviewer ids, one per line: who may review, who is on a committee. Others are an `InputError`."""

from collections.abc import Iterator
from pathlib import Path

from panelist.errors import InputError


def read_ids(path: Path) -> tuple[str, ...]:
    """The ids of a file, each once; empty lines and lines that start with `#` are skipped."""
    ids = tuple(dict.fromkeys(reviewer for _, reviewer in numbered_ids(path)))
    if not ids:
        raise InputError(f"'{path}' holds no reviewer id: give one id per line")
    return ids


def numbered_ids(path: Path) -> Iterator[tuple[int, str]]:
    """The ids of a file with their lines, as often as they come."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise InputError(f"cannot read reviewer ids from '{path}': {reason}") from error
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) > 1:
            raise InputError(f"{path}:{number}: expected one id per line, received '{line.strip()[:80]}'")
        yield number, words[0]
