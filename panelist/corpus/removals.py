"""What was taken out of a corpus for good: papers, people, e-mail addresses, histories. No import brings it back."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import orjson
from msgspec.structs import replace

from panelist.corpus.history import MATCHED, concerns, forms_of, keys_of_event
from panelist.corpus.identity import identity_keys, spellings
from panelist.corpus.store import CorpusStore
from panelist.errors import CorpusError, InputError
from panelist.files import write_whole
from panelist.records import Authorship, HistoryEvent, Paper


class Removals:
    """The ids of papers and people that were removed from a workspace, and of people whose addresses were."""

    def __init__(self, workspace: Path) -> None:
        """Read the list of a workspace; where there is none, nothing was removed."""
        self._path = workspace / "removed.json"
        try:
            saved = orjson.loads(self._path.read_bytes()) if self._path.exists() else {}
            self._ids, self._emails, self._history = (set(saved.get(name, ())) for name in ("ids", "emails", "history"))
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
        self.forget_history(corpus, ids)
        corpus.delete(papers)
        self._rewrite(corpus, list(people))
        return len(papers), len(people)

    def forget(self, corpus: CorpusStore, person: str) -> tuple[int, int]:
        """Take somebody's e-mail addresses and history out of a corpus; in how many papers and events they were."""
        self._emails.add(person)
        events = self.forget_history(corpus, [person])
        return self._rewrite(corpus, [person]), events

    def forget_history(self, corpus: CorpusStore, ids: Sequence[str]) -> int:
        """Erase what these people reviewed and edited, or who did so for these papers; returns how many events.

        A person is known by every ORCID and address in their events and in the corpus; only digests of these are kept.
        """
        keys, before = forms_of([*ids, *_keys_in(corpus, ids)]), 0
        while len(keys) > before:
            before = len(keys)
            for event in corpus.history():
                if event.paper not in keys and concerns(event, keys):
                    keys.update(forms_of(keys_of_event(event)))
        self._history.update(map(_digest, keys))
        self._save()
        erased = corpus.forget_history(keys)
        self._path.with_name(MATCHED).unlink(missing_ok=True)
        return erased

    def hold(self, event: HistoryEvent) -> bool:
        """Whether an event is about somebody or a paper that was removed or forgotten."""
        return concerns(event, self._ids) or any(
            _digest(key) in self._history for key in forms_of((event.paper, *keys_of_event(event)))
        )

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
        stored = corpus.papers(sorted({paper for papers in corpus.papers_of(people).values() for paper in papers}))
        return corpus.upsert([paper for paper in self.apply(stored.values()) if paper != stored[paper.id]])

    def _save(self) -> None:
        lists = {"ids": self._ids, "emails": self._emails, "history": self._history}
        write_whole(self._path, orjson.dumps({name: sorted(keys) for name, keys in lists.items()}))


def _keys_in(corpus: CorpusStore, ids: Sequence[str]) -> Iterator[str]:
    """The ids, ORCIDs and addresses that a corpus has of people, who may be given by an ORCID."""
    holders = corpus.find_orcids([form for key in ids for form in spellings(key)])
    people = {*corpus.authors(ids), *(holder.id for holder in holders)}
    papers = {paper for written in corpus.papers_of(sorted(people)).values() for paper in written}
    for paper in corpus.papers(sorted(papers)).values():
        for author in (authorship.author for authorship in paper.authorships):
            if author.id in people:
                yield from filter(None, (author.id, author.orcid, *identity_keys(author.email or "")))


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
