"""What another process of look-ups is worth: the same load by wrk on servers with one worker and with more, in turns.

    python benchmarks/serve_workers.py [--workspace DIR] [--limit 1000] [--workers 2] [--clients 50] [--many 500]
        [--seconds 20] [--turns 3]

- `processor time`: of one look-up, in all processes of the server: with `--workers` at most 1.15 of that with one.
- `processors`: how many the server can use, by the number of its threads that run or wait for a processor. Where one
  worker can use all of them, more workers cannot answer more: at least .9 of two.
- `look-ups`: per second, at 50 clients; medians over the turns. They depend on what else the machine does: no bar.
- `p95`: of the time that one client waits, against the median: at most 3.
- `memory`: of the processes beside the server, by their proportional shares (Pss), after the load: at most 250 MB for
  each worker that is added. Beside it what is of no file.
- `500 clients`: no error, and every answer a panel; what was asked and not answered when the time ended are requests of
  clients that were still waiting, at most as many as there are clients.

Needs wrk (Debian: apt-get install wrk), which uses next to no processor itself. Exits with 1 where a bar is missed.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2
import orjson
from desk import descendants
from rich.console import Console
from rich.table import Table
from serve import body, prepare, sample, serving

from indexing.index import open_index
from indexing.parallel import cores
from panelist.workspace import Workspace

COST, BUSY, SPREAD, MEMORY = 1.15, 0.9, 3.0, 250.0
TICKS = os.sysconf("SC_CLK_TCK")  # per second of processor time
SCRIPT = """
local bodies, number, threads = {}, 0, 0
function setup(thread) thread:set("first", threads); threads = threads + 1 end
function init(args)
  for line in io.lines("BODIES") do bodies[#bodies + 1] = line end
  number = first * 450 + args[1]
end
function request()
  number = number + 1
  return wrk.format("POST", "/api/v1/reviewers", {["Content-Type"] = "application/json"}, bodies[number % #bodies + 1])
end
function done(summary, latency, requests)
  local errors = summary.errors
  local form = '{"answers": %d, "status": %d, "lost": %d, "p50": %f, "p95": %f}'
  io.write("RESULT " .. string.format(form, summary.requests, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(95) / 1000) .. "\\n")
end
"""


def main() -> None:
    """Measure, print, and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workspace", type=Path)
    for name, default in (("limit", 1000), ("workers", 2), ("clients", 50), ("many", 500), ("turns", 3)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--seconds", type=int, default=20)
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("no wrk (Debian: apt-get install wrk)")
    workspace = Workspace.at(options.workspace) if options.workspace else prepare(options.limit)
    with TemporaryDirectory(prefix="panelist-load-") as folder:
        bodies, script = Path(folder) / "bodies.jsonl", Path(folder) / "load.lua"
        with open_index(workspace.index_path) as index:
            texts = sample(workspace, index, min(900, len(index.units)))
        bodies.write_bytes(b"".join(orjson.dumps(body(text)) + b"\n" for text in texts))
        script.write_text(SCRIPT.replace("BODIES", str(bodies)))
        both = (1, options.workers)
        turns = [[measure(workspace, workers, script, options) for workers in both] for _ in range(options.turns)]
        many = [crowd(workspace, workers, script, options) for workers in both]
    one, more = zip(*turns, strict=True)
    rates, costs, busy = (
        [statistics.median(turn[name] for turn in found) for found in (one, more)] for name in ("rate", "cost", "busy")
    )
    added, anonymous_part = (statistics.median(turn[name] for turn in more) for name in ("memory", "anonymous"))
    spread = max(turn["p95"] / max(1.0, turn["p50"]) for turn in more)
    lost = sum(each["lost"] + each["status"] for each in (*one, *more, *many))
    table = Table("what", "1 worker", f"{options.workers} workers", "ratio", "bar", box=None, header_style="dim")
    ratio = costs[1] / costs[0]
    table.add_row("processor time of a look-up", *(f"{cost:.1f} ms" for cost in costs), f"{ratio:.2f}", f"≤ {COST}")
    processors = min(2, cores())
    bar = f"≥ {BUSY * processors:.1f} with one"
    table.add_row(f"processors of {cores()} it can use", *(f"{number:.2f}" for number in busy), "", bar)
    table.add_row("look-ups per second", *(f"{rate:.1f}" for rate in rates), f"{rates[1] / rates[0]:.2f}", "")
    for name in ("p50", "p95"):
        medians = [statistics.median(turn[name] for turn in found) for found in (one, more)]
        table.add_row(f"{name}, {options.clients} clients", *(f"{median:.0f} ms" for median in medians))
    table.add_row("p95 against p50", "", f"{spread:.2f} at most", "", f"≤ {SPREAD}")
    memory = f"{added:.0f} MB ({anonymous_part:.0f} MB of no file)"
    table.add_row("memory of each worker", "", memory, "", f"≤ {MEMORY:.0f} MB")
    cells = [f"{each['answers']:.0f} answers, p95 {each['p95'] / 1000:.1f} s" for each in many]
    table.add_row(f"{options.many} clients", *cells, f"{lost:.0f} lost", "0 lost")
    Console(highlight=False, width=140).print(table)
    met = ratio <= COST and busy[0] >= BUSY * processors and spread <= SPREAD and added <= MEMORY and lost == 0
    sys.exit(0 if met else 1)


def measure(workspace: Workspace, workers: int, script: Path, options: argparse.Namespace) -> dict[str, float]:
    """One server under load: answers per second, waits, and memory in the end."""
    with serving(workspace, "--workers", str(workers)) as (address, process):
        with httpx2.Client(base_url=address, timeout=300) as api:
            while f"panelist_workers {workers}.0" not in api.get("/api/v1/metrics").text:
                time.sleep(0.2)
            load(address, script, options.clients, max(3, options.seconds // 2), 300)  # the first load what they need
            last = {"submission": {"title": "The last look-up before the measurement"}}
            api.post("/api/v1/reviewers", json=last).raise_for_status()  # behind those whose clients have gone
            processes, counts, ended = descendants(process.pid), list[int](), threading.Event()

            def watch() -> None:
                while not ended.wait(0.02):
                    counts.append(sum(map(able, processes)))

            watcher = threading.Thread(target=watch)
            watcher.start()
            spent, answered = sum(map(processor_time, processes)), answers(api)
            found = load(address, script, options.clients, options.seconds)
            spent, answered = sum(map(processor_time, processes)) - spent, answers(api) - answered
            ended.set()
            watcher.join()
        found["rate"] = found["answers"] / options.seconds
        found["cost"] = 1000 * spent / max(1, answered)  # some were asked for before
        found["busy"] = statistics.mean(min(count, cores()) for count in counts)
        beside = processes - {process.pid}
        for name, size in (("memory", proportional), ("anonymous", anonymous)):
            found[name] = sum(map(size, beside)) / max(1, workers - 1)
    return found


def crowd(workspace: Workspace, workers: int, script: Path, options: argparse.Namespace) -> dict[str, float]:
    """The same with many clients at once."""
    with serving(workspace, "--workers", str(workers)) as (address, _):
        return load(address, script, options.many, 2 * options.seconds)


def load(address: str, script: Path, clients: int, seconds: int, first: int = 0) -> dict[str, float]:
    """What wrk says: answers, how many of them were no panel, how many got lost, and waits in milliseconds."""
    command = ["wrk", "-t", "2", "-c", str(clients), "-d", f"{seconds}s", "--timeout", "120s", "-s", str(script)]
    said = subprocess.run([*command, address, "--", str(first)], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^RESULT (.*)$", said, re.MULTILINE)
    if found is None:
        sys.exit(f"wrk failed: {said}")
    result: dict[str, float] = orjson.loads(found[1])
    return result


def answers(api: httpx2.Client) -> int:
    """How many look-ups the server has answered, whether or not the client was still there."""
    found = re.search(r'requests_total{[^}]*/reviewers"[^}]*} ([\d.e+]+)', api.get("/api/v1/metrics").text)
    return int(float(found[1])) if found else 0


def processor_time(process: int) -> float:
    """Seconds that a process has used, with all threads that it ever had."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def able(process: int) -> int:
    """How many threads of a process run, or wait for a processor."""
    count = 0
    for path in Path(f"/proc/{process}/task").glob("*/stat"):
        with suppress(OSError):  # it has ended
            count += path.read_text().rpartition(")")[2].split()[0] == "R"
    return count


def proportional(process: int) -> float:
    """The memory of a process, of which shared pages count in parts (MB)."""
    return _size(f"/proc/{process}/smaps_rollup", "Pss")


def anonymous(process: int) -> float:
    """The memory of a process that is of no file (MB)."""
    return _size(f"/proc/{process}/status", "RssAnon")


def _size(path: str, name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB", Path(path).read_text(), re.MULTILINE)
    return int(found[1]) / 1e3 if found else 0.0


if __name__ == "__main__":
    main()
