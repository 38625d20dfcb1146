"""What a solution is made from: the conference's files with the changes by hand in them, kept beside the solution."""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from panelist.app.desk.conference.assignment.manual import FORBIDDEN, LOCKED, ManualChanges
from panelist.app.desk.conference.assignment.settings import ConferenceSettings
from panelist.app.desk.conference.files import load_table
from panelist.app.desk.conference.store import StoredConference
from panelist.app.desk.errors import NotFoundError
from panelist.corpus.systems.columns import BID_WORDS
from panelist.errors import InputError
from panelist.files import write_whole
from retriever.assignment.building.records import AFFINITY, BIDS, Pair, Quota, Records, Reviewer
from retriever.assignment.options import REVIEWER, role_name
from retriever.assignment.reading.problem import Sources, read_records
from retriever.assignment.reading.scores import read_scores
from retriever.assignment.reading.tables import COLUMNS
from retriever.assignment.reading.tables import read_table as read_csv
from retriever.conference.conflicts.table import ConflictTable, read_table, write_table

SCORES = "scores.csv"
_RECORDS, _CONFLICTS, _BIDS = "records.json", "conflicts.jsonl", "bids.csv"


class _SavedRecords(Struct, frozen=True):
    """The records of a solution but for its scores, bids and conflicts, which have files of their own."""

    people: dict[str, Reviewer] | None
    forbidden: list[Pair]
    locked: list[Pair]
    quotas: dict[str, Quota]
    demands: list[tuple[Pair, int]]
    existing: list[Pair]


def scores_file(conference: StoredConference) -> Path:
    """Where the scores of a conference are, which it must have."""
    path = conference.path / SCORES
    if not path.exists():
        raise InputError("this conference has no scores yet: compute or upload them first")
    return path


def gather(
    conference: StoredConference,
    settings: ConferenceSettings,
    manual: ManualChanges,
    conflicts: ConflictTable,
    existing: Iterable[Pair] = (),
) -> Records:
    """The records of a conference as it is now; of `existing` pairs as many as possible are kept."""
    scores_file(conference)
    names = {kind: f"{kind}.csv" for kind in ("bids", "constraints", "quotas", "demands")} | {"people": "reviewers.csv"}
    files = {kind: path for kind, name in names.items() if (path := conference.path / name).exists()}
    records = read_records(Sources(scores=load_table(conference), conflicts=conflicts, **files))
    by_hand = manual.pairs.items()  # no lock by hand takes a conflict out, and no file lifts a change by hand
    locked = [pair for pair in records.locked if pair not in manual.pairs]
    return replace(
        records,
        forbidden=[*dict.fromkeys([*records.forbidden, *(pair for pair, value in by_hand if value == FORBIDDEN)])],
        locked=[*locked, *(pair for pair, value in by_hand if value == LOCKED)],
        quotas=_quotas(records.quotas, manual, settings.quota_floor),
        demands=_demands(records.demands, manual, settings.demand_ceiling),
        existing=tuple(existing),
    )


def save_records(conference: StoredConference, folder: Path, records: Records) -> None:
    """Write the records of a solution beside it, all but the scores: so that it can be made and explained again."""
    folder.mkdir(parents=True, exist_ok=True)
    saved = {name: getattr(records, name) for name in _SavedRecords.__struct_fields__}
    write_whole(folder / _RECORDS, msgspec.json.encode(saved | {"demands": list(records.demands.items())}))
    write_table(records.conflicts or ConflictTable(), folder / _CONFLICTS)
    if BIDS in records.scores:
        shutil.copyfile(conference.path / _BIDS, folder / _BIDS)


def saved_records(conference: StoredConference, folder: Path) -> Records:
    """The records that `save_records` wrote, with the scores of the conference."""
    try:
        saved = msgspec.json.decode((folder / _RECORDS).read_bytes(), type=_SavedRecords)
    except FileNotFoundError:
        raise NotFoundError("this solution was made by an earlier version of Panelist: solve again") from None
    bids = {BIDS: read_scores(folder / _BIDS, BID_WORDS)} if (folder / _BIDS).exists() else {}
    return Records(
        scores={AFFINITY: load_table(conference), **bids},
        conflicts=read_table(folder / _CONFLICTS),
        **structs.asdict(saved) | {"demands": dict(saved.demands)},
    )


class KnownInputs(Struct, frozen=True):
    """Which files there are, the roles of the committee, and which columns say something `about` somebody."""

    scores: bool
    roles: list[str]
    about: list[str]
    bids: bool


def known(conference: StoredConference) -> KnownInputs:
    """What a conference's files allow to ask for."""
    roles, about = {REVIEWER: None}, set[str]()
    if (path := conference.path / "reviewers.csv").exists():
        roles = {}
        for _, values in read_csv(path, COLUMNS):
            roles[role_name(values.get("role", "")) or REVIEWER] = None
            about |= {name for name, value in values.items() if value}
    return KnownInputs(
        scores=(conference.path / SCORES).exists(),
        roles=sorted(roles, key=lambda role: (role != REVIEWER, role)),
        about=[name for name in ("seniority", "institution", "country", "authored") if name in about],
        bids=(conference.path / _BIDS).exists(),
    )


def _quotas(own: Mapping[str, Quota], manual: ManualChanges, floor: int) -> dict[str, Quota]:
    quotas = {who: replace(quota, most=max(quota.most, floor)) if quota.most else quota for who, quota in own.items()}
    for who, most in manual.quotas.items():
        least = quotas[who].least if who in quotas else None
        quotas[who] = Quota(most, None if least is None else min(least, most))
    return quotas


def _demands(own: Mapping[Pair, int], manual: ManualChanges, ceiling: int) -> dict[Pair, int]:
    demands = {pair: min(number, ceiling) for pair, number in own.items()}
    return demands | {(paper, ""): number for paper, number in manual.demands.items()}
