"""Panelist finds the people who can review a paper.

This is the front door: the records, and the functions and classes of each step, typed, under their own names; nothing
is loaded before it is used. `__init__.pyi` is the list, for type checkers and for Python. (The package `lazy_loader`
does the same for modules below a package, but not for packages beside it.)
"""

import ast
import os
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path

# Manuscripts are confidential. Libraries that report how they are used (ONNX Runtime, the Hugging Face hub) are told
# not to, before any of them is imported; processes that we start inherit it.
for _switch in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ[_switch] = "1"

# These names are common. A user's own `eval.py` would end in an import error that says nothing about the reason.
_ROOT = Path(__file__).resolve().parents[1]
for _name in ("indexing", "retriever", "eval"):
    _spec = PathFinder.find_spec(_name)
    if _spec is not None and _spec.origin and Path(_spec.origin).resolve().parents[1] != _ROOT:
        raise ImportError(
            f"'{_spec.origin}' hides Panelist's package '{_name}': rename it, or start Python in another directory"
        )

_MODULES = {
    name.name: statement.module
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}

__version__ = "1.0.0rc1"
__all__ = [*_MODULES, "__version__"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'panelist' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
