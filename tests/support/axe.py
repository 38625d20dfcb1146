"""axe-core, which checks accessibility: one pinned file that `make axe` fetches from npm and checks by its hash.

Without npm it says so, and the tests that need it are skipped. It is not shipped.
"""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from panelist.config import cache_dir

VERSION = "4.11.0"
SHA256 = "39bed7d72308f6d620789c169d699bfd7e8da80f65b545821a6b2215c3e83107"
"""Of the package as npm has it."""
ARCHIVE = cache_dir() / f"axe-core-{VERSION}.tgz"


def fetch() -> None:
    """Fetch the package with npm, wherever npm is set up to look.

    Raises:
        RuntimeError: it cannot be fetched, or it is not the one that is pinned.
    """
    npm = shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is not installed (Debian: apt-get install npm)")
    with tempfile.TemporaryDirectory() as directory:
        command = [npm, "pack", f"axe-core@{VERSION}", "--silent", "--pack-destination", directory]
        done = subprocess.run(command, capture_output=True, text=True, cwd=directory, timeout=300, check=False)
        fetched = Path(directory) / ARCHIVE.name
        if not fetched.is_file():
            raise RuntimeError(f"npm cannot fetch axe-core {VERSION}: {done.stderr.strip()[-300:]}")
        _check(fetched)
        ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
        part = ARCHIVE.with_suffix(".part")
        shutil.copy(fetched, part)
        part.replace(ARCHIVE)


def source() -> str:
    """The script.

    Raises:
        RuntimeError: the file is not the one that is pinned.
    """
    _check(ARCHIVE)
    with tarfile.open(ARCHIVE) as package:
        script = package.extractfile("package/axe.min.js")
        assert script is not None
        return script.read().decode()


def _check(path: Path) -> None:
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise RuntimeError(f"'{path}' is not axe-core {VERSION} (sha256 {found}): delete it and run 'make axe'")


if __name__ == "__main__":
    if not ARCHIVE.is_file():
        try:
            fetch()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            print(f"no axe-core, its tests will be skipped: {error}", file=sys.stderr)  # noqa: T201
