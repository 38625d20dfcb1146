"""Copies of a conference without some papers: nothing in any file of the copy depends on what was taken out."""

import re
import shutil
from datetime import UTC, datetime

import pytest
from conference_support import bare_view

from panelist.app.access.hiding import events_without, without
from panelist.app.desk.conference.assignment import solutions
from panelist.app.desk.conference.assignment.manual import ManualChanges
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.assignment.solving import make
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.files import hidden_titles
from panelist.app.desk.conference.store import StoredConference
from panelist.progress import silent

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SEEN = {("p0", "r0"): 1, ("p0", "r1"): 1, ("p2", "r2"): 1, ("p2", "r3"): 1}
SECRET = frozenset({"p1"})


def world(folder, reviewers, score, method="total"):
    """A conference in which everything about p1 depends on the arguments."""
    folder.mkdir()
    lines = [f"p{i},r{j},{0.1 + 0.1 * j:.2f}" for i in (0, 2) for j in range(6)]
    lines += [f"p1,r{j},{score + 0.05 * j:.2f}" for j in range(6)]
    files = {
        "scores.csv": lines,
        "confidence.csv": [
            re.sub("[^,]*$", str(int(score * 3)) if line.startswith("p1") else "1", line) for line in lines
        ],
        "submissions.jsonl": [f'{{"id": "p{i}", "title": "Paper {i}", "abstract": "About {i}."}}' for i in range(3)],
        "constraints.csv": [f"p1,{reviewers[0]},1", "p0,r5,-1"],
        "reviewers.csv": [
            "reviewer,role,authored",
            *(f"r{j},reviewer,{'p1' if j == score * 5 else ''}" for j in range(6)),
        ],
    }
    for name, rows in files.items():
        (folder / name).write_text("\n".join(rows) + "\n")
    conference = StoredConference("venue", "Venue", NOW, 3, folder)
    manual = ManualChanges(pairs=SEEN | {("p1", who): 1 for who in reviewers}, event=2)
    view = bare_view(conference, manual)
    make(conference, solutions.begin(view, ConferenceSettings(demand=2, most=3, method=method)).number, silent)
    (folder / "chosen").write_text("1")
    return conference


def contents(conference):
    """Every file of a copy, without when its solutions were begun."""
    found = {}
    for path in sorted(conference.path.rglob("*")):
        name = str(path.relative_to(conference.path))
        if path.is_file() and not path.name.startswith("."):
            found[name] = path.read_bytes()
    for name in [name for name in found if name.endswith("solution.json")]:
        found[name] = found[name].partition(b'"begun":"')[0] + found[name].partition(b'"begun":"')[2][33:]
    return found


@pytest.mark.parametrize("method", ["total", "fair"])
def test_the_copy_is_the_same_whatever_is_hidden(tmp_path, method):
    copies = []
    for name, reviewers, score in (("one", ("r0", "r2"), 0.2), ("other", ("r4", "r1"), 0.6)):
        real = world(tmp_path / name, reviewers, score, method)
        assert solutions.read_solution(real, 1).state == "done"
        copies.append(without(real, SECRET, SECRET))
    one, other = map(contents, copies)
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
    named = [name for name, content in one.items() if re.search(rb"\bp1\b", content)]
    assert named == ["hidden.json"]
    copy = copies[0]
    assert hidden_titles(copy) == {"p1": "Paper 1"}
    assert {(one.paper, one.reviewer) for one in solutions.read_pairs(copy, 1).pairs} == set(SEEN)
    summary = solutions.read_solution(copy, 1).summary
    assert summary is not None
    assert summary["pairs"] == 4
    assert solutions.read_pairs(copy, 1).alternates


def test_a_copy_is_made_once_for_each_state_and_follows_changes(tmp_path):
    real = world(tmp_path / "one", ("r0", "r2"), 0.2)
    first = without(real, SECRET, SECRET)
    assert without(real, SECRET, SECRET) == first
    (real.path / "scores.csv").write_text("p0,r0,0.5\np1,r0,0.5\n")
    second = without(real, SECRET, SECRET)
    assert second.path != first.path
    assert (second.path / "scores.csv").read_text() == "p0,r0,0.5\n"
    assert without(real, frozenset(), frozenset()) == real


def test_where_everything_is_hidden_nothing_is_left(tmp_path):
    copy = without(world(tmp_path / "one", ("r0", "r2"), 0.2), frozenset({"p0", "p1", "p2"}), frozenset())
    assert not (copy.path / "scores.csv").exists()
    assert solutions.read_pairs(copy, 1).pairs == []
    assert hidden_titles(copy) == {}
    shutil.rmtree(copy.path)


def test_events_that_name_a_hidden_paper_are_not_there_and_others_count_nothing():
    nothing = {"pairs": [], "quotas": {}, "demands": {}, "decisions": []}
    events = [
        Event(1, NOW, "ada", "created", {"name": "Venue"}),
        Event(2, NOW, "ada", "reviews", {"words": "texts of reviews: 41 reviews of 10 papers"}),
        Event(3, NOW, "ada", "lock", nothing | {"words": "lock r1", "pairs": [["p1", "r1", 1]]}),
        Event(4, NOW, "ada", "undo", {"words": "undo: lock r1", "of": 3}),
        Event(5, NOW, "ada", "lock", nothing | {"words": "lock r1 on p10", "pairs": [["p10", "r1", 1]]}),
        Event(6, NOW, "ada", "demand", nothing | {"words": "needs 2", "demands": {"p1": 2}}),
        Event(7, NOW, "ada", "confirm", nothing | {"decisions": [{"submission": "p1", "reviewer": "r1"}]}),
        Event(8, NOW, "ada", "decline", nothing | {"words": "somebody who was forgotten declined p1"}),
    ]
    left = events_without(events, SECRET)
    assert [event.number for event in left] == [1, 2, 5]
    assert left[1].detail == {}
    assert left[2] == events[4]
