"""A conference whose authors sit on its own committee, under ids of five forms: real ACL papers, or invented ones."""

import csv
import gzip
import io
import json
import os
from pathlib import Path

import orjson

FORMS = ("openreview", "email", "orcid", "name", "initials")
PAPERS, EACH = 20, 3


def _acl():
    path = Path(os.environ.get("PANELIST_DATA", "")) / "acl/works/part_000.jsonl.gz"
    if not path.exists():
        return None
    works = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            work = orjson.loads(line)
            names = [one["author"]["display_name"] for one in work["authorships"]]
            if (
                work["publication_year"] == 2022
                and 2 <= len(names) <= 5
                and all(len(name.split()) >= 2 for name in names)
            ):
                words = sorted((at, word) for word, places in work["abstract_inverted_index"].items() for at in places)
                works.append((work["title"], " ".join(word for _, word in words), names))
            if len(works) == PAPERS:
                return works
    return works


def _invented():
    topics = (
        "parsing of rare languages",
        "translation of poems",
        "speech of children",
        "summaries of laws",
        "dialogue",
    )
    first, last = (
        ("Ana", "Bela", "Chen", "Dita", "Eva", "Finn"),
        ("Moreno", "Novak", "Okafor", "Petrov", "Quist", "Rossi"),
    )
    marks = [chr(ord("a") + number) * 2 for number in range(PAPERS)]  # OpenReview's ids end in digits, names do not
    names = [f"{one}{mark} {other}{mark}" for mark in marks for one, other in zip(first, last, strict=True)]
    return [
        (
            f"Paper {number} about {topics[number % 5]}",
            f"We study {topics[number % 5]} with method {number}.",
            names[3 * number : 3 * number + 3],
        )
        for number in range(PAPERS)
    ]


def _orcid(number):
    """An ORCID with its check digit."""
    digits, total = f"{number:015d}", 0
    for digit in digits:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    whole = digits + ("X" if check == 10 else str(check))
    return "-".join(whole[at : at + 4] for at in range(0, 16, 4))


def _initials(name):
    first, *_, last = name.split()
    return f"{first[0]}. {last}"


class Planted:
    """The files of the conference, and who wrote what: `authors` has, for every paper, ids of the committee."""

    def __init__(self):
        self.works = _acl() or _invented()
        people = list(dict.fromkeys(name for *_, names in self.works for name in names))
        self.orcids = {name: _orcid(10_000 + number) for number, name in enumerate(people)}
        self.form = {name: FORMS[number % len(FORMS)] for number, name in enumerate(people)}
        self.ids = {name: self._id(name, number) for number, name in enumerate(people)}
        self.authors = {f"s{at}": {self.ids[name] for name in names} for at, (*_, names) in enumerate(self.works)}

    def _id(self, name, number):
        return {
            "openreview": f"~{'_'.join(name.split())}{number}",
            "email": f"Person{number}@University.edu",
            "orcid": f"https://orcid.org/{self.orcids[name]}",
            "name": f"member-{number}",
            "initials": f"member-{number}",
        }[self.form[name]]

    def certain(self, name):
        """Whether the form of an author's id identifies the person."""
        return self.form[name] in ("email", "orcid")

    def submissions(self, without=()):
        """`submissions.jsonl`; some papers lose their authors."""
        lines = []
        for at, (title, abstract, names) in enumerate(self.works):
            authors = [] if f"s{at}" in without else [self._author(name, at) for name in names]
            lines.append(json.dumps({"id": f"s{at}", "title": title, "abstract": abstract, "authors": authors}))
        return "\n".join(lines).encode()

    def _author(self, name, at):
        """As submission systems give authors: with an ORCID, an e-mail address in another case, or the name alone."""
        match self.form[name]:
            case "orcid":
                return {"name": name, "orcid": self.orcids[name]}
            case "email":
                return {"name": name, "email": self.ids[name].lower()}
        return {"name": name}

    def expertise(self):
        """`expertise.csv`: papers of everybody, near to those of the submissions that they did not write."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["reviewer", "paper", "title", "abstract"])
        for number, who in enumerate(self.ids.values()):
            for other in range(EACH):
                title, abstract, _ = self.works[(number + other * 3) % len(self.works)]
                writer.writerow([who, f"old-{number}-{other}", f"Earlier notes {number} on {title}", abstract])
        return out.getvalue().encode()

    def people(self):
        """`reviewers.csv`: names and initials of those whose ids say nothing."""
        out = io.StringIO()
        writer = csv.writer(out)
        writer.writerow(["reviewer", "name"])
        for name, who in self.ids.items():
            writer.writerow([who, {"name": name, "initials": _initials(name)}.get(self.form[name], "")])
        return out.getvalue().encode()
