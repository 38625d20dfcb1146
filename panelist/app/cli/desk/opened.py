"""The desk of a workspace, for commands: one that is there already."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from panelist.app.desk.database import Desk


@contextmanager
def opened_desk(workspace: Path | None) -> Iterator[Desk]:
    """The desk of this workspace; a misspelt path makes no empty one.

    Raises:
        InputError: nothing is kept there.
    """
    from panelist.app.desk.database import Desk, desk_path
    from panelist.errors import InputError
    from panelist.workspace import Workspace

    found = Workspace.at(workspace)
    if not desk_path(found).exists():
        raise InputError(f"nothing is kept in workspace '{found.path}': give another one with --workspace")
    with closing(Desk(found)) as desk:
        yield desk
