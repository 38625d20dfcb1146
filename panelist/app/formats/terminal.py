"""A panel as a table for a person at a terminal."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from panelist.records import Coverage, Match, Panel
from panelist.words import counted, first_of

_WAYS = {
    "lexical": "words",
    "dense": "meaning",
    "cited": "citation",
    "shared": "shared references",
    "person": "its authors",
}


def to_table(panel: Panel) -> RenderableType:
    """The panel for a person at a terminal."""
    if panel.coverage is Coverage.NONE:
        names = first_of([match.author.name for match in panel.matches])
        nearest = Text(f"the nearest people, who hardly work on it: {names}", "dim")
        return Group(Text(panel.submission.title, "bold"), Text(panel.evidence, "bold yellow"), nearest)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 1, 0))
    table.add_column("", justify="right", style="dim")
    table.add_column("reviewer", ratio=2)
    table.add_column("papers, each with its score and its share of the reviewer's", ratio=5)
    for match in panel.matches:
        table.add_row(str(match.rank), _person_cell(match), _why(match))
    diversity = panel.diversity
    lines = [
        Text(
            f"{counted(diversity.institutions, 'institution')}, "
            f"{counted(diversity.countries, 'country', 'countries')}"
            + (
                f"; {panel.relevance_cost:.0%} of the relevance is given up for diversity"
                if panel.relevance_cost >= 0.005
                else ""
            ),
            style="dim",
        )
    ]
    lines.insert(0, Text(panel.evidence, "yellow" if panel.coverage is Coverage.THIN else "dim"))
    if panel.hidden:
        people = len({conflict.reviewer for conflict in panel.hidden})
        lines.append(Text(f"hidden for a conflict of interest: {people}", "yellow"))
        lines += [Text(f"  {conflict.reviewer}: {conflict.evidence}", "dim") for conflict in panel.hidden]
    if panel.held_back:
        people = len({conflict.reviewer for conflict in panel.held_back})
        subject = "1 person who" if people == 1 else f"{people} people who"
        lines.append(
            Text(f"held back: {subject} may be an author (--not-author ID: this is another person)", "bold yellow")
        )
        lines += [Text(f"  {conflict.reviewer}: {conflict.evidence}", "yellow") for conflict in panel.held_back]
    checked = panel.conflicts_checked
    unsure = "yellow" if checked.matched or checked.by_name else "bold red"
    lines.append(Text(checked.words, "dim" if checked.complete else unsure))
    lines += [Text(f"note: {note}", "yellow") for note in panel.notes]
    return Group(Text(panel.submission.title, "bold"), Text(), table, *lines)


def _person_cell(match: Match) -> RenderableType:
    institution = match.institutions[0] if match.institutions else None
    home = ", ".join(filter(None, (institution.name, institution.country))) if institution else "institution unknown"
    years = "" if match.first_year is None else f", {match.first_year}–{match.last_year}"
    graded = f" · {match.confidence} confidence" if match.confidence else ""
    text = Text.assemble(
        (match.author.name, "bold"),
        f"\n{home}\n",
        (f"{counted(match.paper_count, 'paper')}{years}, cited {counted(match.citation_count, 'time')}\n", "dim"),
        (f"score {match.score:.3f} · by {', '.join(_WAYS[way] for way in match.found_by)}{graded}", "dim"),
    )
    if match.lifted_by:
        text.append(f"\nlifted by {'; '.join(match.lifted_by)}", "dim")
    for words in (*match.references, *match.history):
        text.append(f"\n{words}", "green")
    for conflict in match.conflicts:
        text.append(f"\n{'' if conflict.certain else 'possible '}conflict: {conflict.evidence}", "red")
    return text


def _why(match: Match) -> RenderableType:
    text = Text()
    for row, matched in enumerate(match.papers):
        paper = matched.paper
        venue_and_year = ", ".join(str(value) for value in (paper.venue, paper.year) if value)
        text.append(f"{'' if row == 0 else chr(10)}{paper.title}")
        text.append(f" ({venue_and_year})" if venue_and_year else "", "dim")
        text.append(f" {matched.score:.2f}", "cyan")
        text.append(f" {matched.share:.0%}", "dim")
        if matched.terms:
            text.append(f"\n  {' · '.join(matched.terms)}", "green")
        if matched.sentence:
            text.append(f"\n  “{matched.sentence}”", "italic dim")
    return text
