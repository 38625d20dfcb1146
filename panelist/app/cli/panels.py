"""Panels in the formats that people and programs read: table, JSON, CSV, TREC run."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from panelist.errors import InputError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eval.runs import Run
    from panelist.records import Match, Panel

FORMATS = ("table", "json", "csv", "trec")

CSV_COLUMNS = (
    *("submission", "rank", "reviewer", "name", "score", "institution", "country", "papers", "citations"),
    *("found_by", "conflicts", "matching_papers"),
)


def check_format(name: str) -> None:
    """Refuse an unknown format before any work is done."""
    if name not in FORMATS:
        raise InputError(f"unknown format '{name}': use one of {', '.join(FORMATS)}")


def to_csv(panels: Iterable[Panel]) -> str:
    """One line a reviewer, with a header."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for panel in panels:
        for match in panel.matches:
            place = match.institutions[0] if match.institutions else None
            writer.writerow(
                [
                    panel.submission.id,
                    match.rank,
                    match.author.id,
                    match.author.name,
                    f"{match.score:.6f}",
                    place.name if place else "",
                    (place.country if place else None) or "",
                    match.paper_count,
                    match.citation_count,
                    "+".join(match.found_by),
                    "; ".join(conflict.evidence for conflict in match.conflicts),
                    " ".join(matched.paper.id for matched in match.papers),
                ]
            )
    return out.getvalue()


def to_trec(panels: Iterable[Panel], tag: str = "panelist") -> str:
    """`qid Q0 docid rank score tag`; a re-ranked panel's scores follow its order, so that trec_eval keeps it."""
    from eval.runs import run_lines

    rankings = {panel.submission.id: [(match.author.id, match.score) for match in panel.matches] for panel in panels}
    return "".join(run_lines(to_run(rankings, tag)))


def to_run(rankings: Mapping[str, Sequence[tuple[str, float]]], tag: str) -> Run:
    """A run of (reviewer, score) for each submission, in this order; no score exceeds the one before."""
    import numpy as np

    from eval.runs import Run

    places: dict[str, int] = {}
    shape = (len(rankings), max(map(len, rankings.values()), default=0))
    docs, scores = np.full(shape, -1, dtype=np.int64), np.zeros(shape)
    for row, ranking in enumerate(rankings.values()):
        docs[row, : len(ranking)] = [places.setdefault(reviewer, len(places)) for reviewer, _ in ranking]
        # Diversity may put a lower score first: evaluators sort by score, so each is capped by the one before.
        scores[row, : len(ranking)] = np.minimum.accumulate([score for _, score in ranking])
    return Run.of_rankings(list(rankings), list(places), docs, scores, tag)


def to_table(panel: Panel) -> RenderableType:
    """The panel for a person at a terminal."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 1, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("reviewer", ratio=2)
    table.add_column("why", ratio=5)
    for match in panel.matches:
        table.add_row(str(match.rank), _who(match), _why(match))
    diversity = panel.diversity
    lines = [
        Text(
            f"{_count(diversity.institutions, 'institution')}, {_count(diversity.countries, 'country', 'countries')}, "
            f"σ papers {diversity.sigma_papers:.1f}, σ citations {diversity.sigma_citations:.1f}; "
            f"relevance given up for diversity {panel.relevance_cost:.0%}",
            style="dim",
        )
    ]
    if panel.hidden:
        lines.append(
            Text(f"hidden for a conflict of interest: {len({one.reviewer for one in panel.hidden})}", "yellow")
        )
        lines += [Text(f"  {one.reviewer}: {one.evidence}", "dim") for one in panel.hidden]
    lines += [Text(f"note: {note}", "yellow") for note in panel.notes]
    return Group(Text(panel.submission.title, "bold"), Text(), table, *lines)


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _who(match: Match) -> RenderableType:
    from rich.text import Text

    place = match.institutions[0] if match.institutions else None
    where = f"{place.name}{f', {place.country}' if place.country else ''}" if place else "institution unknown"
    years = "" if match.first_year is None else f", {match.first_year}–{match.last_year}"
    text = Text.assemble(
        (match.author.name, "bold"),
        f"\n{where}\n",
        (f"{_count(match.paper_count, 'paper')}{years}, cited {_count(match.citation_count, 'time')}\n", "dim"),
        (f"score {match.score:.3f} · {' + '.join(match.found_by)}", "dim"),
    )
    for conflict in match.conflicts:
        text.append(f"\n{'' if conflict.certain else 'possible '}conflict: {conflict.evidence}", "red")
    return text


def _why(match: Match) -> RenderableType:
    from rich.text import Text

    text = Text()
    for row, matched in enumerate(match.papers):
        paper = matched.paper
        about = ", ".join(str(part) for part in (paper.venue, paper.year) if part)
        text.append(f"{'' if row == 0 else chr(10)}{paper.title}")
        text.append(f" ({about})" if about else "", "dim")
        text.append(f" {matched.score:.2f}", "cyan")
        text.append(f" {matched.share:.0%}", "dim")
        if matched.terms:
            text.append(f"\n  {' · '.join(matched.terms)}", "green")
        if matched.sentence:
            text.append(f"\n  “{matched.sentence}”", "italic dim")
    return text
