"""Somebody says who the people of a committee's list are: profiles of the corpus, none, or papers that they give."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Unpack

import msgspec
from msgspec import structs

from panelist.app.desk.conference.changes import By, Conferences
from panelist.app.desk.conference.contents import ROSTER, file_record, load_roster, remembered_people
from panelist.app.desk.conference.manual import SETTLED
from panelist.corpus.readers.publications import publications_of
from panelist.errors import InputError
from panelist.words import counted
from retriever.conference.matching import PeopleMatcher
from retriever.conference.roster import found_in_words, settle


def settle_people(
    conferences: Conferences,
    conference: str,
    matcher: PeopleMatcher,
    chosen: Mapping[str, Sequence[str]],  # which ids of the corpus each of these people is; none for nobody there
    written: Mapping[str, str],  # publications of some of them, as text
    **by: Unpack[By],
) -> None:
    """Keep what somebody decided; it is remembered for the conference by the address."""
    before = conferences.get(conference)
    if not (roster := load_roster(before)):
        raise InputError("the committee of this conference came with its ids or its papers: nobody is to be settled")
    settled = {listed_person.id: listed_person for listed_person in settle(roster, chosen, matcher)}
    for key, text in written.items():
        if key not in settled:
            raise InputError(f"nobody of the committee's list is called '{key}'")
        listed_person = settled[key]
        papers = publications_of(text, key, listed_person.member.name) if text.strip() else ()
        settled[key] = structs.replace(listed_person, papers=papers, decided=True)
    unsettled = [listed_person for listed_person in remembered_people(before) if listed_person.id not in settled]
    content = msgspec.json.encode([*settled.values(), *unsettled])
    record, blob = file_record(before, "committee"), conferences.blobs.put(content, ".json")
    digest = blake2b(f"{record.digest} {blob}".encode(), digest_size=16).hexdigest()  # profiles are others: score again
    names = [settled[key].member.name or key for key in dict.fromkeys((*chosen, *written))]
    words = f"said who {counted(len(names), 'person', 'people')} of the committee are: {', '.join(names[:5])}"
    revision = by.get("revision") or before.revision
    before_ids = {person.id: {*person.match.chosen} for person in roster}
    changed = [key for key, ids in before_ids.items() if ids and not ids.issuperset(settled[key].match.chosen)]
    detail = {"words": words, "others": changed}
    with conferences.change(conference, SETTLED, detail, revision=revision, actor=by["actor"]) as change:
        change.put(ROSTER, blob)
        summary = found_in_words(list(settled.values()))
        change.put(
            "committee", change.before.part("committee").blob, structs.replace(record, digest=digest, summary=summary)
        )
