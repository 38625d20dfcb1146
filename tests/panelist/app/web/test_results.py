"""Results of jobs are written and sent piece by piece: memory does not grow with the number of pairs."""

import asyncio
import tracemalloc

import numpy as np
import orjson
import pytest
from panel_support import at, paper
from web_support import make_workspace, start_service

from panelist.app.web.app import create_app
from panelist.app.web.jobs import JobState
from panelist.app.web.routes.affinity import score_json
from panelist.records import Conflict
from retriever.affinity.scoring import ScoredConference
from retriever.affinity.sparse import SparseScores
from retriever.conference.conflicts.table import ConflictTable

MEGABYTE = 1 << 20


def scores(submissions, reviewers=500):
    """Everybody for everything."""
    ids = tuple(f"submission-{number}" for number in range(submissions))
    people = tuple(f"https://openalex.org/A{5_000_000_000 + number}" for number in range(reviewers))
    starts = np.arange(submissions + 1) * reviewers
    columns = np.tile(np.arange(reviewers), submissions)
    return SparseScores(ids, people, starts, columns, np.linspace(0, 1, len(columns)))


def written(given, out):
    """The most memory that writing takes beside the scores."""
    table = ConflictTable.grouped([Conflict("submission-0", given.reviewers[0], "author", "is the author", True)])
    scored = ScoredConference(given, [], [], [], None)
    tracemalloc.start()
    try:
        out.writelines(score_json(scored, [3] * len(given.reviewers), table))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_pairs_that_are_written(tmp_path):
    peaks = []
    for submissions in (40, 400):
        with (tmp_path / f"{submissions}.json").open("wb") as file:
            peaks.append(written(scores(submissions), file))
    size = (tmp_path / "400.json").stat().st_size
    assert peaks[1] < 1.2 * peaks[0] + MEGABYTE // 4
    assert peaks[1] < size / 4
    found = orjson.loads((tmp_path / "40.json").read_bytes())
    assert len(found["pairs"]) == 40 * 500
    assert found["pairs"][0] == {
        "submission": "submission-0",
        "reviewer": "https://openalex.org/A5000000000",
        "score": 0,
        "near_papers": None,
        "fit": None,
        "confidence": None,
    }
    assert [one["kind"] for one in found["conflicts"]] == ["author"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_a_result_is_sent_from_disk_in_small_pieces(tmp_path, form):
    content = bytes(20 * MEGABYTE)

    def work(progress, directory):
        for name in ("result.csv", "result.json"):
            (directory / name).write_bytes(content)

    received, largest = 0, 0

    async def send(message):
        nonlocal received, largest
        received += len(message.get("body", b""))
        largest = max(largest, len(message.get("body", b"")))

    async def receive():
        await asyncio.sleep(3600)

    async def ask():
        app = create_app(start_service(make_workspace(tmp_path, [paper("p1", at("a1"))])))
        async with app.router.lifespan_context(app):
            job = app.state.panelist.jobs.start(work)
            while job.state is not JobState.DONE:
                await asyncio.sleep(0.01)
            query = f"format={form}".encode()
            path = f"/api/v1/jobs/{job.id}/result"
            scope = {"type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "query_string": query}
            scope |= {"headers": [(b"host", b"localhost")], "http_version": "1.1", "scheme": "http", "client": None}
            tracemalloc.start()
            try:
                await app(scope, receive, send)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

    peak = asyncio.run(ask())
    assert received == len(content)
    assert largest <= MEGABYTE
    assert peak < 4 * MEGABYTE
