"""Judgements from what journals publish: who really reviewed, or handled, which paper."""

from collections.abc import Iterable, Iterator

from panelist.corpus.readers.catalogues.jats import Article
from panelist.corpus.store import CorpusStore
from panelist.records import Author


def judgements(articles: Iterable[Article], role: str, corpus: CorpusStore) -> Iterator[tuple[str, str]]:
    """Pairs of a paper and a person of this role (`reviewer` or `editor`) who has another paper in the corpus.

    A person is known by id, else by a name that only one author of the corpus has.
    """
    for article in articles:
        for person in (one for one, own in article.roles.items() if own == role):
            author = _known(person, corpus)
            if author is not None and set(corpus.papers_of([author]).get(author, ())) - {article.paper.id}:
                yield article.paper.id, author


def _known(person: Author, corpus: CorpusStore) -> str | None:
    if corpus.authors([person.id]):
        return person.id
    namesakes = corpus.find_authors(person.name)
    return namesakes[0].id if len(namesakes) == 1 else None
