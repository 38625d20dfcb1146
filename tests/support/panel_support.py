"""Workspaces, finders and a conflict oracle for tests of the look-up: no weights, no Java unless asked for."""

from indexing_support import load_hashing

from indexing.index import open_index
from indexing.jobs.build import IndexJobs
from panelist.records import Author, Authorship, ConflictKind, Institution, Paper
from panelist.workspace import Workspace
from retriever.conference.institution_names import InstitutionNames
from retriever.conference.names import _arrangements, _given_fit, name_words
from retriever.finder import Finder


def same_person(one, other):
    """Whether two names may be of the same person: every form of the one is compared with every form of the other."""
    one, other = name_words(one), name_words(other)
    if not one or not other:
        return False
    forms, others = _arrangements(one), _arrangements(other)
    return sorted(one) == sorted(other) or any(
        len(family) > 1 and _given_fit(given, words)
        for family, givens in forms.items()
        for words in others.get(family, ())
        for given in givens
    )


def at(author, *institutions, name=None, email=None):
    """An authorship: `author` is an id, institutions are names, or (name, ror[, country])."""
    records = (Institution(one) if isinstance(one, str) else Institution(*one) for one in institutions)
    return Authorship(Author(author, name or author.title(), email=email), tuple(records))


def paper(key, *authorships, title="coral reef bleaching", year=2019, abstract="", **more):
    people = tuple(one if isinstance(one, Authorship) else at(one) for one in authorships)
    return Paper(key, title, abstract, year, people, **more)


def make_finder(directory, papers, engine="bm25s"):
    """A finder over an index of `papers`, which are inserted in the order given."""
    workspace = Workspace.at(directory)
    with workspace.open_corpus(create=True) as corpus:
        corpus.upsert(papers)
        IndexJobs(workspace.index_path, load=load_hashing).build(corpus, encoder="hashing", engine=engine)
    return Finder(open_index(workspace.index_path, load=load_hashing), workspace.open_corpus())


def ids(panel):
    return [match.author.id for match in panel.matches]


def scored(panel):
    return [(match.author.id, match.score) for match in panel.matches]


def reasons(panel):
    """reviewer -> {(kind, certain)} of everybody on the panel."""
    return {
        match.author.id: {(conflict.kind, conflict.certain) for conflict in match.conflicts} for match in panel.matches
    }


class ConflictOracle:
    """The rules of conflict of interest once more, over the papers themselves: loops and sets, no index."""

    def __init__(self, papers):
        self.papers = papers
        self.newest = max(paper.year or 0 for paper in papers)
        self.names = {one.author.id: one.author.name for paper in papers for one in paper.authorships}

    def conflicts(self, submission, years=3):
        """reviewer -> {(kind, certain)}."""
        since = (submission.year or self.newest) - years
        known = {one.author.id for paper in self.papers for one in paper.authorships}
        own = {author.id for author in submission.authors} & known
        names = {name.casefold() for name in submission.author_names}
        names |= {author.name.casefold() for author in submission.authors if author.id not in known}
        named = {
            one.author.id for paper in self.papers for one in paper.authorships if one.author.name.casefold() in names
        } - own
        found = {author: {(ConflictKind.AUTHOR, True)} for author in own}
        everybody = {*submission.author_names, *(author.name for author in submission.authors)}
        for author, name in self.names.items():
            if author not in own and any(same_person(name, other) for other in everybody):
                found.setdefault(author, set()).add((ConflictKind.AUTHOR, False))
        for paper in self.papers:
            team = {one.author.id for one in paper.authorships}
            if paper.year is None or paper.year >= since:
                for group, certain in ((own, True), (named, False)):
                    for author in team & group:
                        for other in team - {author} - own:
                            dated = certain and paper.year is not None
                            found.setdefault(other, set()).add((ConflictKind.COAUTHOR, dated))
        institutions = {(one, True) for one in submission.institutions}
        institutions |= {(one, True) for author in own for one in self.recent_institutions(author, since)}
        institutions |= {(one, False) for author in named for one in self.recent_institutions(author, since)}
        for author in known - own:
            for mine in self.recent_institutions(author, since):
                for theirs, certain in institutions:
                    if author in named and not (certain and mine.ror and mine.ror == theirs.ror):
                        continue  # they are flagged as a possible author already
                    if mine.ror and mine.ror == theirs.ror:
                        found.setdefault(author, set()).add((ConflictKind.INSTITUTION, certain))
                    elif not (mine.ror and theirs.ror) and InstitutionNames([(0, mine.name)]).like(theirs.name):
                        found.setdefault(author, set()).add((ConflictKind.INSTITUTION, False))
        return found

    def recent_institutions(self, author, since):
        """Where somebody has been since then, and where their latest paper with an institution puts them."""
        entries = [
            (paper.year or 0, institution)
            for paper in self.papers
            for one in paper.authorships
            if one.author.id == author
            for institution in one.institutions
        ]
        latest = max((year for year, _ in entries), default=0)
        return {institution for year, institution in entries if year >= since or year in (0, latest)}
