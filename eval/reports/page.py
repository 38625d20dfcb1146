"""A report: one self-contained HTML page, readable on a phone, in the dark and on paper, and its pictures as files."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import blake2b, file_digest
from html import escape
from pathlib import Path
from typing import Protocol

from eval.reports.figures import Picture
from indexing.index import Index
from panelist import __version__
from panelist.files import check_directory, check_file, write_whole
from panelist.words import marked

PAGE = "index.html"
READING: dict[str, str] = tomllib.loads(Path(__file__).with_name("reading.toml").read_text(encoding="utf-8"))
"""How to read what a report shows, by what it is."""
_STYLE = """
:root { color-scheme: light dark; --ground: #f7f6f2; --surface: #fff; --ink: #1c2427; --soft: #56626a; --line: #dfdcd3;
  --accent: #1f5c66; --warn: #8a4b06; --warn-soft: #fdf1de; }
@media (prefers-color-scheme: dark) { :root { --ground: #14181a; --surface: #1c2225; --ink: #e8e6e0; --soft: #a3adb2;
  --line: #333d42; --accent: #7cc3cc; --warn: #f0bd78; --warn-soft: #38290f; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 64rem; margin: 0 auto; padding: 2rem clamp(.8rem, 4vw, 2rem) 3rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .6rem; text-wrap: balance; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 0 0 .6rem; }
p { margin: 0 0 .9rem; max-width: 46rem; overflow-wrap: anywhere; }
.lead { font-size: 1.1rem; }
.warning { background: var(--warn-soft); color: var(--warn); padding: .6rem .9rem; border-radius: 8px; }
.note, figcaption, caption, footer { color: var(--soft); font-size: .9rem; }
section, footer { margin-top: 1.6rem; padding: 1.2rem clamp(.8rem, 3vw, 1.6rem); background: var(--surface);
  border: 1px solid var(--line); border-radius: 10px; }
figure { margin: 1rem 0; max-width: 48rem; }
img { display: block; width: 100%; height: auto; background: #fff; }
.table { overflow-x: auto; margin: .4rem 0 .9rem; }
.table:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .95rem; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { padding: .3rem .6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap;
  vertical-align: baseline; }
th:first-child { text-align: left; padding-left: 0; }
td[style*="left"] { white-space: normal; min-width: 6rem; }
tbody th { font-weight: 400; white-space: normal; overflow-wrap: anywhere; min-width: 10rem; }
thead th { color: var(--soft); font-weight: 600; }
summary { cursor: pointer; color: var(--accent); padding: .3rem 0; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) 1fr; gap: .2rem 1rem; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { img { filter: invert(1) hue-rotate(180deg); mix-blend-mode: screen; } }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .5rem; } }
@media print { :root { color-scheme: light; --ground: #fff; --surface: #fff; --ink: #000; --soft: #333; --line: #bbb; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; } section, footer { border: 0; padding: 0; }
  img { filter: none; mix-blend-mode: normal; } figure, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .table { overflow: visible; } }
"""


def provenance(command: str, data: Iterable[Path], index: Index | None = None) -> dict[str, str]:
    """What to print below a report, name by name; of a directory all files count, by names and contents."""
    facts = {
        "Command": command,
        "Date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "Panelist": __version__,
        "Data": fingerprint(data),
    }
    if index is not None:
        manifest = index.manifest
        facts["Index"] = (
            f"corpus {manifest.corpus[:16]}, {manifest.counts.papers:,} papers, {manifest.lexical.engine}, "
            f"{manifest.encoder.name} at {manifest.encoder.revision[:12]}"
        )
    return facts


def fingerprint(paths: Iterable[Path]) -> str:
    """A digest of files, the same wherever they are: other data, other digest."""
    files: dict[str, Path] = {}
    for path in paths:
        files |= {str(f.relative_to(path.parent)): f for f in path.rglob("*")} if path.is_dir() else {path.name: path}
    digest = blake2b(digest_size=8)
    for name, path in sorted(files.items()):
        if path.is_file():
            with path.open("rb") as file:
                digest.update(f"{name}\0{file_digest(file, 'blake2b').hexdigest()}\n".encode())
    return digest.hexdigest()


class Block(Protocol):
    """A part of the page, such as a table or a picture."""

    def html(self) -> str:
        """The block as HTML, with all text escaped."""


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph; `kind` is a class of the page's style, `warning`, or none."""

    text: str
    kind: str = ""

    def html(self) -> str:
        """The block as HTML; see `Block`."""
        kind = f' class="{self.kind}"' if self.kind else ""
        return f"<p{kind}>{marked(self.text)}</p>"


@dataclass(frozen=True, slots=True)
class Folded:
    """A block that is shown when the reader opens it."""

    summary: str
    block: Block

    def html(self) -> str:
        """The block as HTML; see `Block`."""
        return f"<details><summary>{marked(self.summary)}</summary>{self.block.html()}</details>"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what is below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A page: `lead` says the most important thing in words, `facts` how the page was made."""

    title: str
    lead: str
    sections: tuple[Section, ...]
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def pictures(self) -> list[Picture]:
        """All pictures in their order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Picture)]

    def html(self) -> str:
        """The whole page as HTML."""
        sections = "".join(
            f"<section><h2>{escape(section.title)}</h2>{''.join(block.html() for block in section.blocks)}</section>"
            for section in self.sections
        )
        items = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in self.facts.items())
        footer = f"<footer><h2>How this page was made</h2><dl>{items}</dl></footer>" if items else ""
        return (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escape(self.title)}</title><style>{_STYLE}</style></head>"
            f'<body><main><h1>{escape(self.title)}</h1><p class="lead">{marked(self.lead)}</p>'
            f"{sections}{footer}</main></body></html>\n"
        )

    @staticmethod
    def check(directory: Path) -> None:
        """Make the directory of a report, before the work is done rather than after it."""
        check_directory(directory)
        check_file(directory / PAGE)

    def write(self, directory: Path) -> Path:
        """Write the page (`index.html`) and its pictures into a directory, each file at once; return its path."""
        self.check(directory)
        for picture in self.pictures:
            write_whole(directory / f"{picture.name}.png", picture.png)
        write_whole(directory / PAGE, self.html().encode())
        return directory / PAGE
