"""The demo's conference on the chair's desk: sent, scored, assigned and reviewed as a chair would do it."""

from __future__ import annotations

import shutil
from contextlib import closing, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from panelist.app.demo.conference import committee, profile_ids, write_conference
from panelist.app.demo.desk_reviews import assign_and_review
from panelist.app.desk.conference.conflicts import ConflictTables
from panelist.app.desk.conference.intake.accept import OPENREVIEW, accept
from panelist.app.desk.conference.scoring import ScoreSettings, score
from panelist.app.desk.conference.scratch import scratch
from panelist.app.desk.conference.store import Conferences, StoredConference
from panelist.app.desk.database import Desk
from panelist.progress import Progress, silent
from panelist.spreadsheet import csv_text
from panelist.workspace import Workspace
from retriever.finder import Finder

NAME = "Invented Conference"
_AREA_CHAIRS = 4
_SENIOR_PAPERS = 9


def demo_conference(workspace: Workspace, finder: Finder, progress: Progress = silent) -> StoredConference:
    """The demo's conference with everything that the desk can show, made where there is none."""
    with closing(Desk(workspace)) as desk:
        conferences = Conferences(desk)
        known = next((one for one in conferences.list() if one.name == NAME), None)
        return known or _make(conferences, finder, progress)


def _make(conferences: Conferences, finder: Finder, progress: Progress) -> StoredConference:
    made = conferences.create(NAME, who="panelist demo")
    try:
        with TemporaryDirectory(prefix="panelist-") as directory:
            folder = write_conference(Path(directory) / "venue")
            archive = Path(shutil.make_archive(str(folder), "zip", folder))
            for kind, name, content in (
                (OPENREVIEW, "venue.zip", archive.read_bytes()),
                ("reviewers", "reviewers.csv", _people().encode()),
            ):
                with scratch(made) as inside:
                    (inside / name).write_bytes(content)
                    accept(conferences, made.id, kind, inside / name, finder.corpus, who="panelist demo")
        tables = ConflictTables(conferences, lambda: nullcontext(finder))
        score(conferences, tables.view(made.id, progress), ScoreSettings(), finder, progress, "panelist demo")
        assign_and_review(conferences, tables.view(made.id), progress, "panelist demo")
    except BaseException:
        conferences.delete(made.id)  # half a demo would stay for ever
        raise
    return conferences.get(made.id)


def _people() -> str:
    """`reviewers.csv` of the committee: those with most papers are senior, and the first of them area chairs."""
    ids = profile_ids()
    people = sorted(committee().items(), key=lambda pair: (-len(pair[1]), pair[0].id))
    rows = [["reviewer", "seniority", "institution", "country", "role"]]
    for number, (author, papers) in enumerate(people):
        latest = max(papers, key=lambda paper: (paper.year or 0, paper.id))
        at = next((one.institutions for one in latest.authorships if one.author == author), ())
        rows.append(
            [
                ids[author.id],
                "senior" if len(papers) >= _SENIOR_PAPERS else "junior",
                at[0].name if at else "",
                (at[0].country or "") if at else "",
                "area chair" if number < _AREA_CHAIRS else "reviewer",
            ]
        )
    return csv_text(rows)
