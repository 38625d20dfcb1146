"""The errors that users see: what was wrong, what was received, what to do.

Every error a user can cause derives from `PanelistError`. The command line prints its message as one line and
exits with code 2, as it does with what the operating system refuses; libraries let it propagate. Anything else that
escapes is a bug and keeps its traceback.
"""


class PanelistError(Exception):
    """Base of all errors that a user can correct; the message is one complete line."""


class InputError(PanelistError):
    """A file, option or record that the user gave cannot be used as it is."""


class MissingDataError(InputError):
    """A data set of the benchmarks is not there."""

    def __init__(self, name: str, folder: object, file: str) -> None:
        super().__init__(
            f"no '{name}' data in '{folder}' ('{file}' is missing): run 'panelist fetch {name}', or set PANELIST_DATA"
        )


class CorpusError(PanelistError):
    """The corpus store cannot be opened, read or written."""


class DeskError(PanelistError):
    """What the desks keep cannot be opened, read or written."""


class IndexDirectoryError(PanelistError):
    """An index directory is missing, incomplete, damaged or made for something else."""


class EngineError(PanelistError):
    """A server that an index needs does not answer, or refuses."""


class ModelError(PanelistError):
    """An encoder is unknown, cannot be obtained, or is not the one that is needed."""


class MissingModelError(ModelError):
    """A model that has to be trained first has not been."""


class MissingDependencyError(PanelistError):
    """An optional part (Java, an extra, a server) is needed and not installed."""
