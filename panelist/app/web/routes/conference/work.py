"""Jobs that work for a conference: begun, found by the row that they are to fill, cancelled, forgotten with it."""

from msgspec import Struct

from panelist.app.desk.conference.scores import ScoreSettings
from panelist.app.desk.conference.state import Conference
from panelist.app.web.jobs import JobState, QueuedJob, Work
from panelist.app.web.routes.state import ServerState

WORKING = (JobState.WAITING, JobState.RUNNING)
JOB = "/job"  # how the names of rows end that say which job works on something


class WorkRecord(Struct, frozen=True, omit_defaults=True):
    """Which job works on something, and for scores how."""

    job: str = ""
    settings: ScoreSettings | None = None


def begin(state: ServerState, conference: str, row: str, work: Work, settings: ScoreSettings | None = None) -> None:
    """Begin a job of the user that is to fill a row."""
    job = state.begin(work, conference)
    with state.conferences.note(conference) as noting:
        noting.put(row + JOB, record=WorkRecord(job.id, settings))


def find(state: ServerState, conference: Conference, row: str) -> tuple[QueuedJob | None, WorkRecord]:
    """The job of a row, of any user, and its record; no job where there was none, or where it is forgotten."""
    record = conference.record(row + JOB, WorkRecord) or WorkRecord()
    return state.every_job.find(record.job), record


def cancel(state: ServerState, job: QueuedJob | None) -> None:
    """Stop a job at its next step, where it still works; refused where the user may not decide about it."""
    if job is not None and job.state in WORKING:
        state.jobs.cancel(job.id)


def forget_all(state: ServerState, conference: Conference) -> None:
    """Cancel and forget the jobs of a conference that is forgotten."""
    for name in conference.parts:
        if name.endswith(JOB):
            job, _ = find(state, conference, name.removesuffix(JOB))
            if job is not None and state.jobs.find(job.id) is not None:
                state.jobs.forget(job.id)
