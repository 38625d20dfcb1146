"""Files of a gold standard of our own making, in the layout of the release."""

import gzip


def write_gz(path, records):
    """Lines, gzipped."""
    path.write_bytes(gzip.compress("".join(f"{record}\n" for record in records).encode()))


def write_ratings(root, ratings):
    """The file of who rated what: participant -> paper -> expertise, at most ten papers each."""
    columns = [f"Paper{i}" for i in range(1, 11)] + [f"Expertise{i}" for i in range(1, 11)]
    rows = ["\t".join(["ParticipantID", *columns])]
    for participant, papers in ratings.items():
        padding = [""] * (10 - len(papers))
        rows.append("\t".join([participant, *papers, *padding, *map(str, papers.values()), *padding]))
    (root / "evaluations.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
