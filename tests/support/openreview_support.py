"""A small venue in OpenReview's layout, and its files of scores."""

import csv
import json

NOTES = {
    "~Ada_Net1": [("n1", "Neural networks", "Deep nets learn."), ("n2", "Gradients", "Gradients train nets.")],
    "~Bob_Bee1": [("b1", "Honey bees", "Bees dance to show flowers.")],
    "~Cy_None1": [],
}
SUBMITTED = {
    "s1": {"id": "s1", "content": {"title": "Networks that dance", "abstract": "Deep nets and bees."}},
    "s2": {
        "id": "s2",
        "content": {"title": {"value": "Honey bees"}, "abstract": {"value": "Bees dance to show flowers."}},
    },
}


def make_venue(directory):
    """Three reviewers, one of them without papers, and two submissions."""
    archives = directory / "archives"
    archives.mkdir(parents=True)
    for reviewer, notes in NOTES.items():
        lines = [{"id": n, "content": {"title": title, "abstract": abstract}} for n, title, abstract in notes]
        (archives / f"{reviewer}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (directory / "submissions.json").write_text(json.dumps(SUBMITTED))
    return directory


def read_scores(path):
    """(paper, reviewer) -> score."""
    with path.open(encoding="utf-8", newline="") as file:
        return {(paper, reviewer): float(score) for paper, reviewer, score in csv.reader(file)}
