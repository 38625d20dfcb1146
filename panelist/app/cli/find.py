"""`panelist find`: reviewers for one submission."""

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer
from msgspec import structs
from msgspec.structs import replace

from panelist.app.bibliographies import references_of
from panelist.app.cli.lookup import LookupOptions, PanelOptions, warn_of_unmatched
from panelist.app.cli.options import DeviceOption, JsonOption, PrecisionOption, WorkspaceOption, spread
from panelist.app.cli.output import console, print_json, show_progress, warn
from panelist.errors import InputError
from panelist.records import Author, Submission
from panelist.workspace import Workspace


@spread
def find(
    submission: Annotated[
        Path | None,
        typer.Argument(help="A file with the submission (JSON: title, abstract, authors, …).", show_default=False),
    ] = None,
    title: Annotated[str, typer.Option("--title", "-t", help="The submission's title.")] = "",
    abstract: Annotated[str, typer.Option("--abstract", "-a", help="Its abstract; '-' reads standard input.")] = "",
    id_: Annotated[
        str | None, typer.Option("--id", help="The submission's id, as --declared has it.", show_default=False)
    ] = None,
    author: Annotated[
        list[str] | None, typer.Option("--author", help="Id or name of an author, or a list of them (repeatable).")
    ] = None,
    author_name: Annotated[
        list[str] | None, typer.Option("--author-name", help="Name of an author without a known id (repeatable).")
    ] = None,
    bibliography: Annotated[
        Path | None,
        typer.Option(
            "--bibliography",
            help="What the submission cites: .bib, .ris, .nbib, .pdf, or text with one per line.",
            show_default=False,
        ),
    ] = None,
    *,
    panel_options: PanelOptions,
    output: Annotated[
        str, typer.Option("--format", "-f", help="table, json, csv, trec, openreview or conflicts.")
    ] = "table",
    json: JsonOption = False,
    workspace: WorkspaceOption = None,
    device: DeviceOption = "cpu",
    precision: PrecisionOption = "float32",
    lookup_options: LookupOptions,
) -> None:
    """Find reviewers for a submission: ranked, with the papers that make them experts.

    People with a certain conflict with the authors (--author) are left out; the last lines say whose conflicts could be
    looked for.

    **Examples**

        panelist find --title "Lipid droplets in immunity" --abstract "We show that …" -k 5

        panelist find submission.json --diversity 0.3 --country DE --country FR

        panelist find submission.json --pool committee.txt --format csv

        panelist find submission.json --bibliography manuscript.bib
    """
    from panelist.app.formats.panels import WITHOUT_FLAGS, WRITERS
    from panelist.app.formats.terminal import to_table

    output = "json" if json else output
    formats = ("table", "json", *WRITERS)
    if output not in formats:
        raise InputError(f"unknown format '{output}': use one of {', '.join(formats)}")
    wanted = panel_options.add_to(lookup_options.lookup(panel_options.size))
    asked = _submission(submission, title, abstract, author or [], author_name or [])
    if bibliography is not None:
        asked = structs.replace(asked, bibliography=asked.bibliography + references_of(bibliography, warn))
    if any(character.isspace() for character in id_ or ""):
        raise InputError(f"the id '{id_}' contains whitespace: give one word")
    if id_:
        asked = structs.replace(asked, id=id_)
    elif submission is None and len(wanted.declared) == 1:  # it can only be meant for this one
        wanted = dataclasses.replace(wanted, declared={asked.id: next(iter(wanted.declared.values()))})
    warn_of_unmatched(wanted.declared, [asked])
    from indexing.encoders.cache import EncoderLoader
    from retriever.finder import Finder

    opened, load = Workspace.at(workspace), EncoderLoader(device, precision)
    with show_progress("kernels") as progress, Finder.open(opened, progress, load=load) as finder:
        panel = finder.find(asked, wanted)
    if output == "json":
        print_json(panel)
    elif output == "table":
        console().print(to_table(panel))
    else:
        typer.echo(WRITERS[output]([panel]), nl=False)
        count = sum(bool(match.conflicts) for match in panel.matches)
        if count and output in WITHOUT_FLAGS:
            who = "1 reviewer has" if count == 1 else f"{count} reviewers have"
            warn(f"{who} a possible conflict of interest, which {output} cannot show: see --format conflicts")


def _submission(
    path: Path | None, title: str, abstract: str, authors: list[str], author_names: list[str]
) -> Submission:
    from panelist.corpus.readers.people import sorted_people, split_people
    from panelist.corpus.readers.submissions import read_submissions

    if abstract == "-":
        abstract = sys.stdin.read()
    everybody = [person for entry in authors for person in split_people(entry)]
    # A word alone may be an id of the corpus; if it is none, it is searched as a name.
    given = [Author(one, one) if isinstance(one, str) and " " not in one else one for one in everybody]
    people, names = sorted_people([*given, *(one for name in author_names for one in split_people(name) or [name])])
    if path is None:
        return Submission("submission", title, abstract, authors=people, author_names=names)
    found = read_submissions(path)
    if len(found) != 1:
        raise InputError(f"'{path}' holds {len(found)} submissions: give one, or use 'panelist run' for many")
    return replace(
        found[0],
        title=title or found[0].title,
        abstract=abstract or found[0].abstract,
        authors=found[0].authors + people,
        author_names=found[0].author_names + names,
    )
