"""Golden numbers are data: commands with the figures that they must print, and the tolerance.

An entry of the YAML list has `command` (what follows `panelist`, without `--json`; `{data}` is PANELIST_DATA, `{cache}`
the user's cache), `source`, `expect` (dotted paths into the printed JSON with their figures), `tolerance`, and `tags`:
entries with the tag `fast` belong to the test suite. Commands run in the order of the list, so one may make what the
next one reads. Figures of a model that has not been trained on this machine are not available, which is not a failure;
so are those of the ACL model if `trained` describes another one than that in the user's cache.
"""

import fnmatch
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from indexing.encoders.acl import acl_folder
from panelist.config import cache_dir, data_dir
from panelist.errors import MissingDataError, MissingModelError, PanelistError

GOLDEN = Path(__file__).parent / "golden" / "golden.yaml"


DATA_SETS = ("goldstandard", "elife", "acl", "reviews", "assignment", "calibration")
"""The data sets that `panelist fetch` builds."""


@dataclass(frozen=True, slots=True)
class Golden:
    """One command (what follows `panelist`) with the figures, by their path, that it must print.

    `tolerance` is the largest difference that passes, `tags` are names to select commands by, and `trained` is what
    the configuration of the measured ACL model says about its training.
    """

    command: str
    source: str
    expect: dict[str, float]
    tolerance: float
    tags: tuple[str, ...] = ()
    trained: dict[str, float] = field(default_factory=dict)

    @property
    def data(self) -> tuple[str, ...]:
        """The data sets that the command reads, by the names of their folders."""
        words = self.command.replace("exharmony-", "").replace("train reviews", "reviews")
        return tuple(name for name in DATA_SETS if re.search(rf"\b{name}\b", words))

    def matches(self, pattern: str) -> bool:
        """Whether a shell-like pattern fits the command or one of the tags."""
        return fnmatch.fnmatch(self.command, f"*{pattern}*") or pattern in self.tags


@dataclass(frozen=True, slots=True)
class GoldenCheck:
    """A figure that was expected, and what was found: a number, or why there is none."""

    command: str
    key: str
    expected: float
    tolerance: float
    actual: float | None
    data: tuple[str, ...] = ()
    failure: str = ""
    available: bool = True

    @property
    def passed(self) -> bool:
        """Whether the figure was found and is within the tolerance."""
        return self.actual is not None and abs(self.actual - self.expected) <= self.tolerance + 1e-12


def read_golden(path: Path = GOLDEN) -> list[Golden]:
    """Read all golden numbers from their file."""
    import yaml

    entries = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [Golden(**{**entry, "tags": tuple(entry.get("tags", ()))}) for entry in entries]


def run_golden(golden: Golden, invoke: Callable[[Sequence[str]], Any]) -> Any:
    """What the command prints as JSON, or the error that it ends in; a data set that is not there is one."""
    directories = {"{data}": str(data_dir()), "{cache}": str(cache_dir())}
    words = golden.command.split()
    for name, directory in directories.items():
        words = [word.replace(name, directory) for word in words]
    missing = [name for name in golden.data if not (data_dir() / name).is_dir()]
    if missing:
        return MissingDataError(missing[0], data_dir(), missing[0])
    try:
        _check_trained(golden.trained)
        return invoke([*words, "--json"])
    except PanelistError as error:
        return error


def _check_trained(expected: Mapping[str, float]) -> None:
    """Refuse to measure an ACL model other than the one that figures are of."""
    folder = acl_folder()
    try:
        trained = dict(orjson.loads((folder / "config.json").read_bytes())["training"])
    except (OSError, ValueError, KeyError, TypeError):
        return  # there is none, or it is damaged: the command itself says so
    pairs = ((name, trained.get(name), value) for name, value in expected.items())
    other = [f"{name} {actual} instead of {value}" for name, actual, value in pairs if actual != value]
    if other:
        raise MissingModelError(f"the figures belong to another model than that in '{folder}': {', '.join(other)}")


def check_golden(golden: Golden, printed: Any) -> Iterator[GoldenCheck]:
    """Compare what `run_golden` returned; a command that failed fails all its figures."""
    failed = isinstance(printed, PanelistError)
    for key, expected in golden.expect.items():
        actual = None if failed else _number_at(printed, key)
        failure = str(printed) if failed else "" if actual is not None else "not printed"
        available = not isinstance(printed, MissingModelError)
        yield GoldenCheck(golden.command, key, expected, golden.tolerance, actual, golden.data, failure, available)


def _number_at(value: Any, path: str) -> float | None:
    """The number at a dotted path; list elements by their number."""
    for step in path.split("."):
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        else:
            return None
    return float(value) if isinstance(value, int | float) else None
