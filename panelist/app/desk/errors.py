"""What a user of a desk can get wrong besides input: asking for what is not there, or changing what has changed."""

from panelist.errors import InputError


class NotKeptError(InputError):
    """There is no such thing on the desk, or no longer."""


class ChangedError(InputError):
    """What was to be changed has been changed meanwhile, elsewhere."""


class ConflictedError(InputError):
    """Somebody would review a paper with which they have a conflict of interest."""


def not_kept(conference: str) -> NotKeptError:
    """What is said of a conference that is not there, or not there any more."""
    return NotKeptError(f"there is no conference '{conference}': it was forgotten, or never made here")
