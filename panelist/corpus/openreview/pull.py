"""A venue of OpenReview as a folder that Panelist reads.

    submissions.json     the notes under review, by id
    archives/~ID.jsonl   what each member of the committee published
    reviewers.csv        who they are: reviewer, institution, country, role
    bids.csv             paper, reviewer, bid          constraints.csv   paper, reviewer, -1
    quotas.csv           reviewer, max                 reviews.json      the official reviews
    venue.json           which venue, when, how many of everything

An archive that is there is not asked for again, so that a download that was interrupted resumes; everything else is
always asked for, because it changes.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from panelist.corpus.openreview.api import OpenReview, value
from panelist.errors import InputError
from panelist.files import check_directory, write_whole
from panelist.http.client import FetchError
from panelist.progress import Progress, silent
from panelist.spreadsheet import csv_text

VENUE = "venue.json"
Names = dict[str, str]


def venue_names(api: OpenReview, venue: str) -> Names:
    """What a venue calls its submissions and its committee.

    Raises:
        InputError: there is no such venue, or it may not be read.
    """
    content = api.group(venue).get("content")
    return {
        "submission": str(value(content, "submission_id", f"{venue}/-/Submission")),
        "under review": str(value(content, "submission_venue_id", f"{venue}/Submission")),
        "reviewers": str(value(content, "reviewers_id", f"{venue}/Reviewers")),
        "review": str(value(content, "review_name", "Official_Review")),
    }


def pull(
    api: OpenReview,
    others: Sequence[OpenReview],
    venue: str,
    folder: Path,
    progress: Progress = silent,
) -> dict[str, int]:
    """Download a venue from `api`, and publications from the `others` too; how many of everything there is.

    Raises:
        InputError: there is no such venue, or the folder holds another one.
    """
    names = venue_names(api, venue)
    _check_folder(folder, venue)
    progress("submissions", 0, 0)
    notes = list(api.pages("notes", invitation=names["submission"], details="replies"))
    open_ones = [note for note in notes if _is_open(note, names, venue)]
    _write(folder / "submissions.json", {str(note["id"]): _without_replies(note) for note in open_ones})
    reviews = [reply for note in open_ones for reply in _replies(note) if _is_review(reply, names["review"])]
    _write(folder / "reviews.json", {"notes": reviews})
    members = [str(one) for one in api.group(names["reviewers"]).get("members") or []]
    profiles = api.profiles(members)
    people = {str(profiles[member]["id"]) if member in profiles else member: profiles.get(member) for member in members}
    rows = [("reviewer", "institution", "country", "role"), *(_person(*item) for item in people.items())]
    _write_rows(folder / "reviewers.csv", rows)
    counts = {
        "submissions": len(open_ones),
        "left out": len(notes) - len(open_ones),
        "reviews": len(reviews),
        "reviewers": len(people),
        "without a profile": sum(profile is None for profile in people.values()),
    }
    ids = {str(note["id"]) for note in open_ones}
    canonical = {one: str(profile["id"]) for one, profile in profiles.items()}
    for file, name, row in (
        ("bids.csv", "Bid", lambda edge, who: (edge["head"], who, edge.get("label") or edge.get("weight"))),
        ("constraints.csv", "Conflict", lambda edge, who: (edge["head"], who, -1)),
        ("quotas.csv", "Custom_Max_Papers", lambda edge, who: (who, int(edge["weight"]))),
    ):
        progress(file.removesuffix(".csv"), 0, 0)
        edges = _edges(api, f"{names['reviewers']}/-/{name}")
        lines = {
            tuple(row(edge, canonical.get(str(edge["tail"]), str(edge["tail"]))))
            for edge in edges
            if name == "Custom_Max_Papers" or edge["head"] in ids
        }
        counts[file.removesuffix(".csv")] = len(lines)
        _write_rows(folder / file, sorted(lines, key=str))
    counts["publications"] = _archives([api, *others], list(people), folder / "archives", progress)
    record = {"venue": venue, "at": datetime.now(UTC).isoformat(timespec="seconds"), "names": names, "counts": counts}
    _write(folder / VENUE, record)
    return counts


def _archives(apis: Sequence[OpenReview], people: Sequence[str], folder: Path, progress: Progress) -> int:
    """Write what everybody published; how many papers."""
    check_directory(folder)
    total = 0
    for number, who in enumerate(people):
        progress("publications", number, len(people))
        path = folder / f"{who.replace('/', '_')}.jsonl"
        if not path.exists():
            notes = {str(note["id"]): note for api in apis for note in api.pages("notes", **{"content.authorids": who})}
            lines = (orjson.dumps(note, option=orjson.OPT_APPEND_NEWLINE) for note in notes.values())
            write_whole(path, b"".join(lines))
        total += path.read_bytes().count(b"\n")
    return total


def _edges(api: OpenReview, invitation: str) -> Iterable[dict[str, Any]]:
    """The edges of an invitation; none where the venue has no such one."""
    try:
        return [edge for edge in api.pages("edges", invitation=invitation) if not edge.get("ddate")]
    except FetchError as error:
        if error.status in (400, 404):
            return []
        raise


def _is_open(note: dict[str, Any], names: Names, venue: str) -> bool:
    """Whether a submission is under review or accepted: not withdrawn, not rejected at the desk, not deleted."""
    return not note.get("ddate") and value(note.get("content"), "venueid", venue) in (names["under review"], venue)


def _is_review(reply: dict[str, Any], name: str) -> bool:
    invitations = reply.get("invitations") or [reply.get("invitation") or ""]
    return any(str(invitation).endswith(f"/-/{name}") for invitation in invitations) and not reply.get("ddate")


def _replies(note: dict[str, Any]) -> list[dict[str, Any]]:
    return list((note.get("details") or {}).get("replies") or [])


def _without_replies(note: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in note.items() if name != "details"}


def _person(who: str, profile: dict[str, Any] | None) -> tuple[str, str, str, str]:
    """A row of `reviewers.csv`: the institution is the current one."""
    history = value((profile or {}).get("content"), "history", [])
    current = next((stay for stay in history if not stay.get("end")), history[0] if history else {})
    place = current.get("institution") or {}
    country = str(place.get("country") or "")
    return who, str(place.get("name") or place.get("domain") or ""), country if len(country) == 2 else "", "reviewer"


def _check_folder(folder: Path, venue: str) -> None:
    check_directory(folder)
    path = folder / VENUE
    existing = orjson.loads(path.read_bytes()).get("venue") if path.exists() else venue
    if existing != venue:
        raise InputError(f"'{folder}' holds the venue {existing}: choose another folder for {venue}")


def _write(path: Path, record: Any) -> None:
    write_whole(path, orjson.dumps(record, option=orjson.OPT_INDENT_2))


def _write_rows(path: Path, rows: Iterable[Sequence[Any]]) -> None:
    write_whole(path, csv_text(rows).encode())
