"""Panels as text files: CSV for people, TREC run and OpenReview CSV for programs.

Neither a TREC run nor OpenReview's scores can flag a possible conflict of interest: `conflicts` is a file for that.
"""

from collections.abc import Iterable
from itertools import chain

from panelist.records import Institution, Panel
from panelist.spreadsheet import csv_text, table_text

CSV_COLUMNS = (
    *("submission", "rank", "reviewer", "name", "score", "institution", "country", "papers", "citations"),
    *("found_by", "conflicts", "matching_papers", "confidence", "references"),
)


def to_csv(panels: Iterable[Panel]) -> str:
    """One line per reviewer, with a header."""
    nowhere = Institution("")
    rows = (
        [
            *(panel.submission.id, match.rank, match.author.id, match.author.name, f"{match.score:.6f}"),
            *(institution.name, institution.country or "", match.paper_count, match.citation_count),
            "+".join(match.found_by),
            "; ".join(conflict.evidence for conflict in match.conflicts),
            " ".join(matched.paper.id for matched in match.papers),
            *(match.confidence or "", "; ".join(match.references)),
        ]
        for panel in panels
        for match in panel.matches
        for institution in match.institutions[:1] or (nowhere,)
    )
    return table_text(CSV_COLUMNS, rows)


def to_trec(panels: Iterable[Panel]) -> str:
    """`qid Q0 docid rank score tag`; a re-ranked panel's scores follow its order, so that trec_eval keeps it."""
    from eval.runs import Run
    from eval.trec import run_lines

    rankings = {panel.submission.id: [(match.author.id, match.score) for match in panel.matches] for panel in panels}
    return "".join(run_lines(Run.of_lists(rankings, "panelist")))


def to_openreview(panels: Iterable[Panel]) -> str:
    """`submission,reviewer,score`, without a header, scores in full precision."""
    return csv_text((panel.submission.id, match.author.id, match.score) for panel in panels for match in panel.matches)


def to_conflicts(panels: Iterable[Panel]) -> str:
    """`paper,reviewer,-1,evidence` of all flagged reviewers, and of those held back: what other formats cannot say."""
    from retriever.conference.conflicts.declared import evidence_lines

    return evidence_lines(
        conflict
        for panel in panels
        for conflict in chain(panel.held_back, *(match.conflicts for match in panel.matches))
    )


WRITERS = {"csv": to_csv, "trec": to_trec, "openreview": to_openreview, "conflicts": to_conflicts}
"""The formats of files by name."""

WITHOUT_FLAGS = ("trec", "openreview")  # the formats that cannot say who has a possible conflict of interest
