"""Errors of a desk besides wrong input: something is not there, has been changed meanwhile, or is a conflict."""

from panelist.errors import InputError


class NotFoundError(InputError):
    """There is no such thing on the desk, or no longer."""


class RevisionConflictError(InputError):
    """A change began from a revision that somebody has changed meanwhile."""


class ConflictedError(InputError):
    """Somebody would review a paper with which they have a conflict of interest."""


def no_such_conference(conference: str) -> NotFoundError:
    """The error of a conference that is not there, or not there any more."""
    return NotFoundError(f"there is no conference '{conference}': it was forgotten, or never made here")
