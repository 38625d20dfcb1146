"""`panelist eval conflicts`, `committee`, `reviews`: how well conflicts, people and what reviews say are found."""

from eval.reports.table import table_of
from panelist.app.cli.eval.results import DataOption, Output
from panelist.app.cli.options import JsonOption, WorkspaceOption, argument, option
from panelist.app.cli.output import console, print_json
from panelist.app.cli.reviews.options import ReviewDataOption
from panelist.config import data_dir
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.workspace import Workspace


def conflicts(data: DataOption = None, *, output: Output) -> None:
    """Place the authors of 200 papers on the committee of these papers, and count who is found.

    They sit there under invented OpenReview ids, e-mail addresses or ORCIDs, under names, or initials; papers give the
    same ids in another form, or names only. Last, every name that papers print of somebody with several is looked up
    among the names of all people. The papers are those of the ACL Anthology ($PANELIST_DATA/acl), or of the
    demo where it is absent.

    Examples:
        panelist eval conflicts
        panelist eval conflicts --json
    """
    from eval.benchmarks.name_variants import name_variants
    from eval.benchmarks.planted_authors import planted_authors
    from panelist.app.demo import corpus as demo_corpus
    from panelist.corpus.readers import openalex

    folder = data or data_dir() / "acl" / "works"
    if data is None and not folder.is_dir():
        corpus, papers = "the demo", list(demo_corpus())
    else:
        corpus, papers = str(data or "the ACL Anthology"), list(openalex.read([folder], ReadReport()))
    figures = planted_authors(sorted(papers, key=lambda paper: (-(paper.year or 0), paper.id)))  # the newest first
    ids = {"by_id": "ids", "by_name": "names only"}
    rows = (
        (f"{form}, papers give {ids[way]}", row.certain, row.possible, row.missed, row.false_flags, row.others)
        for form, ways in figures.items()
        for way, row in ways.items()
    )
    names = ("certain", "possible", "missed", "others flagged", "of other pairs")
    title = f"Authors of {corpus} on the committee of their own papers"
    table = table_of(title, (("committee has", ""), *((name, "d") for name in names)), rows)
    names_found = name_variants(papers).figures
    columns = tuple((name.replace("_", " "), "d" if name in ("people", "pairs") else ".3f") for name in names_found)
    names_table = table_of("Other names of one person that papers print", columns, [tuple(names_found.values())])
    output.show({"corpus": corpus, **figures, "name_variants": names_found}, table, names_table)


def committee(
    people: int = option("How many are listed.", default=200, min=1),
    seed: int = option("Seed of who is listed.", default=1, min=0),
    workspace: WorkspaceOption = None,
    *,
    output: Output,
) -> None:
    """List people of the corpus by name with new addresses, and count who is found again; a tenth is taken for absent.

    Examples:
        panelist eval committee --workspace acl.workspace
    """
    from eval.benchmarks.committee import matched_shares
    from indexing.index import open_index

    opened = Workspace.at(workspace)
    with opened.open_corpus() as corpus, open_index(opened.index_path) as index:
        figures = matched_shares(index, corpus, people, seed)
    output.show(figures, table_of("People found by name and address", (*figures,), [tuple(figures.values())]))


def reviews(
    studies: list[str] | None = argument("Of bias, papers, reuse, scores, brief [default: all]."),
    folder: ReviewDataOption = None,
    json: JsonOption = False,
) -> None:
    """Measure on public reviews: bias on gold labels, wrong papers, reused text, text against scores, briefs.

    The taggers are measured where they are trained: `panelist train reviews`.

    Examples:
        panelist eval reviews bias
        panelist eval reviews --json
    """
    from rich.pretty import Pretty

    from eval.reviews import benchmark

    source = folder or data_dir() / "reviews"
    by_name = {"bias": benchmark.bias_study, "papers": benchmark.wrong_paper_study, "reuse": benchmark.reuse_study}
    by_name |= {"scores": benchmark.score_study, "brief": benchmark.brief_study}
    unknown = [name for name in studies or () if name not in by_name]
    if unknown:
        raise InputError(f"unknown study '{unknown[0]}': give some of {', '.join(by_name)}")
    figures = {name: study(source) for name, study in by_name.items() if not studies or name in studies}
    if json:
        print_json(figures)
        return
    screen = console()
    for name, of_study in figures.items():
        screen.print(name, style="bold")
        screen.print(Pretty(of_study, expand_all=True, max_depth=4))
