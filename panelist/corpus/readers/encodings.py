"""Text of files as people have them: UTF-8 with or without its mark, UTF-16 with its mark, else Windows-1252."""

from __future__ import annotations

import codecs

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_LONG = 1 << 16


def encoding_of(content: bytes) -> str:
    """The encoding of a file, by its mark, else by what its bytes allow.

    Excel and reference managers still write Windows-1252: it is this where no byte beyond ASCII is part of UTF-8. What
    has a zero byte is no text at all. The end of a longer beginning may be half a letter, and is not looked at.

    Raises:
        UnicodeDecodeError: it has zero bytes and no mark of UTF-16.
    """
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if marked is not None:
        return marked
    if (position := content.find(b"\0")) >= 0:
        raise UnicodeDecodeError(
            "utf-8", content, position, position + 1, "zero bytes, as in UTF-16 without a byte order mark"
        )
    lenient = (content[:-3] if len(content) > _LONG else content).decode(errors="surrogateescape")
    damaged = any("\udc80" <= character <= "\udcff" for character in lenient) if not lenient.isascii() else False
    if not damaged or any(character > "\x7f" and not "\udc80" <= character <= "\udcff" for character in lenient):
        return "utf-8"  # a damaged byte among right ones does not make all others wrong
    try:
        content.decode("cp1252")
    except UnicodeDecodeError:
        return "utf-8"
    return "cp1252"


def decode_text(content: bytes) -> str:
    """The text of a whole file.

    Raises:
        UnicodeDecodeError: it is no text in any of the encodings.
    """
    return content.decode(encoding_of(content))
