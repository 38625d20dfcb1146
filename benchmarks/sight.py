"""What it costs that somebody may not see every paper of a conference: area chairs beside a chair who sees all.

    python benchmarks/sight.py [--submissions 1000] [--reviewers 600] [--scores 50000] [--chairs 8] [--times 3]

The conference has that many invented scores and three solutions of two reviewers and an area chair for each paper. All
area chairs look at its pages. Another solution, which gives them other papers, is made and chosen, and they all ask for
every page at once, each for the first time, and then for its report; then the same of as many chairs who see all, after
one more solution. At last one of each asks alone, again, `--times` times.

Printed are, for each address, the median milliseconds of chairs and of area chairs, for the first time and again, and
their ratios. The bar is 2, for what takes 20 ms or more (at once: that by each of them): less is the noise of a busy
machine. The report of an area chair is drawn when it is asked for, that of the chair by the job: its ratio is printed,
and only `again` judged. Also what the first look after new files takes, the memory of the server before and after, and
what the disk grew by while they asked, which must be nothing. Exits with 1 where a bar is missed.
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
DRAWN = "/solutions/{new}/export?format=report"
PATHS = (
    *("", "/papers", "/people", "/scores", "/scores/plot", "/next", "/files", "/conflicts", "/events", "/labels"),
    *("/assignment", "/solutions/{new}", "/solutions/{new}/pairs", "/solutions/{new}/against/2"),
    *("/solutions/{new}/export?format=csv", DRAWN),
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
            for person in people:
                users.add(person, None, Role.AREA_CHAIR, scope=made, people=[person])
                tokens.append(users.make_token(person, "benchmark", writes=False, days=1))
            before, grown = server_memory(process), 0
            everybody = {"area chairs": tokens, "chairs": [chair] * options.chairs}
            first: dict[str, dict[str, float]] = {}
            begun = time.perf_counter()
            for token in tokens:
                Asking(address, made, 3).times(token)
            known = (time.perf_counter() - begun) / options.chairs
            for group, tokens in everybody.items():
                ask = Asking(address, made, solve(address, chair, made, "fair" if group == "chairs" else "leximin"))
                disk = size_of(workspace.path)
                with ThreadPoolExecutor(options.chairs) as pool:  # no lock between users: all at once
                    quick, drawn = (
                        list(pool.map(ask.times, tokens, [paths] * len(tokens))) for paths in (PATHS[:-1], PATHS[-1:])
                    )
                    first[group] = medians([one | other for one, other in zip(quick, drawn, strict=True)])
                grown += size_of(workspace.path) - disk
            disk = size_of(workspace.path)
            again = {
                group: medians([ask.times(tokens[0]) for _ in range(options.times + 1)][1:])
                for group, tokens in everybody.items()
            }
            after, grown = server_memory(process), grown + size_of(workspace.path) - disk
    columns = (f"first: {options.chairs} chairs", f"{options.chairs} area chairs", "ratio")
    table = Table("GET /conferences/…", *columns, "again: chair", "area chair", "ratio", "bar", box=None)
    met = grown == 0
    for path in PATHS:
        row = []
        for times, noise in ((first, NOISE * options.chairs), (again, NOISE)):
            whole, filtered = times["chairs"][path], times["area chairs"][path]
            row += [f"{whole:.0f} ms", f"{filtered:.0f} ms", f"{filtered / whole:.2f}"]
            met &= filtered / whole <= BAR or filtered < noise or (times is first and path == DRAWN)
        table.add_row(path, *row, f"≤ {BAR}")
    console = Console(highlight=False, width=140)
    console.print(table)
    console.print(
        f"an area chair took {known:.1f} s for all pages after new files; the disk grew by {grown:,} bytes; the server "
        f"has {after[0]:.0f} MB ({before[0]:.0f} MB before they asked, at most {after[1]:.0f} MB)"
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
        lines += [
            f"s{paper},{person},{score:.4f}\n" for person, score in zip(people, dice.random(len(people)), strict=True)
        ]
    committee = [f"r{number}" for number in range(reviewers)], [f"c{number}" for number in range(chairs)]
    by_role = zip(committee, ("reviewer", "area chair"), strict=True)
    roles = [f"{person},{role}\n" for people, role in by_role for person in people]
    quotas = [f"{person},{-(-submissions // chairs) + 20}\n" for person in committee[1]]
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
        solve(address, token, made, method)
    return made


def solve(address: str, token: str, made: str, method: str) -> int:
    """Make one more solution and choose it; its number."""
    settings = {"method": method, "demand": {"reviewer": 2, "area chair": 1}, "most": 8}
    with httpx2.Client(base_url=f"{address}/api/v1/", timeout=600, headers=bearer(token)) as api:
        begun = api.post(f"conferences/{made}/solutions", json={"settings": settings}).raise_for_status().json()
        solution = f"conferences/{made}/solutions/{begun['number']}"
        while (state := api.get(solution).json())["state"] in ("waiting", "running"):
            time.sleep(0.3)
        if state["state"] != "done":
            sys.exit(f"the assignment is {state['state']}: {state['error']}")
        api.post(f"{solution}/choose").raise_for_status()
    return int(begun["number"])


@dataclass(frozen=True)
class Asking:
    """What is asked for of a conference: all addresses, of its newest solution."""

    address: str
    conference: str
    newest: int

    def times(self, token: str, paths: Sequence[str] = PATHS) -> dict[str, float]:
        """The milliseconds of each address, asked once."""
        found = {}
        with httpx2.Client(base_url=self.address, timeout=600, headers=bearer(token)) as api:
            for path in paths:
                begun = time.perf_counter()
                api.get(f"/api/v1/conferences/{self.conference}{path.format(new=self.newest)}").raise_for_status()
                found[path] = 1000 * (time.perf_counter() - begun)
        return found


def medians(times: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each address."""
    return {path: statistics.median(one[path] for one in times) for path in PATHS}


def bearer(token: str) -> dict[str, str]:
    """The header of who asks; each request has a connection of its own."""
    return {"Authorization": f"Bearer {token}", "Connection": "close"}


def size_of(folder: Path) -> int:
    """What the blobs and other files take; the databases note when somebody was seen."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and ".sqlite" not in path.name)


if __name__ == "__main__":
    main()
