"""What the editor's desk records of invitations, as events of the corpus' history: later look-ups know it."""

from datetime import date
from pathlib import Path

import orjson

from panelist.app.desk.editor.records import SavedSubmission, State
from panelist.corpus.removals import Removals
from panelist.corpus.store import CorpusStore
from panelist.records import HistoryEvent, HistoryRole, Outcome

_OUTCOMES = {
    State.INVITED: Outcome.NO_ANSWER,
    State.ACCEPTED: Outcome.ACCEPTED,
    State.DECLINED: Outcome.DECLINED,
    State.DONE: Outcome.DONE,
}


def paper_of(submission: str) -> str:
    """The id under which a saved submission stands in the history."""
    return f"desk:{submission}"


def events_of(saved: SavedSubmission) -> list[HistoryEvent]:
    """What became of the invitations for a submission; who was only listed or excluded has none."""
    text = orjson.loads(saved.request)["submission"]
    return [
        HistoryEvent(
            reviewer.person,
            HistoryRole.REVIEWER,
            paper_of(saved.id),
            title=text["title"],
            abstract=text["abstract"],
            invited=_day(reviewer.invited),
            answered=None if reviewer.state is State.DONE else _day(reviewer.answered),
            submitted=_day(reviewer.answered) if reviewer.state is State.DONE else None,
            outcome=_OUTCOMES[reviewer.state],
        )
        for reviewer in saved.reviewers
        if reviewer.state in _OUTCOMES
    ]


def record_events(corpus: CorpusStore, home: Path, submission: str, events: list[HistoryEvent]) -> None:
    """Make the history say this of a saved submission, and nothing else; who was erased stays erased."""
    corpus.forget_history({paper_of(submission)})
    removals = Removals(home)
    corpus.add_history(event for event in events if not removals.hold(event))


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
