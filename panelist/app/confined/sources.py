"""Title, authors, abstract and references of a Word file or of LaTeX sources, packed or alone."""

import io
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Any

import orjson

from panelist.app.confined import work
from panelist.corpus.manuscripts.latex import read_latex
from panelist.corpus.manuscripts.word import read_word
from panelist.corpus.readers.rows import decode_text
from panelist.errors import InputError

_SECONDS, _MEMORY = 10, 1 << 30  # of processor time
_LARGEST, _MOST = 30_000_000, 2_000  # bytes that are unpacked, and files
_DOCUMENT, _LATEX = "word/document.xml", (".tex", ".bbl", ".bib", ".ltx")


def guess(content: bytes) -> dict[str, Any]:
    """What `panelist.app.confined.pdf.guess` tells of a PDF file; sources have no pages."""
    files = _unpack(content)
    if _DOCUMENT in files:
        front, references = read_word(files[_DOCUMENT])
        return {"title": front.title, "authors": front.authors, "abstract": front.abstract, "references": references,
                "pages": 0, "sure": front.sure | {"references": "fair" if references else "none"}}  # fmt: skip
    texts = {name: decode_text(data) for name, data in files.items()}
    if not any("\\begin{document}" in text for text in texts.values()):
        raise InputError("this archive holds neither a Word document nor a LaTeX source with \\begin{document}")
    parts = read_latex(texts)
    return parts | {"pages": 0, "sure": {name: "high" if text else "none" for name, text in parts.items()}}


def _unpack(content: bytes) -> Mapping[str, bytes]:
    """The files that can be read, by their names; a source alone is one."""
    files: dict[str, bytes] = {}
    room = _LARGEST
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist()[:_MOST]:
                if entry.filename == _DOCUMENT or entry.filename.lower().endswith(_LATEX):
                    with archive.open(entry) as file:
                        files[entry.filename] = _read_within(file, room)
                    room -= len(files[entry.filename])
    elif content.startswith(b"\x1f\x8b"):
        import gzip

        plain = _read_within(gzip.GzipFile(fileobj=io.BytesIO(content)), 3 * _LARGEST)  # arXiv packs pictures, too
        if not tarfile.is_tarfile(io.BytesIO(plain)):
            return {"main.tex": plain}
        with tarfile.open(fileobj=io.BytesIO(plain)) as folder:
            for member in folder:
                packed = folder.extractfile(member) if member.name.lower().endswith(_LATEX) else None
                if packed is not None and len(files) < _MOST:
                    files[member.name.removeprefix("./")] = _read_within(packed, room)
                    room -= len(files[member.name.removeprefix("./")])
    else:
        files["main.tex"] = content
    return files


def _read_within(file: Any, room: int) -> bytes:
    data: bytes = file.read(room + 1)
    if len(data) > room:
        raise InputError("this archive is too large when it is unpacked")
    return data


def _read(content: bytes, arguments: list[str]) -> bytes:
    try:
        return orjson.dumps(guess(content))
    except (ValueError, zipfile.BadZipFile, tarfile.TarError, OSError, EOFError) as error:
        raise InputError(
            f"this manuscript cannot be read: {str(error).splitlines()[0] if str(error) else 'damaged'}"
        ) from error


if __name__ == "__main__":
    sys.exit(work(_read, seconds=_SECONDS, memory=_MEMORY))
