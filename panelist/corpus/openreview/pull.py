"""A venue of OpenReview as a folder that Panelist reads; docs/reference/formats.md describes its files.

An archive that is there is not asked for again, so that a download that was interrupted resumes; everything else is
always asked for, because it changes.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from panelist.corpus.openreview.api import OpenReview
from panelist.corpus.readers.openreview import content_of
from panelist.errors import InputError
from panelist.files import check_directory, write_whole
from panelist.http.client import FetchError
from panelist.progress import Progress, silent
from panelist.spreadsheet import csv_text

VENUE = "venue.json"
Names = dict[str, str]


def venue_names(api: OpenReview, venue: str) -> Names:
    """What a venue calls its submissions and its committee; `InputError` where there is none that may be read."""
    content = content_of(api.group(venue))
    return {
        "submission": str(content.get("submission_id") or f"{venue}/-/Submission"),
        "under review": str(content.get("submission_venue_id") or f"{venue}/Submission"),
        "reviewers": str(content.get("reviewers_id") or f"{venue}/Reviewers"),
        "review": str(content.get("review_name") or "Official_Review"),
    }


def pull_venue(
    api: OpenReview, archives: Sequence[OpenReview], venue: str, folder: Path, progress: Progress = silent
) -> dict[str, int]:
    """Download a venue from `api`, and publications from the `archives` too; how many of everything there is."""
    names = venue_names(api, venue)
    check_directory(folder)
    stored_venue = orjson.loads((folder / VENUE).read_bytes()).get("venue") if (folder / VENUE).exists() else venue
    if stored_venue != venue:
        raise InputError(f"'{folder}' holds the venue {stored_venue}: choose another folder for {venue}")
    progress("submissions", 0, 0)
    notes = list(api.pages("notes", invitation=names["submission"], details="replies"))
    # Those under review or accepted: not withdrawn, not rejected at the desk, not deleted.
    stages = (names["under review"], venue, None)
    submissions = {
        str(note["id"]): note for note in notes if not note.get("ddate") and content_of(note).get("venueid") in stages
    }
    replies = [reply for note in submissions.values() for reply in (note.pop("details", {}) or {}).get("replies") or []]
    _write(folder / "submissions.json", submissions)
    reviews = [reply for reply in replies if _is_review(reply, names["review"])]
    _write(folder / "reviews.json", {"notes": reviews})
    members = [str(member) for member in api.group(names["reviewers"]).get("members") or []]
    profiles = api.profiles(members)
    canonical = {member: str(profile["id"]) for member, profile in profiles.items()}
    people = {canonical.get(member, member): profiles.get(member) for member in members}
    rows = [("reviewer", "institution", "country", "role"), *(_person(*item) for item in people.items())]
    write_whole(folder / "reviewers.csv", csv_text(rows).encode())
    counts = {
        "submissions": len(submissions),
        "left out": len(notes) - len(submissions),
        "reviews": len(reviews),
        "reviewers": len(people),
        "without a profile": sum(profile is None for profile in people.values()),
    }
    for file, name, row in (
        ("bids", "Bid", lambda edge, reviewer: (edge["head"], reviewer, edge.get("label") or edge.get("weight"))),
        ("constraints", "Conflict", lambda edge, reviewer: (edge["head"], reviewer, -1)),
        ("assignments", "Assignment", lambda edge, reviewer: (edge["head"], reviewer, edge.get("weight"))),
        ("quotas", "Custom_Max_Papers", lambda edge, reviewer: (reviewer, int(edge["weight"]))),
    ):
        progress(file, 0, 0)
        lines = {
            tuple(row(edge, canonical.get(str(edge["tail"]), str(edge["tail"]))))
            for edge in _edges(api, f"{names['reviewers']}/-/{name}")
            if name == "Custom_Max_Papers" or edge["head"] in submissions
        }
        counts[file] = len(lines)
        write_whole(folder / f"{file}.csv", csv_text(sorted(lines, key=str)).encode())
    counts["publications"] = _archives([api, *archives], list(people), folder / "archives", progress)
    record = {"venue": venue, "at": datetime.now(UTC).isoformat(timespec="seconds"), "names": names, "counts": counts}
    _write(folder / VENUE, record)
    return counts


def _archives(apis: Sequence[OpenReview], people: Sequence[str], folder: Path, progress: Progress) -> int:
    """Write what everybody published; how many papers."""
    check_directory(folder)
    total = 0
    for number, reviewer in enumerate(people):
        progress("publications", number, len(people))
        path = folder / f"{reviewer.replace('/', '_')}.jsonl"
        if not path.exists():
            notes = {
                str(note["id"]): note for api in apis for note in api.pages("notes", **{"content.authorids": reviewer})
            }
            lines = (orjson.dumps(note, option=orjson.OPT_APPEND_NEWLINE) for note in notes.values())
            write_whole(path, b"".join(lines))
        total += path.read_bytes().count(b"\n")
    return total


def _edges(api: OpenReview, invitation: str) -> Iterable[dict[str, Any]]:
    """The edges of an invitation; empty where the venue has no such invitation."""
    try:
        return [edge for edge in api.pages("edges", invitation=invitation) if not edge.get("ddate")]
    except FetchError as error:
        if error.status in (400, 404):
            return []
        raise


def _is_review(reply: dict[str, Any], name: str) -> bool:
    invitations = reply.get("invitations") or [reply.get("invitation") or ""]
    return any(str(invitation).endswith(f"/-/{name}") for invitation in invitations) and not reply.get("ddate")


def _person(reviewer: str, profile: dict[str, Any] | None) -> tuple[str, str, str, str]:
    """A row of `reviewers.csv`: the institution is the current one."""
    history = content_of(profile or {}).get("history") or []
    current = next((stay for stay in history if not stay.get("end")), history[0] if history else {})
    institution = current.get("institution") or {}
    name, country = (
        str(institution.get("name") or institution.get("domain") or ""),
        str(institution.get("country") or ""),
    )
    return reviewer, name, country if len(country) == 2 else "", "reviewer"


def _write(path: Path, record: Any) -> None:
    write_whole(path, orjson.dumps(record, option=orjson.OPT_INDENT_2))
