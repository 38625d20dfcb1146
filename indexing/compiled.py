"""When compiled code is worth its loading.

Importing numba and reading back its compiled functions takes half a second, and compiling them, once after
installation, some seconds. A process that answers one query is better off with numpy; batches and servers are not.
So there are two of each such function, which agree to the last bit, and a process changes over once it has answered a
few queries.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

_FEW = 16

_answered = 0


def worthwhile(queries: int = 0) -> bool:
    """Whether to use compiled functions from now on, given that this many queries are being answered as well."""
    global _answered
    if _answered < _FEW:  # two threads may count one query as none: it does no harm
        _answered += queries
    return _answered >= _FEW


@cache
def kernels(module: str) -> Any:
    """A module of compiled functions, loaded when first asked for."""
    return import_module(module)
