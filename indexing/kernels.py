"""Kernels: compiled functions on arrays, and how all of them are made ready before anybody waits for one.

The annotations of a kernel are its signature. So it is compiled, or read back from numba's cache on disk, when its
module is imported, and never while a query waits; an array of another type or memory layout is refused. A module of
kernels is imported inside the functions that call it, because importing numba takes half a second: a one-shot command
spends it in a thread, while the encoder and the Java machine start.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from panelist.progress import Progress, silent

if TYPE_CHECKING:
    from numba.core.event import Event

Function = TypeVar("Function", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=np.generic)

Matrix = Annotated[NDArray[Kind], "matrix"]
"""An argument with two dimensions; any other array has one."""

Written = Annotated[NDArray[Kind], "written"]
"""An argument that the kernel writes to; any other array may be read-only, as memory-mapped ones are."""

WrittenMatrix = Annotated[NDArray[Kind], "written matrix"]
"""An argument with two dimensions that the kernel writes to."""

_LOADING = threading.Lock()  # two threads that import numba at once wait for each other for ever

COMPILING = "compiling for this processor"
"""The stage that progress shows where kernels are not in the cache."""


def kernel(function: Function) -> Function:
    """Compile a function, which then releases the interpreter lock. Arrays that it is given are contiguous."""
    import numba

    hints = get_type_hints(function, include_extras=True)
    signature = tuple(_type(hint) for name, hint in hints.items() if name != "return")
    compiled: Any
    try:
        compiled = numba.njit(signature, nogil=True, cache=True)(function)
    except RuntimeError as error:
        if "no locator available" not in str(error):
            raise
        # Neither the installation nor the user's cache can be written to: compiled for this process only.
        compiled = numba.njit(signature, nogil=True)(function)
    except (ImportError, AttributeError):
        # The cache of an earlier version names a type that has moved since: numba reads it before it sees its age.
        compiled = numba.njit(nogil=True, cache=True)(function)
        compiled._cache.flush()
        compiled = numba.njit(signature, nogil=True, cache=True)(function)
    return cast("Function", compiled)


def helper(function: Function, fastmath: Set[str] = frozenset()) -> Function:
    """Compile a function into each of the kernels that call it; `fastmath` relaxes rules of arithmetic."""
    import numba

    compiled: Any = numba.njit(fastmath=set(fastmath))(function)
    return cast("Function", compiled)


def _type(hint: Any) -> Any:
    import numba
    from numba import types

    mark = ""
    if hasattr(hint, "__metadata__"):
        (mark,), hint = hint.__metadata__, hint.__origin__
    if hasattr(hint, "_fields"):  # a named tuple of such arguments
        kinds = tuple(_type(field) for field in get_type_hints(hint, include_extras=True).values())
        return types.BaseTuple.from_types(kinds, hint)  # type: ignore[no-untyped-call]
    if not get_args(hint):
        return {int: types.int64, float: types.float64, bool: types.boolean}.get(hint) or numba.from_dtype(hint)
    kind = numba.from_dtype(np.dtype(get_args(get_args(hint)[1])[0]))
    return types.Array(kind, 2 if "matrix" in mark else 1, "C", readonly="written" not in mark)


def load_kernels(modules: Sequence[str], progress: Progress = silent) -> None:
    """Import modules of kernels; there is progress only where something has to be compiled."""
    from numba.core import event

    compiling, done = False, 0

    class Compiler(event.Listener):
        def on_start(self, event: Event) -> None:
            nonlocal compiling
            compiling = True
            progress(COMPILING, done, len(modules))

        def on_end(self, event: Event) -> None:
            """Required; the loop below says when a module is ready."""

    with event.install_listener("numba:compile", Compiler()):
        for done, module in enumerate(modules):
            import_module(module)
            if compiling:
                progress(COMPILING, done + 1, len(modules))


def load_in_background(modules: Sequence[str], progress: Progress = silent) -> threading.Thread:
    """The same in a thread. An error comes up where a kernel is first called."""

    def load() -> None:
        with _LOADING, suppress(Exception):
            load_kernels(modules, progress)

    thread = threading.Thread(target=load, name="kernels")
    thread.start()
    return thread
