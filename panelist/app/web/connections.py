"""Half-open connections: each request must be complete in time, and there is a limit to the number of connections.

uvicorn has a time-out for idle connections after a request, but none for a request that never becomes complete. Clients
that read their answers slowly are not stopped here: that is what a proxy in front is for.
"""

import asyncio
import logging
import time

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from panelist.system import allow_files

logger = logging.getLogger(__name__)

HEAD_SECONDS, BODY_SECONDS = 15.0, 120.0  # until the request line and headers, and then the body, must have come
MOST = 512  # connections at the same time
BACKLOG = 64
"""Connections that wait to be accepted. asyncio accepts as many in one turn, before any of them can be refused."""
_FILES = 8_192
_LOGGED_EVERY = 60.0


class GuardedProtocol(H11Protocol):
    """HTTP as uvicorn speaks it, with a deadline for every request."""

    head_seconds, body_seconds, most = HEAD_SECONDS, BODY_SECONDS, MOST
    _deadline: asyncio.TimerHandle | None = None
    _in_body = False
    _logged = -_LOGGED_EVERY

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Refuse what is too many, before it costs more than a descriptor."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            if time.monotonic() - GuardedProtocol._logged > _LOGGED_EVERY:
                GuardedProtocol._logged = time.monotonic()
                logger.warning("more than %d connections: new ones are refused", self.most)
            transport.abort()
        else:
            self._await(self.head_seconds)

    def data_received(self, data: bytes) -> None:
        """Go on with the deadline of this part of the request, or begin with the next one's."""
        super().data_received(data)
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            if not self._in_body:
                self._in_body = True
                self._await(self.body_seconds)
        elif state is h11.IDLE:
            if self._deadline is None:
                self._await(self.head_seconds)
        else:  # complete
            self._in_body = False
            self._await(None)

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nothing to wait for any more."""
        self._await(None)
        super().connection_lost(exc)

    def _await(self, seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = None if seconds is None else self.loop.call_later(seconds, self.transport.abort)


def allow_descriptors() -> None:
    """Let this process open as many files as it may, so that accepting connections never fails for want of one."""
    # The index, the corpus and jobs need some of them, too.
    GuardedProtocol.most = max(16, min(MOST, allow_files(_FILES) - 256))
