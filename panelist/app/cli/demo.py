"""`panelist demo`: everything at once on a synthetic corpus."""

from collections import Counter
from pathlib import Path
from typing import Any

import typer

from panelist.app.cli.options import JsonOption, option
from panelist.app.cli.output import console, note, print_json, show_progress
from panelist.records import Paper
from panelist.workspace import Workspace


def demo(
    # Not the default workspace of the other commands: invented papers do not belong among real ones.
    workspace: Path = option("Directory for the demo; created where missing.", "-w", default=Path("panelist.demo")),
    json: JsonOption = False,
) -> None:
    """Show everything on a synthetic corpus: import it, index it, find a panel, and prepare a conference.

    The corpus is written to `works.jsonl` in the workspace and imported from there, as any other would be. The default
    model is fetched where it is missing. Running the command again uses what is there.

    Examples:
        panelist demo
        panelist demo --workspace /tmp/demo --json
    """
    from panelist.app.demo import submissions
    from panelist.app.demo.desk import demo_conference
    from panelist.app.demo.workspace import fill, index
    from panelist.app.formats.terminal import to_table
    from retriever.finder import Finder
    from retriever.lookup import Lookup

    opened = Workspace.at(workspace)
    papers = fill(opened)
    if not json:
        _show(papers, opened)
    with show_progress() as progress:
        index(opened, progress, note=note)
        with Finder.open(opened) as finder:
            conference = demo_conference(opened, finder, progress)
            # For the second sample submission, two of whose authors are known by name alone.
            panel = finder.find(submissions()[1], Lookup(size=5, diversity=0.2, papers=2))
    if json:
        origin = {"synthetic": True, "workspace": str(opened.path)}
        print_json({**origin, **_summarise(papers), "panel": panel, "conference": conference.id})
    else:
        console().print("\nA panel for ", style="bold", end="")
        console().print(to_table(panel))
        typer.echo(f"\nA conference is on the chair's desk: panelist serve --workspace {opened.path}, page Conferences")


def _summarise(papers: list[Paper]) -> dict[str, Any]:
    authorships = [authorship for paper in papers for authorship in paper.authorships]
    institutions = {institution for authorship in authorships for institution in authorship.institutions}
    years = [paper.year for paper in papers if paper.year]
    return {
        "papers": len(papers),
        "authors": len({authorship.author.id for authorship in authorships}),
        "institutions": len(institutions),
        "countries": sorted({institution.country for institution in institutions if institution.country}),
        "first_year": min(years),
        "last_year": max(years),
        "citations": sum(len(paper.references) for paper in papers),
        "without_abstract": sum(not paper.abstract for paper in papers),
        "topics": dict(Counter(paper.topics[0] for paper in papers).most_common()),
    }


def _show(papers: list[Paper], workspace: Workspace) -> None:
    from rich.padding import Padding
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    from panelist.app.demo import submissions

    summary = _summarise(papers)
    table = Table("topic", "papers", "", box=None, header_style="dim", pad_edge=False)
    table.columns[1].justify = "right"
    for topic, count in summary["topics"].items():
        table.add_row(topic, str(count), Text("▪" * (count // 2), "cyan"))
    sample = max(papers, key=lambda paper: (bool(paper.abstract), paper.cited_by_count, paper.id))
    authors = ", ".join(authorship.author.name for authorship in sample.authorships)
    text = Text.assemble(
        (f"{sample.title}\n", "bold"),
        (f"{authors} · {sample.venue}, {sample.year} · cited {sample.cited_by_count} times\n\n", "dim"),
        sample.abstract,
    )
    line = "{papers:,} papers ({first_year}–{last_year}), {citations:,} citations, {authors:,} authors,"
    countries = summary["countries"]
    screen = console()
    screen.print(
        Text("The demo corpus", "bold"),
        Text("Synthetic: every paper, person and institution here is invented.", "yellow"),
        line.format(**summary),
        f"{summary['institutions']} institutions in {len(countries)} countries: {' '.join(countries)}\n",
        table,
        Padding(Panel(text, title=f"most cited: {sample.id}", title_align="left", width=100), (1, 0)),
        Text("Sample submissions", "bold"),
        sep="\n",
    )
    for paper in submissions():
        screen.print(f"  {paper.id}  {paper.title}", overflow="ellipsis", no_wrap=True)
    screen.print(f"\ncorpus in {workspace.path}", style="dim", soft_wrap=True)
