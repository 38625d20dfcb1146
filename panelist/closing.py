"""Things that are opened and must be closed, as context managers."""

from typing import Self


class Closing:
    """Gives a class with `close` the `with` statement: leaving it closes, after an error too."""

    def close(self) -> None:
        """Let go of files, connections and threads; closing twice does no harm."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
