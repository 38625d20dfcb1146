"""The optional parts of an installation, and the one line that says how to get one that is missing."""

from __future__ import annotations

from importlib.util import find_spec

from panelist.errors import MissingDependencyError

EXTRAS = {
    "torch": ("torch", "transformers", "sentence_transformers"),
    "eval": ("ranx", "rouge_score", "gensim", "ot"),
    "mongo": ("pymongo", "bson"),
    "milvus": ("pymilvus",),
    "dask": ("distributed",),
}
"""The modules that each extra of the package brings."""


def require(what: str, *modules: str) -> None:
    """Refuse to begin without optional packages.

    Args:
        what: needs them; the beginning of the message.
        modules: of `EXTRAS`, as they are imported.

    Raises:
        MissingDependencyError: one is not installed; the message says how to install it.
    """
    if missing := [module for module in modules if find_spec(module) is None]:
        raise MissingDependencyError(missing_line(what, missing[0]))


def missing_line(what: str, module: str) -> str:
    """Say what is missing, and the command that installs it."""
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules), None)
    name = "panelist" if extra is None else f"panelist[{extra}]"
    return f"{what} needs {module}, which is not installed: run \"pip install '{name}'\""
