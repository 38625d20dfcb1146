"""`panelist history`: a journal's report becomes what searches know, and is erased with a person."""

import json

import pytest
from systems_support import REPORTS


@pytest.fixture
def report(demo_workspace, tmp_path):
    """OJS's report, in which Hal Jones is somebody of the demo by name, and two addresses are of nobody."""
    with demo_workspace.open_corpus() as corpus:
        papers = corpus.iter_papers()
        names = {entry.author.name: entry.author.id for paper in papers for entry in paper.authorships}
    name = "Shirin Jahangiri"
    path = tmp_path / "ojs.csv"
    path.write_text(REPORTS["ojs.csv"].replace("Hal,Jones", "Shirin,Jahangiri").replace("hal@u.org", ""))
    return path, names[name]


def test_a_report_is_imported_once_listed_and_erased(panelist, demo_workspace, report):
    path, person = report
    code, printed, _ = panelist("history", "import", path, "--source", "j", "--dry-run")
    assert (code, "nothing written" in printed) == (0, True)
    assert panelist("history", "list")[1] == "0 events, 0 papers\n"
    for changed in (4, 0):
        code, printed, _ = panelist("history", "import", path, "--source", "j", "--json")
        summary = json.loads(printed)
        assert code == 0
        names = ("events", "changed", "possible", "left_out", "rejected")
        assert [summary[name] for name in names] == [4, changed, 2, 1, 1]
    assert "reviewer: accepted" in panelist("history", "list")[1]
    code, printed, _ = panelist("history", "list", "--person", person)
    assert printed == "2024-01-03  reviewer, declined  j:12  Sorting\n2024-02-03  reviewer, accepted  j:13  Searching\n"
    assert "@" not in panelist("history", "list", "--json")[1]
    assert panelist("history", "forget", person)[1] == "forgotten: 2 events\n"
    summary = json.loads(panelist("history", "import", path, "--source", "j", "--json")[1])
    assert (summary["events"], summary["erased"]) == (2, 2)


def test_what_is_no_history_is_refused_in_one_line(panelist, demo_workspace, report, tmp_path):
    code, _, err = panelist("history", "import", report[0])
    assert code == 2
    assert "give the source, the name of the journal or the conference" in err
    empty = tmp_path / "own.csv"
    empty.write_text("paper,person\n")
    code, _, err = panelist("history", "import", empty)
    assert (code, "the files name nobody" in err) == (2, True)
