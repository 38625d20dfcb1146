"""What routes declare that they need. `enforcing.enforce` compares it with who asks."""

from __future__ import annotations

from typing import Any

from fastapi import Depends

from panelist.app.access.roles import Permission

SAFE = ("GET", "HEAD", "OPTIONS")
"""The methods of requests that change nothing."""


class Needs:
    """What a route needs: to be asked (GET), and to be asked for a change."""

    def __init__(self, reading: Permission, changing: Permission) -> None:
        self.reading, self.changing = reading, changing

    async def __call__(self) -> None:
        """Declare only; `enforce` reads it."""


def needs(reading: Permission, changing: Permission | None = None) -> Any:
    """Declare what routes need, in the `dependencies` of a router or of one route, which goes before its router's."""
    return Depends(Needs(reading, changing or reading))


def permission_of(route: Any, method: str) -> Permission | None:
    """What a route declares that it needs; None where it declares nothing."""
    declared = [one.dependency for one in getattr(route, "dependencies", ()) if isinstance(one.dependency, Needs)]
    return None if not declared else declared[-1].reading if method in SAFE else declared[-1].changing
