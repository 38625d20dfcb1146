"""Panelist finds the people who can review a paper.

This is the front door: everything a user needs is importable from here, typed, under its own name, and nothing is
loaded before it is used. `__init__.pyi` is the list, for type checkers and for Python.
"""

import ast
import os
from importlib import import_module
from pathlib import Path

# Manuscripts are confidential. Libraries that report how they are used (ONNX Runtime, the Hugging Face hub) are told
# not to, before any of them is imported; processes that we start inherit it.
for _switch in ("ORT_DISABLE_TELEMETRY", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ[_switch] = "1"

_MODULES = {
    name.name: statement.module
    for statement in ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")).body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}

__version__ = "0.1.0"
__all__ = [*_MODULES, "__version__"]


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'panelist' has no attribute {name!r}")
    module = import_module(_MODULES[name])
    # A package such as `demo` is there only once it is imported itself.
    return getattr(module, name, None) or import_module(f"{module.__name__}.{name}")


def __dir__() -> list[str]:
    return sorted(__all__)
