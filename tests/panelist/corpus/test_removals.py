"""What was removed stays removed; e-mail addresses are found, forgotten, and in no export."""

import pytest
from msgspec.structs import replace

import panelist
from panelist.app.cli.output import print_json
from panelist.corpus.emails import Email, latest_email
from panelist.corpus.importing import import_history, import_papers
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.removals import Removals
from panelist.errors import CorpusError, InputError
from panelist.records import Author, Authorship, HistoryEvent, HistoryRole, Paper
from panelist.workspace import Workspace

ADA, CHARLES = Author("A", "Ada", None, "ada@old.example"), Author("C", "Charles", None, "charles@royal.example")
PAPERS = [
    Paper("W1", "One", year=1840, authorships=(Authorship(ADA), Authorship(CHARLES))),
    Paper("W2", "Two", year=1843, authorships=(Authorship(replace(ADA, email="ada@new.example")),)),
    Paper("W3", "Three", year=1850, authorships=(Authorship(replace(ADA, email=None)),)),
]


@pytest.fixture
def corpus(store):
    store.upsert(PAPERS)
    return store


def test_papers_and_people_are_removed_and_no_import_brings_them_back(corpus, tmp_path):
    removals = Removals(tmp_path)
    with pytest.raises(InputError, match=r"neither .*paper nor .*'W9'"):
        removals.remove(corpus, ["W2", "W9"])
    assert corpus.counts().papers == 3
    assert removals.remove(corpus, ["W2", "A"]) == (1, 1)
    for _ in range(2):
        assert list(corpus.papers(["W1", "W2", "W3"])) == ["W1", "W3"]
        assert corpus.papers_of(["A", "C"]) == {"C": ("W1",)}
        assert not corpus.authors(["A"])
        import_papers(PAPERS, ReadReport(), corpus, Removals(tmp_path))
    assert Removals(tmp_path).remove(corpus, ["A"]) == (0, 0)  # once more is no mistake


def test_the_python_door_brings_back_nobody(tmp_path):
    workspace = Workspace.at(tmp_path)
    panelist.import_papers(workspace, PAPERS)
    with workspace.open_corpus() as corpus:
        Removals(tmp_path).remove(corpus, ["A"])
    panelist.import_papers(workspace, PAPERS)
    with workspace.open_corpus() as corpus:
        assert corpus.papers_of(["A", "C"]) == {"C": ("W1",)}


def test_the_newest_address_counts_until_it_is_forgotten(corpus, tmp_path):
    def address(person):
        return latest_email(person, corpus.papers(["W1", "W2", "W3"]).values())

    assert address("A") == Email("ada@new.example", "W2", 1843)
    assert Removals(tmp_path).forget(corpus, "A") == (2, 0)
    import_papers(PAPERS, ReadReport(), corpus, Removals(tmp_path))
    assert address("A") is None
    assert address("C") == Email("charles@royal.example", "W1", 1840)
    assert corpus.counts().papers == 3


def test_a_history_is_forgotten_with_its_person_and_no_import_brings_it_back(corpus, tmp_path):
    ada = HistoryEvent("A", HistoryRole.REVIEWER, "W1", "Ada", "ada@mail.example", "0000-0002-1825-0097")
    by_mail = replace(ada, person="", paper="x:1", orcid="")  # a report that has only the address
    charles = replace(ada, person="C", name="Charles", email="", orcid="")
    events = [ada, by_mail, charles]

    def known():
        summary = import_history(events, ReadReport(), corpus, Removals(tmp_path))
        return summary.erased, [*corpus.history()]

    assert known() == (0, [ada, charles, by_mail])
    assert Removals(tmp_path).forget(corpus, "A") == (2, 2)
    assert [*corpus.history()] == [charles]
    assert known() == (2, [charles])
    assert "ada@" not in (tmp_path / "removed.json").read_text()
    Removals(tmp_path).remove(corpus, ["W1"])  # a paper takes with it who reviewed it
    assert known() == (3, [])


@pytest.mark.parametrize("key", ["A", "https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"])
def test_a_history_is_forgotten_whichever_way_its_person_is_written(corpus, tmp_path, key):
    ada = Author("A", "Ada", "https://orcid.org/0000-0002-1825-0097", "Ada@mail.example")
    corpus.upsert([Paper("W9", "Notes", authorships=(Authorship(ada),))])
    event = HistoryEvent("", HistoryRole.REVIEWER, "x:1")
    of_ada = [
        replace(event, person="A"),
        replace(event, paper="x:2", orcid="0000-0002-1825-0097"),
        replace(event, paper="x:3", email="ada@mail.example"),
    ]
    events = [*of_ada, replace(event, paper="x:4", person="C")]
    import_history(events, ReadReport(), corpus, Removals(tmp_path))
    assert Removals(tmp_path).forget_history(corpus, [key]) == len(of_ada)
    assert [*corpus.history()] == events[-1:]
    assert import_history(events, ReadReport(), corpus, Removals(tmp_path)).erased == len(of_ada)


def test_addresses_are_in_no_json(capsys):
    print_json(PAPERS)
    printed = capsys.readouterr().out
    assert "Charles" in printed
    assert "@" not in printed


def test_a_damaged_list_of_removals_stops_an_import(tmp_path):
    (tmp_path / "removed.json").write_text("{")
    with pytest.raises(CorpusError, match=r"removed\.json' .*from a backup"):
        Removals(tmp_path)
