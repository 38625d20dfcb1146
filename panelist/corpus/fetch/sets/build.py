"""Which data sets there are, where they come from, and how one is built: all of it or nothing, counted at the end."""

import gzip
import os
import shutil
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from panelist.config import source_url
from panelist.corpus.fetch.goldstandard import convert_goldstandard
from panelist.corpus.fetch.sets.acl import convert_acl
from panelist.corpus.fetch.sets.elife import convert_elife
from panelist.corpus.fetch.sets.numbers import convert_assignment, convert_calibration
from panelist.corpus.fetch.sets.reviews import convert_f1000rd, convert_reviews
from panelist.files import check_directory
from panelist.http.client import Client, FetchError, Progress

_GITHUB = "https://codeload.github.com"
_FAULTS = (
    *(tarfile.TarError, zipfile.BadZipFile, SyntaxError, EOFError, OSError, ValueError, KeyError),
    NotImplementedError,  # of rdata
)


@dataclass(frozen=True, slots=True)
class DataSet:
    """A data set of `PANELIST_DATA`."""

    sources: Mapping[str, str]  # archives by name: owner, repository and version on GitHub
    convert: Callable[[Mapping[str, Path], Path], None]  # brings the archives, by name, into a folder
    lines: Mapping[str, int]  # how many lines each of its main files had when figures were recorded
    folder: str = ""  # where it belongs, if not in the folder of its name


_CONVERTERS = {
    "elife": convert_elife,
    "acl": convert_acl,
    "reviews": convert_reviews,
    "f1000rd": convert_f1000rd,
    "assignment": convert_assignment,
    "calibration": convert_calibration,
    "goldstandard": convert_goldstandard,
}
_TABLES = tomllib.loads(Path(__file__).with_name("sets.toml").read_text(encoding="utf-8"))
SETS = {name: DataSet(convert=convert, **_TABLES[name]) for name, convert in _CONVERTERS.items()}
"""All data sets by name."""


def build_set(
    client: Client, name: str, folder: Path, progress: Progress = lambda done, total: None
) -> dict[str, tuple[int, int]]:
    """Download a data set's archives and convert them; the lines of its main files, and those that were expected.

    Archives that have come whole are kept beside the folder until all is built: run again, a download resumes with the
    first one that is missing.
    """
    chosen = SETS[name]
    check_directory(folder)
    archived = folder / f".archives-{name}"  # two data sets may share a folder
    check_directory(archived)
    archives = {key: archived / f"{key}.tar.gz" for key in chosen.sources}
    for key, source in chosen.sources.items():
        if not archives[key].exists():
            temporary_file = archives[key].with_suffix(".part")
            repository, version = source.rsplit("/", 1)
            client.download(source_url(f"{_GITHUB}/{repository}/tar.gz/{version}"), temporary_file, progress)
            temporary_file.replace(archives[key])
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as temporary:
        built, problem = Path(temporary), ""
        try:
            chosen.convert(archives, built)
            if missing := [name for name in chosen.lines if not (built / name).exists()]:
                problem = f"the sources have not the expected layout: nothing found for {', '.join(missing)}"
        except _FAULTS as error:
            problem = f"an archive is cut off or damaged, or of another layout ({error}): run the same command again"
        if problem:
            shutil.rmtree(archived)
            raise FetchError(f"{name}: {problem}")
        for path in sorted(filter(Path.is_file, built.rglob("*"))):  # until here the folder is as it was
            target = folder / path.relative_to(built)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(path, target)
    shutil.rmtree(archived)
    counts = {}
    for file, expected in chosen.lines.items():
        with (gzip.open if file.endswith(".gz") else open)(folder / file, "rb") as lines:
            counts[file] = sum(1 for _ in lines), expected
    return counts
