"""`panelist corpus`: look at what a workspace has, and take something out; beside it `import` and `fetch`."""

from dataclasses import asdict

from panelist.app.cli.options import WorkspaceOption, argument, group
from panelist.app.cli.output import Answer, say
from panelist.corpus.removals import Removals
from panelist.words import counted
from panelist.workspace import Workspace


def stats(workspace: WorkspaceOption = None) -> Answer:
    """Count papers, authors and papers without an abstract.

    Examples:
        panelist corpus stats
        panelist corpus stats --workspace biology.workspace --json
    """
    with Workspace.at(workspace).open_corpus() as corpus:
        counts = asdict(corpus.counts())
    return Answer(counts, (f"{count:>12,}  {name.replace('_', ' ')}" for name, count in counts.items()))


def remove(ids: list[str] = argument("Ids of papers or people."), workspace: WorkspaceOption = None) -> None:
    """Take papers or people out of the corpus for good: retractions, requests for erasure.

    A person is taken from all their papers, which stay. The next `panelist index add` carries it into the index, and no
    later import brings it back.

    Examples:
        panelist corpus remove doi:10.1234/retracted
        panelist corpus remove orcid:0000-0002-1825-0097 --workspace biology.workspace
    """
    opened = Workspace.at(workspace)
    with opened.open_corpus() as corpus:
        papers, people = Removals(opened.path).remove(corpus, ids)
    say(f"removed: {counted(papers, 'paper')}, {counted(people, 'person', 'people')}; next: panelist index add")


app = group("Look at the corpus of a workspace, and take something out of it.", stats, remove)
