"""Run the Dockerfile's own steps without a Docker engine, in an empty directory that stands for the image's root.

    python docker/rehearse.py SCRATCH

Copies what COPY copies, runs what RUN runs (with the absolute paths moved below SCRATCH) in an environment that has
nothing but what ENV and ARG say, and at last starts ENTRYPOINT and CMD over the demo and asks HEALTHCHECK's question.
Users are not made: that takes root, and is left to the engine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from dockerfile import Stage, environment, read

ROOT = Path(__file__).parent.parent
_PATHS = re.compile(r"(?<![\w./:])/(opt|src|var|tmp|data)(?=/|\b)")


def main() -> None:
    """Rehearse the build and the start."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scratch", type=Path)
    options = parser.parse_args()
    scratch = options.scratch.absolute()
    build, final = read(ROOT / "docker/Dockerfile")
    for name in ("src", "opt", "var/cache", "tmp", "data", "home"):
        (scratch / name).mkdir(parents=True, exist_ok=True)
    variables = base(scratch) | moved_all(environment(build), scratch)
    variables["PATH"] = f"{scratch}/opt/panelist/bin:{base(scratch)['PATH']}"
    rehearse(build, scratch, variables)
    start(final, scratch)


def base(scratch: Path) -> dict[str, str]:
    """What a container has: a path and a home. pip's own settings are kept, for they say where packages come from."""
    own = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(scratch / "home"), "LANG": "C.UTF-8"}
    return own | {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


def moved(text: str, scratch: Path) -> str:
    """The text with the image's paths below `scratch`."""
    return _PATHS.sub(lambda found: f"{scratch}/{found[1]}", text)


def moved_all(variables: dict[str, str], scratch: Path) -> dict[str, str]:
    """The same for the values of variables."""
    return {name: moved(value, scratch) for name, value in variables.items()}


def rehearse(stage: Stage, scratch: Path, variables: dict[str, str]) -> None:
    """Copy and run."""
    for step in stage.steps:
        if step.keyword == "COPY":
            *sources, target = step.words
            for source in sources:
                copy(ROOT / source, scratch / "src" / target / (source if target == "./" else ""))
        elif step.keyword == "RUN":
            begun = time.monotonic()
            print(f"RUN {step.text}", flush=True)
            subprocess.run(["sh", "-ec", moved(step.text, scratch)], cwd=scratch / "src", env=variables, check=True)
            print(f"    {time.monotonic() - begun:.0f} s", flush=True)


def copy(source: Path, target: Path) -> None:
    """As COPY does, without what the ignore file keeps back."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    else:
        shutil.copy(source, target)


def start(stage: Stage, scratch: Path) -> None:
    """Make the demo's workspace, serve it as the image would, and ask for its health."""
    variables = base(scratch) | moved_all(environment(stage), scratch)
    variables["PATH"] = f"{scratch}/opt/panelist/bin:{base(scratch)['PATH']}"
    variables |= {"PANELIST_TOKEN": "rehearsal-of-an-image", "PIP_NO_INDEX": "1", "HF_HUB_OFFLINE": "1"}
    (entry,), (command,), (health,) = (stage.all(keyword) for keyword in ("ENTRYPOINT", "CMD", "HEALTHCHECK"))
    run = {"env": variables, "cwd": scratch / "data"}
    demo = ["panelist", "demo", "--workspace", variables["PANELIST_WORKSPACE"], "--json"]
    subprocess.run(demo, check=True, stdout=subprocess.DEVNULL, **run)
    server = subprocess.Popen([*entry.words, *command.words], **run)
    question = json.loads(health.text[health.text.index("CMD") + 3 :])
    try:
        deadline = time.monotonic() + 120
        while subprocess.run(question, stderr=subprocess.DEVNULL, check=False, **run).returncode != 0:
            if server.poll() is not None or time.monotonic() > deadline:
                sys.exit("the server is not healthy")
            time.sleep(1)
        print("the server is healthy")
    finally:
        server.terminate()
        print(f"it stopped with {server.wait(timeout=60)}")


if __name__ == "__main__":
    main()
