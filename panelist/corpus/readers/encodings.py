"""Text of files as people have them: UTF-8 with or without its mark, UTF-16 with its mark, else Windows-1252."""

from __future__ import annotations

import codecs

_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def encoding_of(content: bytes) -> str:
    """The encoding of a file, by its mark, else by what its bytes allow.

    Excel and reference managers still write Windows-1252; any bytes are text in it, so that it is the last resort, and
    what has a zero byte is no text at all.

    Raises:
        UnicodeDecodeError: it has zero bytes and no mark of UTF-16.
    """
    marked = next((name for mark, name in _MARKS if content.startswith(mark)), None)
    if marked is not None:
        return marked
    if (position := content.find(b"\0")) >= 0:
        raise UnicodeDecodeError("utf-8", content, position, position + 1, "zero bytes: save it as UTF-8")
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if error.end == len(content) and error.reason == "unexpected end of data":  # the beginning of a longer text
            return "utf-8"
        return "cp1252"
    return "utf-8"


def decode_text(content: bytes) -> str:
    """The text of a whole file.

    Raises:
        UnicodeDecodeError: it is no text in any of the encodings.
    """
    return content.decode(encoding_of(content))
