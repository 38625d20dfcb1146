"""What only the operating system can do: locks that readers share, and limits of a process.

Linux and macOS have both. On Windows, which has neither, whatever needs a lock stops with one line.
"""

import sys
from contextlib import suppress
from typing import BinaryIO

from panelist.errors import MissingDependencyError

if sys.platform != "win32":
    import fcntl
    import resource


def lock_file(file: BinaryIO, *, shared: bool) -> None:
    """Lock an open file until it is closed: shared waits for a lock, exclusive raises `BlockingIOError` at once."""
    if sys.platform == "win32":
        raise MissingDependencyError(
            "an index needs locks that several readers share, which Windows lacks: use Panelist in WSL, or its image"
        )
    fcntl.flock(file, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)


def limit_process(seconds: int, memory: int) -> None:
    """Limit the processor time and the address space of this process, as far as the system can; it dumps no core."""
    if sys.platform != "win32":
        limits = {resource.RLIMIT_CPU: seconds, resource.RLIMIT_AS: memory, resource.RLIMIT_CORE: 0}
        for kind, limit in limits.items():
            with suppress(ValueError):  # macOS refuses a limit below what the process has
                resource.setrlimit(kind, (limit, limit))


def allow_files(number: int) -> int:
    """Let this process open this many files if the system allows it, and return how many it may open."""
    if sys.platform == "win32":
        return number
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return number
    limit = number if hard == resource.RLIM_INFINITY else min(hard, number)
    if soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
    return max(soft, limit)
