"""What was matched of a history is read from a file, which no answer shows and no forgotten person is left in."""

from datetime import date

import numpy as np
import pytest
from indexing_support import load_hashing
from msgspec import structs
from panel_support import paper

from indexing.jobs.build import IndexJobs
from panelist.corpus.history import MATCHED
from panelist.corpus.removals import Removals
from panelist.records import Author, Authorship, HistoryEvent, HistoryRole, Submission
from panelist.workspace import Workspace
from retriever.finder import Finder
from retriever.history.table import History

ORCID = "0000-0002-1825-0097"
PAPERS = [
    paper("p1", "ann", title="Bleaching of coral reefs"),
    paper("p2", "bob", title="Trade of medieval merchants"),
    paper("p3", "cid", title="Wool on medieval markets"),
]
ASKED = Submission("s1", "Coral reefs", "Bleaching of corals.", received=date(2020, 1, 1))


def did(person, paper="p1", **more):
    return HistoryEvent(person, HistoryRole.REVIEWER, paper, **{"published": date(2019, 6, 1)} | more)


@pytest.fixture
def workspace(tmp_path):
    workspace = Workspace.at(tmp_path)
    with workspace.open_corpus(create=True) as corpus:
        corpus.upsert(PAPERS)
        IndexJobs(workspace.index_path, load=load_hashing).build(corpus, encoder="hashing", engine="bm25s")
        corpus.add_history([did("bob"), did("bob", "x1", title="Corals"), did("", orcid=ORCID), did("ann", "p2\0")])
    return workspace


def panel(workspace):
    with Finder.open(workspace, load=load_hashing) as finder:
        return finder.find(ASKED)


def served(workspace):
    return {match.author.id for match in panel(workspace).matches if match.history}


def stored(workspace):
    """The numbers of those who are in the file."""
    with np.load(workspace.path / MATCHED) as file:
        return file["authors"].tolist()


def same_with_and_without_the_file(workspace):
    with_file = panel(workspace)
    (workspace.path / MATCHED).unlink()
    assert structs.asdict(panel(workspace)) == structs.asdict(with_file)
    return {match.author.id for match in with_file.matches if match.history}


def test_a_start_matches_nobody_again_and_answers_the_same(workspace, monkeypatch):
    first = panel(workspace)
    assert (workspace.path / MATCHED).stat().st_mode & 0o077 == 0
    monkeypatch.setattr(History, "of", None)
    assert structs.asdict(panel(workspace)) == structs.asdict(first)
    with Finder.open(workspace, load=load_hashing) as finder:
        assert set(finder.history.rows) == {"p1", "x1", "p2\0"}


def test_what_changes_is_matched_again(workspace):
    assert served(workspace) == {"ann", "bob"}
    with workspace.open_corpus() as corpus:
        corpus.add_history([did("dee", "p2")])
    assert same_with_and_without_the_file(workspace) == {"ann", "bob"}
    with workspace.open_corpus() as corpus:  # who somebody is changes with the corpus alone
        known = Authorship(Author("cid", "Cid", ORCID))
        corpus.upsert([structs.replace(PAPERS[2], authorships=(known,))])
    assert same_with_and_without_the_file(workspace) == {"ann", "bob", "cid"}
    with workspace.open_corpus() as corpus:
        corpus.upsert([paper("p4", "dee", title="Reefs of corals")])
        IndexJobs(workspace.index_path, load=load_hashing).add(corpus)
    assert same_with_and_without_the_file(workspace) == {"ann", "bob", "cid", "dee"}


def test_who_is_forgotten_is_not_in_the_file(workspace):
    panel(workspace)
    assert len(stored(workspace)) == 2
    with workspace.open_corpus() as corpus:
        Removals(workspace.path).forget(corpus, "bob")
    assert not (workspace.path / MATCHED).exists()
    assert served(workspace) == {"ann"}
    assert len(stored(workspace)) == 1
    with workspace.open_corpus() as corpus:
        Removals(workspace.path).remove(corpus, ["ann"])
    assert not (workspace.path / MATCHED).exists()


def test_somebody_forgotten_while_a_process_matches_is_not_written(workspace, monkeypatch):
    of = History.of

    def slow(*arguments):
        history = of(*arguments)
        with workspace.open_corpus() as corpus:
            Removals(workspace.path).forget(corpus, "bob")
        return history

    monkeypatch.setattr(History, "of", slow)
    with Finder.open(workspace, load=load_hashing) as finder:
        assert not (workspace.path / MATCHED).exists()
        monkeypatch.undo()
        finder.read_history()
        assert len(finder.history.authors) == len(stored(workspace)) == 1


@pytest.mark.parametrize("size", [0, 10, 200])
def test_a_broken_file_is_made_again(workspace, size):
    whole = panel(workspace)
    content = (workspace.path / MATCHED).read_bytes()
    (workspace.path / MATCHED).write_bytes(content[:size])
    assert structs.asdict(panel(workspace)) == structs.asdict(whole)
    assert len(stored(workspace)) == 2


def test_without_a_history_there_is_no_file(workspace, monkeypatch):
    with workspace.open_corpus() as corpus:
        corpus.forget_history({"bob", "ann", ORCID})
    monkeypatch.setattr(History, "of", None)
    assert served(workspace) == set()
    assert not (workspace.path / MATCHED).exists()
