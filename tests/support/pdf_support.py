"""What the reader of PDF files finds of what stands in real papers, and in papers that LaTeX made."""

import csv
import json
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


FAULTS = {
    "title": "title not as it stands",
    "lost": "author lost or cut",
    "false": "something else as an author",
    "joined": "two authors in one",
    "empty": "abstract empty",
    "begins": "abstract begins elsewhere",
    "ends": "abstract ends elsewhere",
    "words": "words of the abstract run together",
    "references": "references more than one off",
}


def faults(directory: Path):
    """For each paper that LaTeX made, its style, the keys of `FAULTS` that were found, and what was read."""
    for line in (directory / "truth.jsonl").read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        found = guess((directory / paper["file"]).read_bytes())
        written, read = [list(map(letters, source["authors"])) for source in (paper, found)]
        abstract, told = letters(paper["abstract"]), letters(found["abstract"])
        words = set(paper["abstract"].replace("-", " ").split())
        present = {
            "title": letters(found["title"]) != letters(paper["title"]),
            "lost": bool(set(written) - set(read)),
            "false": bool(set(read) - set(written)) or len(read) != len(set(read)),
            "joined": any(sum(name in other for name in written) > 1 for other in read),
            "empty": not told,
            "begins": bool(told) and told[:25] != abstract[:25],
            "ends": bool(told) and told[-25:] != abstract[-25:],
            "words": bool(told) and len(words - set(found["abstract"].replace("-", " ").split())) > 3,
            "references": abs(len(found["references"]) - paper["references"]) > 1,
        }
        yield {"paper": paper, "faults": {key for key, value in present.items() if value}, "found": found}
