"""The optional parts of an installation: extras of the package, which may be missing, and what others add to it.

Wherever an encoder or an affinity model is named, a user may name one of their own: `module:object`, found in the
current directory or among the installed packages, or the name of an entry point in the group `panelist.encoders` or
`panelist.affinity_models`. It is imported and run, so the server takes no such name from its clients.
"""

import re
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from panelist.errors import InputError, MissingDependencyError

EXTRAS = {
    "torch": ("torch", "transformers", "sentence_transformers"),
    "openvino": ("openvino",),
    "eval": ("ranx", "rouge_score", "gensim", "ot", "rdata"),
    "pyserini": ("pyserini",),
    "mongo": ("pymongo", "bson"),
    "milvus": ("pymilvus",),
    "dask": ("distributed",),
    "mcp": ("mcp",),
    "oidc": ("authlib", "joserfc", "itsdangerous"),
}
"""The modules that each extra of the package brings."""

_CHECKOUT = Path(__file__).parents[1]


def require(feature: str, *modules: str) -> None:
    """Refuse to begin without modules of `EXTRAS`; `feature` needs them, and begins the message."""
    if missing := [module for module in modules if find_spec(module) is None]:
        raise MissingDependencyError(missing_line(feature, missing[0]))


def load_ranx(feature: str) -> Any:
    """Import ranx, which compiles its kernels when they are first used on a machine (half a minute): never earlier."""
    require(feature, "ranx")
    warnings.filterwarnings("ignore", message=".*unsafe cast from uint64")  # of its kernels, by numba
    return import_module("ranx")


def missing_line(feature: str, module: str) -> str:
    """Say what is missing, and the command that installs it."""
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    name = str(_CHECKOUT) if (_CHECKOUT / "pyproject.toml").is_file() else "panelist"  # what pip knows here
    name += "" if extra is None else f"[{extra}]"
    return f"{feature} needs {module}, which is not installed: run \"pip install '{name}'\""


OBJECT = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
"""How an object of a module is written."""


def find_object(group: str, name: str) -> Any | None:
    """Find what somebody else wrote as `module:object`, or as an entry point of a group; None where nobody did."""
    if not OBJECT.fullmatch(name):
        from importlib.metadata import entry_points  # slow to load, and few look for anything

        return next((point.load() for point in entry_points(group=f"panelist.{group}", name=name)), None)
    module, _, attribute = name.partition(":")
    if find_spec(module.partition(".")[0]) is None:
        sys.path.append(str(Path.cwd()))
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"'{name}' cannot be used: {error}") from error
