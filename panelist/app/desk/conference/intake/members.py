"""People who join a committee later: found in the corpus for a paper that lacks reviewers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

from msgspec import structs

from panelist.app.desk.conference.files import (
    RECORDS,
    has_profiles,
    load_committee,
    profile_lines,
    profiles_path,
    records_with,
    write_records,
)
from panelist.app.desk.conference.intake.reading import MOST_REVIEWERS, limit, write
from panelist.app.desk.conference.store import Conferences
from panelist.corpus.store import CorpusStore
from panelist.errors import InputError
from panelist.words import counted, first_of


def add_members(
    conferences: Conferences,
    conference: str,
    people: Sequence[str],
    corpus: CorpusStore,
    *,
    revision: int | None = None,
    who: str = "",
) -> None:
    """Add people of the corpus to a committee; one that came with its papers gets theirs, too.

    Raises:
        InputError: one of them has no paper in the corpus.
    """
    written = corpus.papers_of(list(people))
    if unknown := [one for one in people if not written.get(one)]:
        raise InputError(f"{counted(len(unknown), 'id')} without any paper in the corpus: {first_of(unknown)}")
    detail: dict[str, str] = {}
    with conferences.change(conference, "people added", detail, revision=revision, who=who) as (_, before, stage):
        members = load_committee(before)
        if not members:
            raise InputError("this conference has no committee yet: add it on the page Files first")
        new = [one for one in dict.fromkeys(people) if one not in set(members)]
        limit(len(members) + len(new), MOST_REVIEWERS, "reviewers")
        write(stage.file("committee.txt"), (f"{one}\n".encode() for one in (*members, *new)))
        if has_profiles(before):
            papers = corpus.papers([paper for one in new for paper in written[one]]).values()
            lines = profile_lines(papers)
            write(stage.file("profiles.jsonl"), (*profiles_path(before).read_bytes().splitlines(keepends=True), *lines))
        records = records_with(before, "committee")
        record = records["committee"]
        # Another digest says that the scores are of fewer people.
        digest = blake2b(f"{record.digest} {new}".encode(), digest_size=16).hexdigest()
        detail["words"] = f"{counted(len(new), 'person', 'people')} added to the committee: {first_of(new)}"
        made = structs.replace(
            record, digest=digest, summary=f"{record.summary}; {counted(len(new), 'person', 'people')} added"
        )
        write_records(stage.file(RECORDS), records | {"committee": made})
