"""`panelist committee`: from the names and addresses that a chair has to people of the corpus."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from panelist.app.cli.options import WorkspaceOption, argument, group, option
from panelist.app.cli.output import Answer, show_progress
from panelist.files import check_files, write_whole
from panelist.spreadsheet import table_text
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from retriever.conference.matching import PersonMatch

ROSTER = ("reviewer", "name", "email", "orcid", "institution", "match", "evidence", "same_as")
"""The columns of the committee that is written."""
_OPEN = ("reviewer", "name", "email", "corpus_name", "papers", "years", "institution", "evidence", "titles")


def match(
    people: Path = argument("Names, e-mails, ORCIDs, affiliations: a table in any order of columns, or a list."),
    out: Path = option("Write the committee here, for affinity --reviewers.", "-o"),
    candidates: Path | None = option("Write here who may be each person that is still open, for you to choose from."),
    decided: Path | None = option("That file without the rows that are somebody else; what is left is taken."),
    workspace: WorkspaceOption = None,
) -> Answer:
    """Find the people of a list in the corpus: for certain by ORCID, address or id, else probably by name.

    A name counts where something else agrees: the institution, the address, papers with others of the list, or a name
    that hardly two people have. All others stay open. Whoever is open or not in the corpus is on the committee with the
    address or name as id and without papers, so that conflicts by name are still found. Two rows of one address in
    --decided, or of one name without any, are two profiles of one person.

    Examples:
        panelist committee match pc.csv -o reviewers.csv --candidates open.csv
        panelist committee match pc.csv -o reviewers.csv --decided open.csv
    """
    from indexing.index import open_index
    from panelist.corpus.readers.committee import read_people_list
    from panelist.corpus.readers.report import watch_files
    from retriever.conference.matching import PeopleMatcher, decisions

    check_files((out, candidates), (people, decided))
    rows = read_people_list(people)
    with watch_files():  # the columns of this file that are for people to read need no word
        chosen = {} if decided is None else decisions(read_people_list(decided))
    opened = Workspace.at(workspace)
    with opened.open_corpus() as corpus, open_index(opened.index_path) as index, show_progress("people") as progress:
        progress("matching", 0, len(rows))
        matches = PeopleMatcher(index, corpus).match(rows, chosen)
    write_whole(out, table_text(ROSTER, _roster(matches)).encode())
    if candidates is not None:
        write_whole(candidates, table_text(_OPEN, _candidates(matches)).encode())
    counts = Counter(match.state for match in matches)
    lines = [
        f"{counted(len(matches), 'person', 'people')}: {counts['certain']:,} found for certain, "
        f"{counts['probable']:,} probably, {counts['open']:,} open, {counts['none']:,} not in the corpus"
    ]
    for match in matches:
        if match.state == "open":
            row = f"line {match.person.line}, {match.person.name or match.person.email}"
            lines.append(f"open: {row}: {counted(len(match.profiles), 'person', 'people')} may be meant")
    if counts["open"] and candidates is None:
        lines.append("next: --candidates FILE lists who may be meant, and --decided FILE takes what you leave in it")
    return Answer(matches, lines)


def _roster(matches: Sequence[PersonMatch]) -> Iterator[tuple[str, ...]]:
    from retriever.conference.roster import name_on_list

    for match in matches:
        person = match.person
        columns = (person.name, person.email or "", person.orcid or "", person.institution, match.state)
        chosen = {profile.author.id: "; ".join(profile.evidence) for profile in match.profiles}
        for key in match.chosen or (person.email or name_on_list(person),):
            holder = match.chosen[0] if match.chosen and key != match.chosen[0] else ""
            yield (key, *columns, chosen.get(key, ""), holder)


def _candidates(matches: Sequence[PersonMatch]) -> Iterator[tuple[str | int, ...]]:
    for match in matches:
        for profile in match.profiles if match.state == "open" else ():
            years = "–".join(str(year) for year in (profile.first_year, profile.last_year) if year)
            person = (match.person.name, match.person.email or "", profile.author.name, profile.papers, years)
            titles = " | ".join(profile.titles)
            yield (profile.author.id, *person, profile.institution, "; ".join(profile.evidence), titles)


app = group("The people who review: find them in the corpus by name and address.", match)
