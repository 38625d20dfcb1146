"""A kept submission looked up again: the same request over today's index."""

from __future__ import annotations

from pydantic import ValidationError

from panelist.app.desk.editor.records import KeptSubmission
from panelist.app.web.requests import OptionsIn, ReviewersRequest, SubmissionIn
from panelist.app.web.routes.state import State
from panelist.app.web.searching import RememberingSearch, Timings
from panelist.errors import InputError


def looked_up(kept: KeptSubmission) -> ReviewersRequest:
    """What was asked when the submission was kept.

    Raises:
        InputError: another version of Panelist kept it, with options that this one does not have.
    """
    try:
        return ReviewersRequest.model_validate_json(kept.request)
    except ValidationError as error:
        raise InputError(
            f"the look-up of '{kept.title[:80]}' was kept by another version of Panelist ({error.error_count()} of its "
            "fields are unknown here): export it, forget it, and look it up again"
        ) from error


def as_kept(submission: SubmissionIn, options: OptionsIn) -> tuple[str, str]:
    """The title and the JSON that are kept of a look-up."""
    title = " ".join((submission.title.strip() or submission.abstract.strip()[:200]).split())
    return title, ReviewersRequest(submission=submission, options=options).model_dump_json()


def remembering(state: State) -> RememberingSearch:
    """A search that shares its memory with the page that finds reviewers."""
    return RememberingSearch(state.service.memory, Timings())
