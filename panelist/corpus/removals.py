"""What was taken out of a corpus for good: papers, people, e-mail addresses. No import brings it back."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import orjson
from msgspec.structs import replace

from panelist.corpus.store import CorpusStore
from panelist.errors import CorpusError, InputError
from panelist.files import write_whole
from panelist.records import Authorship, Paper


class Removals:
    """The ids of papers and people that were removed from a workspace, and of people whose addresses were."""

    def __init__(self, workspace: Path) -> None:
        """Read the list of a workspace; where there is none, nothing was removed."""
        self._path = workspace / "removed.json"
        try:
            saved = orjson.loads(self._path.read_bytes()) if self._path.exists() else {}
            self._ids, self._emails = (set(saved.get(name, ())) for name in ("ids", "emails"))
        except (OSError, ValueError, AttributeError, TypeError) as error:
            # An import would bring back what was erased.
            raise CorpusError(f"cannot read '{self._path}' ({error}): restore it from a backup") from error

    def remove(self, corpus: CorpusStore, ids: Sequence[str]) -> tuple[int, int]:
        """Take papers, and people from all their papers, out of a corpus, if all are known; how many of each."""
        papers, people = corpus.papers(ids), corpus.authors(ids)
        unknown = [key for key in ids if key not in papers and key not in people and key not in self._ids]
        if unknown:
            raise InputError(f"there is neither a paper nor a person '{unknown[0]}' in the corpus: nothing was removed")
        self._ids.update(ids)
        self._save()
        corpus.delete(papers)
        self._rewrite(corpus, list(people))
        return len(papers), len(people)

    def forget_emails(self, corpus: CorpusStore, person: str) -> int:
        """Take somebody's e-mail addresses out of a corpus; returns in how many papers they were."""
        self._emails.add(person)
        self._save()
        return self._rewrite(corpus, [person])

    def apply(self, papers: Iterable[Paper]) -> Iterator[Paper]:
        """The papers without what was removed."""
        for paper in papers:
            if paper.id not in self._ids:
                authorships = tuple(map(self._without_email, paper.authorships))
                people = tuple(authorship for authorship in authorships if authorship.author.id not in self._ids)
                yield replace(paper, authorships=people) if people != paper.authorships else paper

    def _without_email(self, authorship: Authorship) -> Authorship:
        if authorship.author.email is None or authorship.author.id not in self._emails:
            return authorship
        return replace(authorship, author=replace(authorship.author, email=None))

    def _rewrite(self, corpus: CorpusStore, people: list[str]) -> int:
        written = {paper for papers in corpus.papers_of(people).values() for paper in papers}
        before = corpus.papers(sorted(written))
        changed = [paper for paper in self.apply(before.values()) if paper != before[paper.id]]
        return corpus.upsert(changed)

    def _save(self) -> None:
        write_whole(self._path, orjson.dumps({"ids": sorted(self._ids), "emails": sorted(self._emails)}))
