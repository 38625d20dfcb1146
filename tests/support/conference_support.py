"""Conferences for tests: files of every kind, good and bad, and a store without a server."""

import io
import zipfile
from datetime import UTC, datetime

import orjson

from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.contents import FILE_NAMES, FileRecord
from panelist.app.desk.conference.intake.accept import accept
from panelist.app.desk.conference.manual import ManualChanges
from panelist.app.desk.conference.outcomes import load_solution
from panelist.app.desk.conference.scores import keep_scores
from panelist.app.desk.conference.solving.making import begin, choose, make
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.database import Desk
from panelist.progress import silent
from panelist.words import Labels
from panelist.workspace import Workspace
from retriever.assignment.reading.scores import read_scores
from retriever.conference.conflicts.table import ConflictTable

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def open_conferences(directory):
    """The conferences of a workspace that may be new."""
    directory.mkdir(parents=True, exist_ok=True)
    return Conferences(Desk(Workspace.at(directory)))


def left_over(directory):
    """What nobody needs of the files of a desk."""
    return open_conferences(directory).collect()


def send(conferences, conference, kind, name, content, corpus=None, **by):
    """Send a file, as a page does."""
    with conferences.blobs.incoming() as folder:
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        accept(conferences, conference, kind, folder / name, corpus, **by)


def with_files(conferences, files, conference=None):
    """A conference that has these files by kind, put in as they are; `fit` are probabilities of the scores."""
    key = conference or conferences.create("Venue").id
    with conferences.blobs.incoming() as folder, conferences.note(key) as change:
        for kind, content in files.items():
            path = folder / FILE_NAMES.get(kind, kind)
            path.write_text(content)
            if kind == "scores":
                beside = (folder / "fit.csv").write_text(files["fit"]) if "fit" in files else None
                fit = None if beside is None else read_scores(folder / "fit.csv").score
                blob = keep_scores(conferences.blobs, read_scores(path), fit)
            elif kind != "fit":
                blob = conferences.blobs.put(path, path.suffix)
            else:
                continue
            change.put(kind, blob, FileRecord(path.name, NOW, len(content), blob[:16], "put in"))
    return conferences.get(key)


class Live:
    """A conference of a store that changes: `now` is what it is now."""

    def __init__(self, conferences, files, key=None):
        self.conferences = conferences
        self.id = with_files(conferences, files, key).id

    @property
    def now(self):
        return self.conferences.get(self.id)

    def put(self, **files):
        """Put files in as they are, by kind."""
        with_files(self.conferences, files, self.id)

    def remove(self, kind):
        with self.conferences.note(self.id) as change:
            change.remove(kind)

    def solve(self, view, settings, base=None):
        """Make a solution; its record."""
        number = begin(self.conferences, view, settings, base=base).number
        make(self.conferences, self.id, number, silent)
        return load_solution(self.now, number)

    def choose(self, number):
        with self.conferences.change(self.id, "chose", {}) as change:
            choose(change, number)


def bare_view(conference, manual=None, conflicts=(), titles=None):
    """A conference with changes by hand and conflicts, as decisions see it, without a corpus."""
    table = ConflictTable.grouped(conflicts)
    return ConferenceView(conference, table, manual or ManualChanges(), Labels(titles or {}, {}))


def zipped(members):
    """A zip file of these contents by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name) if isinstance(name, str) else name  # of no time: the same bytes again
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
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
