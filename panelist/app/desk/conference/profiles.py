"""`profiles.jsonl`: the papers that a committee came with; the authors of each are the members who have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from panelist.records import Paper


def profile_lines(papers: Iterable[Paper]) -> Iterator[bytes]:
    """Papers as lines."""
    for paper in papers:
        yield msgspec.json.encode(paper) + b"\n"


def read_papers(path: Path) -> Iterator[Paper]:
    """All papers."""
    decoder = msgspec.json.Decoder(Paper)
    with path.open("rb") as lines:
        for line in lines:
            yield decoder.decode(line)


class ProfileIndex:
    """Where the papers of each member are, so that one profile is read without the others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.names: dict[str, str] = {}
        self._starts: dict[str, list[int]] = defaultdict(list)
        decoder = msgspec.json.Decoder(Paper)
        with path.open("rb") as lines:
            start = 0
            for line in lines:
                for authorship in decoder.decode(line).authorships:
                    self.names[authorship.author.id] = authorship.author.name
                    self._starts[authorship.author.id].append(start)
                start += len(line)

    def papers(self, member: str) -> list[Paper]:
        """The papers of one member."""
        found = []
        with self._path.open("rb") as file:
            for start in self._starts.get(member, ()):
                file.seek(start)
                found.append(msgspec.json.decode(file.readline(), type=Paper))
        return found
