"""What an operator sees: a line for every request, figures for Prometheus, and logs as text or JSON.

Lines and figures name routes, never what was asked: manuscripts are confidential.
"""

import logging
import time
from datetime import UTC, datetime
from functools import partial

import orjson
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from panelist.app.web.searching import STAGE
from panelist.app.web.security import http_layer

access = logging.getLogger("panelist.access")

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)


class Figures:
    """What is counted since the server began."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        counter, gauge = partial(Counter, registry=self._registry), partial(Gauge, registry=self._registry)
        histogram = partial(Histogram, buckets=_SECONDS, registry=self._registry)
        self._requests = counter("panelist_requests", "Answered requests.", ["method", "route", "status"])
        self._seconds = histogram("panelist_request_seconds", "Time to answer.", ["route"])
        self._stages = histogram("panelist_stage_seconds", "Stages of look-ups.", ["stage"])
        self._jobs = gauge("panelist_jobs", "Jobs, by state.", ["state"])
        self._index = gauge("panelist_index_generation", "Number of the generation that serves; 0 for none.")
        self._remembered = gauge("panelist_remembered_searches", "Searches whose candidates are remembered.")
        self._workers = gauge("panelist_workers", "Processes that can look up reviewers, the server's own included.")

    def count(self, method: str, route: str, status: int, seconds: float, timing: str) -> None:
        """Count one request; `timing` is its `Server-Timing` header."""
        self._requests.labels(method, route, status).inc()
        self._seconds.labels(route).observe(seconds)
        for stage, milliseconds in STAGE.findall(timing):
            self._stages.labels(stage).observe(float(milliseconds) / 1000)

    def text(self, jobs: dict[str, int], generation: int, remembered: int, workers: int) -> bytes:
        """All figures in Prometheus' text format."""
        for state, number in jobs.items():
            self._jobs.labels(state).set(number)
        self._index.set(generation)
        self._remembered.set(remembered)
        self._workers.set(workers)
        return generate_latest(self._registry)


@http_layer
async def observe(app: ASGIApp, scope: Scope, receive: Receive, send: Send, *, figures: Figures) -> None:
    """Count a request, and write a line about it."""
    begun, status, timing = time.perf_counter(), 500, ""

    async def sending(message: Message) -> None:
        nonlocal status, timing
        if message["type"] == "http.response.start":
            status, timing = message["status"], Headers(raw=message["headers"]).get("server-timing", "")
        await send(message)

    try:
        await app(scope, receive, sending)
    finally:
        seconds = time.perf_counter() - begun
        route = str(getattr(scope.get("route"), "path", "other"))
        figures.count(scope["method"], route, status, seconds, timing)
        client = (scope.get("client") or ("-",))[0]
        access.info("%s %s %s %d %.1f ms", client, scope["method"], route, status, 1000 * seconds)


class JsonLines(logging.Formatter):
    """One JSON object for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line of JSON."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line).decode()


def set_up_logs(level: str, form: str) -> None:
    """Log from this level on to stderr, as `text` with timestamps or as `json`."""
    handler = logging.StreamHandler()
    text = logging.Formatter("%(asctime)s %(levelname)s %(message)s")
    handler.setFormatter(JsonLines() if form == "json" else text)
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # What it says at info is of builds for processors that are not there.
    logging.getLogger("faiss.loader").setLevel(max(logging.WARNING, logging.root.level))
