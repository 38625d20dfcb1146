"""What the reader of PDF files finds of what stands in real papers."""

import csv
from pathlib import Path

from panelist.app.confined.pdf import guess
from panelist.corpus.names import normalise_name


def letters(text):
    """Letters and digits alone: hyphens, spaces and quotation marks differ between the page and what is read."""
    return "".join(character for character in normalise_name(text) if character.isalnum())


def measure(directory: Path):
    """For each paper the shares that were found of title, authors, abstract and references."""
    with (directory / "truth.csv").open(encoding="utf-8", newline="") as file:
        for paper in csv.DictReader(file):
            found = guess((directory / paper["file"]).read_bytes())
            surnames = [letters(name.split()[-1]) for name in paper["authors"].split("; ") if name != "et al."]
            known = {letters(name.split()[-1]) for name in found["authors"]}
            count = len(found["references"])
            yield {
                "file": paper["file"],
                "title": letters(found["title"]) == letters(paper["title"]),
                "authors": sum(name in known for name in surnames) / len(surnames),
                "more authors": len(found["authors"]) - len(surnames),
                "abstract": letters(paper["abstract_start"])[:40] in letters(found["abstract"])[:200],
                "references": 1 - abs(count - int(paper["references"])) / int(paper["references"]),
                "counted": f"{count}/{paper['references']}",
                "first": letters(paper["first_reference"])[:40] in letters(found["references"][0]) if count else False,
                "last": letters(paper["last_reference"])[:40] in letters(found["references"][-1]) if count else False,
                "found": found,
            }
