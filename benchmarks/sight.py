"""What it costs that somebody may not see every paper of a conference: area chairs beside a chair who sees all.

    python benchmarks/sight.py [--submissions 1000] [--reviewers 600] [--scores 50000] [--chairs 8] [--times 3]

The conference has that many invented scores and three solutions of two reviewers and an area chair for each paper. All
area chairs ask at once for the pages of a conference, then the chair alone, both `--times` times. Printed are, for each
address, the median milliseconds of the chair, those of an area chair alone, asked for the first time and again, and
their ratio. The bar is 2, for what takes the chair 20 ms or more: less is the noise of a busy machine. Also the memory
of the server before and after, and what the disk grew by, which must be nothing. Exits with 1 where a bar is missed.
"""

import argparse
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import numpy as np
from desk import BINARY, server_memory, serving
from rich.console import Console
from rich.table import Table

from panelist.app.access.roles import Role
from panelist.app.access.users import Users
from panelist.app.demo.workspace import demo_workspace

BAR, NOISE = 2.0, 20.0
PATHS = (
    *("", "/papers", "/people", "/scores", "/scores/plot", "/next", "/files", "/conflicts", "/events", "/labels"),
    *("/assignment", "/solutions/1", "/solutions/3/pairs", "/solutions/1/against/2", "/solutions/3/export?format=csv"),
    "/solutions/3/export?format=report",
)


def main() -> None:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    numbers = (("submissions", 1_000), ("reviewers", 600), ("scores", 50_000), ("chairs", 8), ("times", 3))
    for name, default in numbers:
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="panelist-sight-") as folder:
        workspace = demo_workspace(Path(folder) / "workspace")
        users = Users(workspace)
        users.add("root", None, Role.ADMINISTRATOR)
        chair = users.make_token("root", "benchmark", writes=True, days=1)
        with serving(workspace.path) as (address, process):
            made = conference(address, chair, options)
            people = [f"c{number}" for number in range(options.chairs)]
            tokens = []
            for who in people:
                users.add(who, None, Role.AREA_CHAIR, place=made, people=[who])
                tokens.append(users.make_token(who, "benchmark", writes=False, days=1))
            before, disk = server_memory(process), size_of(workspace.path)
            everything = times_of(address, made, chair, options.times)
            with ThreadPoolExecutor(options.chairs) as pool:  # no lock between users: all at once
                begun = time.perf_counter()
                together = list(pool.map(lambda token: times_of(address, made, token, 1), tokens))
                took = time.perf_counter() - begun
            alone = [times_of(address, made, token, options.times) for token in tokens[:2]]
            after, grown = server_memory(process), size_of(workspace.path) - disk
    table = Table("GET /conferences/…", "chair", "area chair", "first time, 8 at once", "ratio", "bar", box=None)
    met = grown == 0
    for path in PATHS:
        all_of_it, part = everything[path], statistics.median(times[path] for times in alone)
        first = statistics.median(times[path] for times in together)
        ratio = part / all_of_it
        met &= ratio <= BAR or part < NOISE
        table.add_row(path, *(f"{value:.0f} ms" for value in (all_of_it, part, first)), f"{ratio:.2f}", f"≤ {BAR}")
    console = Console(highlight=False, width=140)
    console.print(table)
    console.print(
        f"{options.chairs} area chairs at once took {took:.1f} s; the disk grew by {grown:,} bytes; the server has "
        f"{after[0]:.0f} MB ({before[0]:.0f} MB before they asked, at most {after[1]:.0f} MB)"
    )
    sys.exit(0 if met else 1)


def conference(address: str, token: str, options: argparse.Namespace) -> str:
    """A conference with files, scores and three solutions; its id."""
    dice = np.random.default_rng(7)
    submissions, reviewers, chairs = options.submissions, options.reviewers, options.chairs
    each = options.scores // submissions - chairs
    lines = []
    for paper in range(submissions):
        people = [f"r{number}" for number in dice.choice(reviewers, each, replace=False)]
        people += [f"c{number}" for number in range(chairs)]
        lines += [f"s{paper},{who},{score:.4f}\n" for who, score in zip(people, dice.random(len(people)), strict=True)]
    committee = [f"r{number}" for number in range(reviewers)], [f"c{number}" for number in range(chairs)]
    roles = [
        f"{who},{role}\n" for people, role in zip(committee, ("reviewer", "area chair"), strict=True) for who in people
    ]
    quotas = [f"{who},{-(-submissions // chairs) + 20}\n" for who in committee[1]]
    files = {
        "submissions": "id,title,abstract\n" + "".join(f"s{at},Submission {at},\n" for at in range(submissions)),
        "scores": "".join(lines),
        "reviewers": "reviewer,role\n" + "".join(roles),
        "quotas": "".join(quotas),
    }
    with httpx2.Client(base_url=f"{address}/api/v1/", timeout=600, headers=bearer(token)) as api:
        made: str = api.post("conferences", json={"name": "Invented"}).raise_for_status().json()["id"]
        for kind, content in files.items():
            sent = api.put(f"conferences/{made}/files/{kind}", content=content.encode(), headers=BINARY)
            if not sent.is_success:
                sys.exit(f"{kind}: {sent.text}")
        for method in ("total", "fair", "total"):
            settings = {"method": method, "demand": {"reviewer": 2, "area chair": 1}, "most": 8}
            begun = api.post(f"conferences/{made}/solutions", json={"settings": settings}).raise_for_status().json()
            solution = f"conferences/{made}/solutions/{begun['number']}"
            while (state := api.get(solution).json())["state"] in ("waiting", "running"):
                time.sleep(0.3)
            if state["state"] != "done":
                sys.exit(f"the assignment is {state['state']}: {state['error']}")
        api.post(f"{solution}/choose").raise_for_status()
    return made


def times_of(address: str, made: str, token: str, times: int) -> dict[str, float]:
    """Median milliseconds of each address."""
    found: dict[str, list[float]] = {path: [] for path in PATHS}
    with httpx2.Client(base_url=address, timeout=600, headers=bearer(token)) as api:
        for _ in range(times):
            for path, taken in found.items():
                begun = time.perf_counter()
                api.get(f"/api/v1/conferences/{made}{path}").raise_for_status()
                taken.append(1000 * (time.perf_counter() - begun))
    return {path: statistics.median(taken) for path, taken in found.items()}


def bearer(token: str) -> dict[str, str]:
    """The header of who asks; each request has a connection of its own."""
    return {"Authorization": f"Bearer {token}", "Connection": "close"}


def size_of(folder: Path) -> int:
    """What the blobs and other files take; the databases note when somebody was seen."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and ".sqlite" not in path.name)


if __name__ == "__main__":
    main()
