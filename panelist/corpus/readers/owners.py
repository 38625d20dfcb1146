"""Sources that list papers by owner: a paper that several people list becomes one paper with all of them as authors."""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from panelist.corpus.readers.report import ReadReport
from panelist.records import Author, Authorship, Paper


def unite(
    read: Callable[[ReadReport], Iterator[tuple[Author, Paper]]], report: ReadReport, *, coauthors: bool = False
) -> Iterator[Paper]:
    """Each paper once, in its last version, with its owners in the order in which they listed it.

    The source is read twice, so that only ids are held in memory: once to learn who owns what (and to report what is
    rejected), once for the papers. With `coauthors`, the authors whom the paper itself names follow.
    """
    owners: dict[str, dict[str, Author]] = {}
    versions: dict[str, int] = {}
    for author, paper in read(report):
        owners.setdefault(paper.id, {})[author.id] = author
        versions[paper.id] = versions.get(paper.id, 0) + 1
    again = ReadReport(bytes_read=report.bytes_read)
    for _, paper in read(again):
        report.bytes_read = again.bytes_read
        versions[paper.id] -= 1
        if versions[paper.id] == 0:
            people = owners[paper.id]
            others = (entry.author for entry in paper.authorships if coauthors and entry.author.id not in people)
            yield replace(paper, authorships=tuple(map(Authorship, (*people.values(), *others))))
