"""Archives of public sources: their files one by one, and what is made of them."""

import gzip
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import orjson


def files_of(archive: Path) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The regular files of a gzipped tar archive, without the directory that contains them all."""
    with gzip.open(archive) as content:
        with tarfile.open(fileobj=content, mode="r|") as tar:
            for member in tar:
                path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
                file = tar.extractfile(member) if member.isfile() and ".." not in path.parts else None
                if file is not None:
                    yield path, file.read()
        content.read()  # to the checksum: tar itself does not notice that an archive is cut off between two files


def json_line(record: Any) -> bytes:
    """A record as a line of JSON."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


def write_lines(path: Path, lines: Iterable[bytes]) -> None:
    """Write a gzipped file; nothing where there is no line."""
    content = b"".join(lines)
    if content:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content, 6, mtime=0))
