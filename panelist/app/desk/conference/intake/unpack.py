"""Files as they are sent: zip archives and gzip are unpacked with a limit, and no member leaves its directory."""

import gzip
import stat
import zlib
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from panelist.errors import InputError

LARGEST = 512 << 20  # bytes that a file, or all files of an archive together, may have when they are unpacked
MOST_FILES = 60_000  # of an archive: an archive for every reviewer of the largest conference
_CHUNK = 1 << 20
_ZIP, _GZIP = b"PK\x03\x04", b"\x1f\x8b"


def is_zip(path: Path) -> bool:
    """Whether a file is a zip archive, by its content."""
    return _head(path).startswith(_ZIP)


def gunzip(path: Path, largest: int = LARGEST) -> None:
    """Unpack a gzipped file where it lies; any other file stays as it is."""
    if not _head(path).startswith(_GZIP):
        return
    plain = path.with_name(f"{path.name}.plain")
    written = 0
    try:
        with gzip.open(path, "rb") as source, plain.open("wb") as target:
            while chunk := source.read(_CHUNK):
                written += len(chunk)
                if written > largest:
                    raise InputError(f"{path.name} is larger than {largest >> 20:,} MB when it is unpacked")
                target.write(chunk)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path.name} is damaged: {error}") from error
    if _head(plain).startswith(_GZIP):
        raise InputError(f"{path.name} is packed more than once: send it unpacked")
    plain.replace(path)


def unzip(path: Path, directory: Path, largest: int = LARGEST, most: int = MOST_FILES) -> None:
    """Unpack an archive into an empty directory; hidden files and those that systems add are left out."""
    try:
        with ZipFile(path) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > most:
                raise InputError(f"{path.name} holds {len(members):,} files, more than {most:,}")
            if sum(member.file_size for member in members) > largest:
                raise InputError(f"{path.name} is larger than {largest >> 20:,} MB when it is unpacked")
            left = largest
            for member in members:
                member_path = _safe(member, path.name)
                if any(folder.startswith(".") or folder == "__MACOSX" for folder in member_path.parts):
                    continue
                left -= _extract(archive, member, directory / member_path, left)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        raise InputError(f"{path.name} cannot be unpacked: {error}") from error


def _safe(member: ZipInfo, archive: str) -> PurePosixPath:
    """The path of a member below the directory it is unpacked into."""
    name = member.filename
    member_path = PurePosixPath(name)
    strange = "\\" in name or ":" in name or not name.isprintable() or len(name) > 500
    if strange or member_path.is_absolute() or ".." in member_path.parts or not member_path.parts:
        raise InputError(f"{archive} holds a file whose name leads elsewhere: {name[:80]!r}")
    if stat.S_ISLNK(member.external_attr >> 16):
        raise InputError(f"{archive} holds a link, not a file: {name[:80]!r}")
    if member.flag_bits & 1:
        raise InputError(f"{archive} is encrypted: send it without a password")
    return member_path


def _extract(archive: ZipFile, member: ZipInfo, target: Path, left: int) -> int:
    """Write a member; how many bytes it has."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        raise BadZipFile(f"it holds two files of the name {member.filename!r}")
    written = 0
    with archive.open(member) as source, target.open("xb") as file:
        while chunk := source.read(_CHUNK):
            written += len(chunk)
            if written > left:  # its entry told another size
                raise BadZipFile("a file is larger than the archive says")
            file.write(chunk)
    gunzip(target, left)
    return max(written, target.stat().st_size)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(4)
