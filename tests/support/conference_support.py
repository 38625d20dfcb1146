"""Conferences for tests: files of every kind, good and bad, and a store without a server."""

import io
import zipfile
from contextlib import contextmanager

import orjson

from panelist.app.desk.conference.assignment.manual import ManualChanges
from panelist.app.desk.conference.staging import Stage, settle
from panelist.app.desk.conference.store import Conferences
from panelist.app.desk.conference.view import ConferenceView, Labels
from panelist.app.desk.database import Desk
from panelist.workspace import Workspace
from retriever.conference.conflicts.table import ConflictTable


def open_conferences(directory):
    """The conferences of a workspace that may be new."""
    directory.mkdir(parents=True, exist_ok=True)
    return Conferences(Desk(Workspace.at(directory)))


@contextmanager
def change(directory):
    """A change of a conference's files without a desk: what to stage them in."""
    stage = Stage(directory)
    yield stage
    stage.decide(1)
    settle(directory, 1)


def bare_view(conference, manual=None, conflicts=(), titles=None):
    """A conference with changes by hand and conflicts, as decisions see it, without a corpus."""
    table = ConflictTable.grouped(conflicts)
    return ConferenceView(conference, table, manual or ManualChanges(), Labels(titles or {}, {}))


def zipped(members):
    """A zip file of these contents by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def note(key, title, abstract="", **content):
    """A note of OpenReview."""
    values = {"title": title, "abstract": abstract, **content}
    return {"id": key, "content": {name: {"value": value} for name, value in values.items()}}


TOPICS = ("droplets in immune cells", "galaxies and their dark halos", "parsing of rare languages", "soil and carbon")


def openreview_folder(submissions=4, reviewers=6, under="venue/"):
    """OpenReview's folder: the members of a zip file, by name."""
    submitted = {
        f"s{i}": note(f"s{i}", f"Submission {i} on {TOPICS[i % 4]}", f"We study {TOPICS[i % 4]}.", authors=[f"Ann {i}"])
        for i in range(submissions)
    }
    members = {f"{under}submissions.json": orjson.dumps(submitted)}
    for i in range(reviewers):
        notes = [
            note(f"p{i}-{j}", f"Earlier work {j} on {TOPICS[i % 4]}", f"All about {TOPICS[i % 4]}.", year=2020 + j)
            for j in range(3)
        ]
        members[f"{under}archives/~Rev_{i}1.jsonl"] = b"\n".join(map(orjson.dumps, notes))
    return members
