"""What was taken out of a corpus for good: papers, people, e-mail addresses, histories. No import brings it back."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from hashlib import sha256
from pathlib import Path

import orjson
from msgspec.structs import replace

from panelist.corpus.history import MATCHED, concerns, forms_of, keys_of_event
from panelist.corpus.identity import comparable, identity_keys, spellings
from panelist.corpus.store import CorpusStore
from panelist.errors import CorpusError, InputError
from panelist.files import write_whole
from panelist.records import Author, Authorship, HistoryEvent, Paper


class Removals:
    """The ids of papers and people that were removed from a workspace, and of people whose addresses were."""

    def __init__(self, workspace: Path) -> None:
        """Read the list of a workspace; where there is none, nothing was removed."""
        self._path = workspace / "removed.json"
        try:
            saved = orjson.loads(self._path.read_bytes()) if self._path.exists() else {}
            self._ids, self._emails, self._history = (set(saved.get(name, ())) for name in ("ids", "emails", "history"))
            self._emails = {*map(comparable, self._emails)}
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

    def forget(self, corpus: CorpusStore, *keys: str) -> tuple[int, int]:
        """Take somebody's e-mail addresses and history out of a corpus; in how many papers and events they were."""
        people = _authors_of(corpus, keys)
        self._emails.update(key for key in map(comparable, (*keys, *people)) if "@" not in key)
        events = self.forget_history(corpus, keys)
        return self._rewrite(corpus, people), events

    def forget_history(self, corpus: CorpusStore, ids: Sequence[str]) -> int:
        """Erase what these people reviewed and edited, or who did so for these papers; returns how many events.

        Only digests of all keys of a person are kept.
        """
        keys = known_keys(corpus, ids)
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
        if authorship.author.email is None or comparable(authorship.author.id) not in self._emails:
            return authorship
        return replace(authorship, author=replace(authorship.author, email=None))

    def _rewrite(self, corpus: CorpusStore, people: list[str]) -> int:
        stored = corpus.papers(sorted({paper for papers in corpus.papers_of(people).values() for paper in papers}))
        return corpus.upsert([paper for paper in self.apply(stored.values()) if paper != stored[paper.id]])

    def _save(self) -> None:
        lists = {"ids": self._ids, "emails": self._emails, "history": self._history}
        write_whole(self._path, orjson.dumps({name: sorted(keys) for name, keys in lists.items()}))


def known_keys(corpus: CorpusStore, ids: Sequence[str]) -> set[str]:
    """What identifies people who are given in any form: every id, ORCID and address in the corpus and in their events.

    Keys are as they are written and as they are compared, papers among them as they are.
    """
    people = {*_authors_of(corpus, ids)}
    keys, before = forms_of(ids), 0
    for author in _written_by(corpus, people):
        keys |= forms_of(filter(None, (author.id, author.orcid, *identity_keys(author.email or ""))))
    while len(keys) > before:
        before = len(keys)
        for event in corpus.history():
            if event.paper not in keys and concerns(event, keys):
                keys.update(forms_of(keys_of_event(event)))
    return keys


def _authors_of(corpus: CorpusStore, ids: Sequence[str]) -> list[str]:
    """The authors of the corpus who are given by ids, ORCIDs or addresses in any form, under all their ids."""
    addresses = {key for one in ids for key in identity_keys(one) if "@" in key}
    people = {  # nothing says who has an address but the papers
        authorship.author.id
        for paper in (corpus.iter_papers() if addresses else ())
        for authorship in paper.authorships
        if authorship.author.email and not addresses.isdisjoint(identity_keys(authorship.author.email))
    }
    keys, before = {form for one in ids for form in spellings(one)}, 0
    while len(keys) > before:
        before = len(keys)
        known = [*corpus.authors([*keys, *people]).values(), *corpus.find_orcids([*keys])]
        people.update(author.id for author in known)
        keys.update(form for author in known for key in (author.id, author.orcid) if key for form in spellings(key))
    return sorted(people)


def _written_by(corpus: CorpusStore, people: AbstractSet[str]) -> Iterator[Author]:
    """These people as each of their papers has them."""
    papers = {paper for written in corpus.papers_of(sorted(people)).values() for paper in written}
    for paper in corpus.papers(sorted(papers)).values():
        yield from (authorship.author for authorship in paper.authorships if authorship.author.id in people)


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
