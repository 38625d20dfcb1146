"""What somebody sees who may not see all papers: nothing of it depends on what is hidden, and nothing is written."""

import io
import re
from datetime import UTC, datetime
from zipfile import ZipFile

import pytest
from conference_support import Live, bare_view, open_conferences

from panelist.app.access.sight import Sight
from panelist.app.desk.conference.archive import write_archive
from panelist.app.desk.conference.audit import Event
from panelist.app.desk.conference.contents import hidden_titles
from panelist.app.desk.conference.manual import ManualChanges
from panelist.app.desk.conference.outcomes import load_pairs, load_solution
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.state import Conference

NOW = datetime(2026, 1, 2, tzinfo=UTC)
SEEN = {("p0", "r0"): 1, ("p0", "r1"): 1, ("p2", "r2"): 1, ("p2", "r3"): 1}
SECRET = frozenset({"p1"})
KEY = "venue-of-both"


def world(folder, reviewers, score, method="total"):
    """A conference in which everything about p1 depends on the arguments."""
    lines = [f"p{i},r{j},{0.1 + 0.1 * j:.2f}" for i in (0, 2) for j in range(6)]
    lines += [f"p1,r{j},{score + 0.05 * j:.2f}" for j in range(6)]
    fit = [re.sub("[^,]+$", str(score / 5) if line.startswith("p1") else "0.03", line) for line in lines]
    files = {
        "scores": lines,
        "fit": fit,
        "submissions": [f'{{"id": "p{i}", "title": "Paper {i}", "abstract": "About {i}."}}' for i in range(3)],
        "constraints": [f"p1,{reviewers[0]},1", "p0,r5,-1"],
        "reviewers": ["reviewer,role,authored", *(f"r{j},reviewer,{'p1' if j == score * 5 else ''}" for j in range(6))],
    }
    conferences = open_conferences(folder)
    conferences.bring_in(KEY, "Venue", NOW, [], {})
    live = Live(conferences, {kind: "\n".join(rows) + "\n" for kind, rows in files.items()}, KEY)
    manual = ManualChanges(pairs=SEEN | {("p1", who): 1 for who in reviewers}, event=2)
    live.solve(bare_view(live.now, manual), ConferenceSettings(demand=2, most=3, method=method))
    with conferences.note(KEY) as change:
        change.put("chosen", record=1)
    return live


def contents(conference):
    """Every file of an export, without when its solutions were begun."""
    file = io.BytesIO()
    write_archive(conference, file)
    with ZipFile(file) as archive:
        return {name: re.sub(rb'"begun":"[^"]*"', b"", archive.read(name)) for name in archive.namelist()}


def on_disk(folder):
    return {path: path.stat().st_size for path in folder.rglob("*") if "sqlite" not in path.name}


@pytest.mark.parametrize("method", ["total", "fair"])
def test_what_is_seen_is_the_same_whatever_is_hidden(tmp_path, method):
    seen = []
    for name, reviewers, score in (("one", ("r0", "r2"), 0.2), ("other", ("r4", "r1"), 0.6)):
        live = world(tmp_path / name, reviewers, score, method)
        assert load_solution(live.now, 1).state == "done"
        before = on_disk(tmp_path / name)
        seen.append((live.now.seen(Sight(SECRET, SECRET)), contents(live.now.seen(Sight(SECRET, SECRET)))))
        assert on_disk(tmp_path / name) == before
    (conference, one), (_, other) = seen
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []
    assert [name for name, content in one.items() if re.search(rb"\bp1\b", content)] == []
    assert hidden_titles(conference) == {"p1": "Paper 1"}
    assert {(pair.paper, pair.reviewer) for pair in load_pairs(conference, 1).pairs} == set(SEEN)
    summary = load_solution(conference, 1).summary
    assert summary is not None
    assert summary.pairs == 4
    assert load_pairs(conference, 1).alternates


def test_what_is_seen_follows_changes(tmp_path):
    live = world(tmp_path / "one", ("r0", "r2"), 0.2)
    assert b"p0,r5,0.6\n" in contents(live.now.seen(Sight(SECRET)))["scores.csv"]
    live.put(scores="p0,r0,0.5\np1,r0,0.5\n")
    assert contents(live.now.seen(Sight(SECRET)))["scores.csv"] == b"p0,r0,0.5\n"
    whole = live.now
    assert whole.seen(Sight()) is whole


def test_where_everything_is_hidden_nothing_is_left(tmp_path):
    seen = world(tmp_path / "one", ("r0", "r2"), 0.2).now.seen(Sight(frozenset({"p0", "p1", "p2"})))
    assert "scores.csv" not in contents(seen)
    assert load_pairs(seen, 1).pairs == []
    assert hidden_titles(seen) == {}


def test_events_that_name_a_hidden_paper_are_not_there_and_others_count_nothing():
    nothing = {"pairs": [], "quotas": {}, "demands": {}, "decisions": []}
    told = [
        ("created", {"name": "Venue"}),
        ("reviews", {"words": "texts of reviews: 41 reviews of 10 papers"}),
        ("lock", nothing | {"pairs": [["p1", "r1", 1]]}),
        ("undo", {"of": 3}),
        ("lock", nothing | {"pairs": [["p10", "r1", 1]]}),
        ("demand", nothing | {"demands": {"p1": 2}}),
        ("confirm", nothing | {"decisions": [{"submission": "p1", "reviewer": "r1"}]}),
        ("decline", nothing | {"pairs": [["p1", "", -1]]}),
        ("decline", nothing | {"words": "somebody who was forgotten declined p1"}),  # as earlier versions kept it
    ]
    events = [Event(at, NOW, "ada", kind, detail, at) for at, (kind, detail) in enumerate(told, 1)]
    left = Conference(KEY, "Venue", NOW, {}, tuple(reversed(events)), None).seen(Sight(SECRET)).events
    assert [(event.number, event.key) for event in left] == [(4, 9), (3, 5), (2, 2), (1, 1)]
    assert left[0].detail == nothing
    assert left[2].detail == {}
    assert left[1].detail == events[4].detail
