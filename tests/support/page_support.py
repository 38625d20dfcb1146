"""Reads a page with a parser and checks what must hold of every report."""

import base64
import struct
from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr"}


class Page(HTMLParser):
    """The elements, texts and table rows of a page; every element must be closed in its turn."""

    def __init__(self, text):
        super().__init__()
        self.open, self.elements, self.rows, self.words = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.words.append(data)
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data

    @property
    def text(self):
        return " ".join(self.words)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def read_page(directory):
    """The page in a report's directory, checked: self-contained, with the pictures that lie beside it."""
    source = (directory / "index.html").read_text(encoding="utf-8")
    page = Page(source)
    assert not page.of("script")
    assert not page.of("link")
    style = source[source.index("<style>") : source.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style
    assert [meta["content"] for meta in page.of("meta") if meta.get("name") == "viewport"]
    pictures = []
    for image in page.of("img"):
        assert len(image["alt"]) > 20
        kind, _, data = image["src"].partition(",")
        assert kind == "data:image/png;base64"
        pictures.append(base64.b64decode(data, validate=True))
        assert pictures[-1].startswith(b"\x89PNG")
        width, height = struct.unpack(">II", pictures[-1][16:24])
        assert width > 400
        assert height > 150
    for _, attributes in page.elements:
        assert attributes.get("href") is None
        assert (attributes.get("src") or "data:").startswith("data:")
    assert sorted(pictures) == sorted(path.read_bytes() for path in directory.glob("*.png"))
    return page
