"""Who reviewed what in the systems' own tables: review reports, reviews, assignments; and in Panelist's own."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path

from msgspec.structs import replace

from panelist.corpus.history import keys_of_event
from panelist.corpus.names import given_name_first
from panelist.corpus.readers.fields import FieldError, identifier
from panelist.corpus.readers.reader import converted
from panelist.corpus.readers.report import ReadReport
from panelist.corpus.readers.rows import open_rows
from panelist.corpus.systems.columns import HANDLING, HISTORY, OUTCOMES, PAPER, PEOPLE, name_in
from panelist.corpus.systems.pairs import named_rows
from panelist.corpus.systems.reviews import score_of
from panelist.errors import InputError
from panelist.records import HistoryEvent, HistoryRole, Outcome

_DATES = ("invited", "answered", "submitted", "published", "due", "declined", "cancelled")
_FORMS = ("%Y-%m-%d", "%Y/%m/%d", "%d-%b-%Y", "%d %b %Y", "%b %d %Y", "%d %B %Y", "%B %d %Y", "%d.%m.%Y")
_TIME = re.compile(r"[T ]+\d{1,2}:\d\d.*$")
_SLASHES = re.compile(r"(\d{1,2})/\d{1,2}/\d{4}")
_CHANGES = re.compile(r"clear|conflict|pref|noreview|none", re.IGNORECASE)  # HotCRP's actions that ask nobody

Cells = dict[str, str]


def read_report(path: Path, report: ReadReport, source: str) -> Iterator[HistoryEvent]:
    """The events of one table, each review once, with what its last round says.

    Papers of a system are numbered by it: `source` names the journal or conference, so that paper 12 of another one is
    another paper.
    """
    with open_rows(path) as rows:
        header, rows_below = named_rows(rows.filled(), {"paper": PAPER}, HISTORY, path)
        if header is None:
            raise InputError(f"'{path}' has no column with the paper, such as paper or 'Submission ID': give a header")
        table = [*rows_below]
    has_own_ids = "own" in header.positions and not {"person", "reviewer"}.isdisjoint(header.positions)
    if not has_own_ids and not source:
        raise InputError(
            f"'{path}': its papers have numbers of a system, which others may have, too: give the source, "
            "the name of the journal or the conference"
        )
    members = _members_beside(path) if "member" in header.positions else {}
    slashes = (_SLASHES.match(cells.get(name, "")) for _, cells in table for name in _DATES)
    day_first = any(int(match[1]) > 12 for match in slashes if match)

    def event_of(cells: Cells) -> HistoryEvent | None:
        filled = {name: cell for name, cell in cells.items() if cell}
        return _event(members.get(cells.get("member", ""), {}) | filled, "" if has_own_ids else f"{source}:", day_first)

    events: dict[tuple[str, ...], HistoryEvent] = {}
    for _, event in converted(table, event_of, path, report):
        if event is None:
            report.left_out += 1
            continue
        key = (event.paper, event.role, keys_of_event(event)[0])
        events[key] = _latest(events.get(key), event)
    yield from events.values()


def _event(cells: Mapping[str, str], prefix: str, day_first: bool) -> HistoryEvent | None:
    """A row as an event; None where nobody was asked, or the invitation was taken back."""
    days = {name: day_of(cells.get(name, ""), name, day_first) for name in _DATES}
    outcome = _outcome(cells, days)
    if outcome is None or _CHANGES.match(cells.get("role", "")):
        return None
    reviewer = cells.get("reviewer", "")
    is_person = reviewer.startswith(("~", "http", "orcid:")) if prefix else " " not in reviewer  # no user names
    person = cells.get("person") or (reviewer if is_person else "")
    email = cells.get("email") or (reviewer if "@" in reviewer else "")
    name = name_in(cells)
    stated = name or (reviewer if " " in reviewer else "")
    name = name if (name := given_name_first(stated)) != stated else stated.partition(",")[0]
    if not (person or email or name or cells.get("orcid")):
        raise FieldError("names nobody by name, e-mail address or ORCID")
    done, late, due = outcome == Outcome.DONE, cells.get("late", ""), days["due"]
    submitted = days["submitted"] if done else None
    score = score_of(cells.get("score", "")) if done else ""
    return HistoryEvent(
        "" if "@" in person else person,
        HistoryRole(HANDLING.get(cells.get("role", "").lower(), "reviewer")),
        f"{prefix}{identifier('_'.join(cells.get('paper', '').split()), 'paper')}",
        name,
        email.lower(),
        cells.get("orcid", "").rstrip("/").rpartition("/")[2],
        title=cells.get("title", ""),
        abstract=cells.get("abstract", ""),
        invited=days["invited"],
        answered=days["answered"] or (days["declined"] if outcome == Outcome.DECLINED else None),
        submitted=submitted,
        published=days["published"],
        outcome=outcome,
        late_days=int(late) if late.lstrip("-").isdecimal() else (submitted - due).days if submitted and due else None,
        score=float(score) if score else None,
    )


def _outcome(cells: Mapping[str, str], days: Mapping[str, date | None]) -> Outcome | None:
    """What came of an invitation, by the word for it, else by what is filled in; None where it was taken back."""
    word = cells.get("outcome", "").lower()
    if word in OUTCOMES:
        return Outcome(OUTCOMES[word]) if OUTCOMES[word] != "taken_back" else None
    if _is_set(cells, "cancelled"):
        return None
    if days["submitted"] or cells.get("text"):
        return Outcome.DONE
    if _is_set(cells, "declined"):
        return Outcome.DECLINED
    if days["answered"]:
        return Outcome.ACCEPTED
    return Outcome.NO_ANSWER if days["invited"] and not cells.get("score") else Outcome.DONE


def _is_set(cells: Mapping[str, str], name: str) -> bool:
    return cells.get(name, "").lower() not in ("", "no", "false", "0", "n")


def day_of(text: str, name: str, day_first: bool = False) -> date | None:
    """The day of a cell in any usual form; yes and no are none."""
    plain = _TIME.sub("", text.strip()).replace(",", "").strip()
    if plain.lower() in ("", "yes", "no", "true", "false", "0", "1", "n", "y", "n/a", "-"):
        return None
    slashes = "%d/%m/%Y" if day_first else "%m/%d/%Y"
    for form in (*_FORMS, slashes):
        with suppress(ValueError):
            return datetime.strptime(plain, form).date()
    raise FieldError(f"{name}: '{text[:40]}' is not a day: write 2026-01-31")


def _latest(previous: HistoryEvent | None, event: HistoryEvent) -> HistoryEvent:
    """The same review after one more round: what was done stays done, and its day is known."""
    if previous is None or previous.outcome != Outcome.DONE:
        return event
    if event.outcome in (Outcome.DECLINED, Outcome.NO_ANSWER):
        return previous
    return replace(event, submitted=event.submitted or previous.submitted, score=event.score or previous.score)


def _members_beside(path: Path) -> dict[str, Cells]:
    """Names and addresses of EasyChair's committee, by member number, from the file beside this one."""
    file = path.with_name("committee.csv")
    if not file.is_file():
        return {}
    with open_rows(file) as rows:
        header, named = named_rows(rows.filled(), {"member": PEOPLE["reviewer"]}, PEOPLE)
        people = [cells for _, cells in named] if header else []
    columns = ("first", "last", "email")
    return {cells["member"]: {name: cells[name] for name in columns if cells.get(name)} for cells in people}
