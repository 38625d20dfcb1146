"""Work on a stranger's file, in a process of its own: with a deadline, little memory, and nothing of our environment.

The parent calls `run`; the child is a module of this package that ends with `work(…)`.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import panelist
from panelist.errors import InputError, MissingDependencyError, ModelError
from panelist.extras import missing_line
from panelist.system import limit_process

T = TypeVar("T")

_ROOT = Path(panelist.__file__).parent.parent
_REFUSED, _MISSING, _NO_MODEL = 2, 3, 4
_running: set[subprocess.Popen[bytes]] = set()
_lock = threading.Lock()


def run(
    module: str, content: bytes, subject: str, *arguments: str, seconds: float, variables: Sequence[str] = ()
) -> bytes:
    """What the module `panelist.app.confined.<module>` makes of this content, which errors call `subject`.

    It is killed after some seconds, and sees of our environment these `variables` only.
    """
    command = [sys.executable, "-s", "-P", "-m", f"{__name__}.{module}", *arguments]
    # It is told where its own code is, and nothing else: no token, no address of a database.
    inherited = {name: os.environ[name] for name in variables if name in os.environ} | {"PYTHONPATH": str(_ROOT)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=inherited
    ) as process:
        with _lock:
            _running.add(process)
        try:
            output, _ = process.communicate(content, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise InputError(f"this {subject} takes too long: it was stopped after {seconds:.0f} s") from error
        finally:
            process.kill()
            with _lock:
                _running.discard(process)
    if process.returncode == _REFUSED:
        raise InputError(output.decode())
    if process.returncode == _MISSING:
        raise MissingDependencyError(missing_line(f"this {subject}", output.decode()))
    if process.returncode == _NO_MODEL:
        raise ModelError(output.decode())
    if process.returncode != 0:
        raise InputError(f"this {subject} cannot be read: it is damaged, or needs too much time or memory")
    return output


def stop_all() -> None:
    """Kill whatever runs: the server ends."""
    with _lock:
        for process in _running:
            process.kill()


def work(read: Callable[[bytes, list[str]], bytes], *, seconds: int, memory: int) -> int:
    """Read the content, as the child, within limits of processor seconds and memory; return the exit code."""
    import logging

    limit_process(seconds, memory)
    logging.disable()
    code = 0
    try:
        output = read(sys.stdin.buffer.read(), sys.argv[1:])
    except InputError as error:
        output, code = str(error).encode(), _REFUSED
    except ImportError as error:
        output, code = (error.name or "").encode(), _MISSING
    except ModelError as error:
        output, code = str(error).encode(), _NO_MODEL
    except Exception:  # a broken file may raise anything
        return 1
    sys.stdout.buffer.write(output)
    return code


def read_as_file(content: bytes, name: str, read: Callable[[Path], T]) -> T:
    """What a reader of files makes of this content; its errors say `the file` instead of a path that nobody knows."""
    with TemporaryDirectory(prefix="panelist-") as directory:
        path = Path(directory, name)
        path.write_bytes(content)
        try:
            return read(path)
        except InputError as error:
            raise InputError(str(error).replace(str(path), "the file")) from error
