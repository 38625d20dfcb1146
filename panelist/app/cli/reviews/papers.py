"""The text of a paper: a PDF file, read by a process with little time and memory, or plain text."""

from __future__ import annotations

from pathlib import Path

from panelist.errors import InputError


def read_paper(path: Path) -> str:
    """The whole text.

    Raises:
        InputError: it is not there, or neither PDF nor text.
        MissingDependencyError: it is a PDF file, and pypdfium2 is not installed.
    """
    from panelist.app.confined.pdf import full_text, is_pdf

    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read '{path}': {error.strerror or error}") from error
    if is_pdf(content):
        text = full_text(content)
    else:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"'{path}' is neither a PDF file nor text in UTF-8: {error}") from error
    if not text.strip():
        raise InputError(f"'{path}' holds no text: a scanned PDF file must be recognised first")
    return text
