"""What a history says on a day, against loops over its events; and nothing that happens later changes it."""

from datetime import date, timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from panel_support import make_finder, paper

from indexing.text import Text
from panelist.records import HistoryEvent, HistoryRole, Outcome, Submission
from retriever.history.seen import NEAREST, YEAR, Seen

START = date(2019, 1, 1)
PAPERS = [
    paper("p1", "ann", title="Bleaching of coral reefs"),
    paper("p2", "bob", "cid", title="Symbiosis of algae and corals"),
    paper("p3", "dan", title="Trade of medieval merchants"),
]
ELSEWHERE = {"x1": "Coral reefs by night", "x2": "Merchants of Venice"}
ASKED = Submission("p9", "Coral reefs and algae")


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("served"), PAPERS) as finder:
        yield finder


days = st.none() | st.integers(0, 900).map(lambda days: START + timedelta(days))


@st.composite
def events(draw):
    listed = draw(
        st.lists(
            st.builds(
                lambda person, role, paper, outcome, days: HistoryEvent(
                    *(person, role, paper),
                    title=ELSEWHERE.get(paper, ""),
                    outcome=outcome,
                    **dict(zip(("invited", "answered", "submitted", "published"), days, strict=True)),
                ),
                st.sampled_from(["ann", "bob", "cid", "nobody"]),
                st.sampled_from([*HistoryRole]),
                st.sampled_from(["p1", "p2", "p3", "p9", *ELSEWHERE]),
                st.sampled_from([*Outcome]),
                st.tuples(days, days, days, days),
            ),
            max_size=12,
        )
    )
    return [*{(one.person, one.role, one.paper): one for one in listed}.values()]


def near(finder, event):
    index = finder.index
    unit = int(index.units.find([event.paper])[0])
    vector = index.encoder().encode([Text.of(ASKED)])[0]
    if unit < 0 and event.paper not in ELSEWHERE:
        return 0.0
    other = index.vectors[unit] if unit >= 0 else index.encoder().encode([Text(event.title)])[0]
    return min(max(float(index.nearness.scaled(np.array([other @ vector]))[0]), 0.0), NEAREST)


def told(finder, listed, day):
    """person -> what is known of them before a day, event by event; without a day, today."""
    known = {}
    for event in listed:
        if event.paper == ASKED.id or event.person == "nobody":
            continue
        one = known.setdefault(event.person, dict.fromkeys(NAMES, 0))
        done = event.outcome is Outcome.DONE
        ends = [event.submitted, event.published]
        since = min(filter(None, ends), default=None)
        ends += [event.answered] if event.outcome is Outcome.DECLINED else []
        begun = min(filter(None, (event.invited, event.answered)), default=None)
        ended = min(filter(None, ends), default=None)
        if ended is None and event.outcome is not Outcome.ACCEPTED:
            ended = begun
        horizon = day or date.today()
        reviews = event.role is HistoryRole.REVIEWER
        edits = not reviews and event.role is not HistoryRole.SENIOR_EDITOR
        if done and (since < horizon if since else day is None):
            one["total"] += 1
            one["last"] = max(one["last"], since.toordinal() if since else 0)
            one["reviews"] += reviews
            one["editorships"] += edits
            for name, counts in (("reviewed", reviews), ("edited", edits)):
                one[name] = max(one[name], counts * near(finder, event))
        if reviews and begun and begun < horizon and (ended is None or ended >= horizon):
            one["open"] += 1
            one["recent"] += 1
            one["rested"] = horizon.toordinal()
        elif reviews and done and ended and ended < horizon:
            one["recent"] += (horizon - ended).days <= YEAR
            one["rested"] = max(one["rested"], ended.toordinal())
    return known


NAMES = ("reviewed", "edited", "reviews", "editorships", "total", "last", "recent", "rested", "open")


def seen(finder, listed, day):
    finder.use_history(listed)
    if finder.history is None:
        return {}
    asked = msgspec.structs.replace(ASKED, received=day)
    vector = finder.index.encoder().encode([Text.of(ASKED)])[0]
    of = Seen.of(finder.history, asked, vector, finder.index.nearness)
    people = finder.index.ownership.author_ids.take(finder.history.authors)
    return {one: {name: getattr(of, name)[row] for name in NAMES} for row, one in enumerate(people)}


def something(known):
    return {
        one: {name: pytest.approx(value, abs=1e-4) for name, value in of.items()}
        for one, of in known.items()
        if any(of.values())
    }


@settings(max_examples=40)
@given(events(), days)
def test_what_is_seen_is_what_loops_over_events_find(finder, listed, day):
    fast = seen(finder, listed, day)
    assert {one: of for one, of in fast.items() if any(of.values())} == something(told(finder, listed, day))


def before(event, day):
    """An event as it was told before a day; None where nothing of it was known."""
    names = ("invited", "answered", "submitted", "published")
    known = {name: at for name in names if (at := getattr(event, name)) is not None and at < day}
    event = msgspec.structs.replace(event, **dict.fromkeys(names, None) | known)
    decided = {Outcome.DONE: ("submitted", "published"), Outcome.DECLINED: ("answered",)}
    if event.outcome in decided and known.keys().isdisjoint(decided[event.outcome]):
        event = msgspec.structs.replace(event, outcome=Outcome.ACCEPTED)  # asked, and not over
    return event if known else None


@settings(max_examples=40)
@given(events(), days.filter(bool))
def test_nothing_later_than_the_day_of_the_submission_is_ever_seen(finder, listed, day):
    listed = [one for one in listed if complete(one)]
    then = [known for one in listed if (known := before(one, day)) is not None]
    now, cut = (seen(finder, some, day) for some in (listed, then))
    assert {one: of for one, of in now.items() if any(of.values())} == something(cut)


def complete(event):
    """Whether what became of it has a day, as far as it has happened."""
    ends = {Outcome.DONE: event.evidence_since, Outcome.DECLINED: event.answered, Outcome.NO_ANSWER: None}
    return event.outcome not in ends or ends[event.outcome] is not None
