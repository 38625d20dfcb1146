"""How a report was made: the command, the date, and fingerprints of what was read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import blake2b, file_digest
from pathlib import Path

from indexing.index import Index
from panelist import __version__


def provenance(command: str, data: Iterable[Path], index: Index | None = None) -> dict[str, str]:
    """What to print below a report, name by name.

    Args:
        command: that made it.
        data: the files that were read; for a directory all its files, by names and contents.
        index: that was searched, if one was.
    """
    made = {
        "Command": command,
        "Date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "Panelist": __version__,
        "Data": fingerprint(data),
    }
    if index is not None:
        manifest = index.manifest
        made["Index"] = (
            f"corpus {manifest.corpus[:16]}, {manifest.counts.papers:,} papers, {manifest.lexical.engine}, "
            f"{manifest.encoder.name} at {manifest.encoder.revision[:12]}"
        )
    return made


def fingerprint(paths: Iterable[Path]) -> str:
    """A digest of files, the same wherever they are: other data, other digest."""
    files: dict[str, Path] = {}
    for path in paths:
        files |= {str(f.relative_to(path.parent)): f for f in path.rglob("*")} if path.is_dir() else {path.name: path}
    digest = blake2b(digest_size=8)
    for name, path in sorted(files.items()):
        if path.is_file():
            with path.open("rb") as file:
                digest.update(f"{name}\0{file_digest(file, 'blake2b').hexdigest()}\n".encode())
    return digest.hexdigest()
