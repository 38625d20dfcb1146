"""`panelist eval conflicts`, `committee`, `coverage`, `reviews`: how well these are found, and what reviews say."""

from itertools import chain
from pathlib import Path
from typing import Any

from eval.reports.table import table_of
from panelist.app.cli.eval.results import DataOption, Figures
from panelist.app.cli.options import WorkspaceOption, argument, option
from panelist.app.cli.output import Answer, show_progress
from panelist.app.cli.reviews.measures import ReviewDataOption
from panelist.config import data_dir
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.workspace import Workspace


def conflicts(data: DataOption = None) -> Figures:
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
        (f"{form}, papers give {ids[way]}", row.certain, row.possible, row.missed, row.false_flags, row.strangers)
        for form, ways in figures.items()
        for way, row in ways.items()
    )
    names = ("certain", "possible", "missed", "others flagged", "of other pairs")
    title = f"Authors of {corpus} on the committee of their own papers"
    table = table_of(title, (("committee has", ""), *((name, "d") for name in names)), rows)
    names_found = name_variants(papers).figures
    columns = tuple((name.replace("_", " "), "d" if name in ("people", "pairs") else ".3f") for name in names_found)
    names_table = table_of("Other names of one person that papers print", columns, [tuple(names_found.values())])
    return Figures({"corpus": corpus, **figures, "name_variants": names_found}, [table, names_table])


def committee(
    people: int = option("How many are listed.", default=200, min=1),
    seed: int = option("Seed of who is listed.", default=1, min=0),
    workspace: WorkspaceOption = None,
) -> Figures:
    """List people of the corpus by name with new addresses, and count who is found again; a tenth is taken for absent.

    Examples:
        panelist eval committee --workspace acl.workspace
    """
    from eval.benchmarks.committee import matched_shares
    from indexing.index import open_index

    opened = Workspace.at(workspace)
    with opened.open_corpus() as corpus, open_index(opened.index_path) as index:
        figures = matched_shares(index, corpus, people, seed)
    return Figures(figures, [table_of("People found by name and address", (*figures,), [tuple(figures.values())])])


def coverage(
    elife: Path | None = option("Workspace of eLife's papers up to 2018 [default: in the user's cache]."),
    acl: Path | None = option("Workspace of the sample of the ACL Anthology [default: in the user's cache]."),
) -> Figures:
    """Submit papers of eLife and of the ACL Anthology to an index of either field, and count what they are told.

    `none` says that no paper of the index is near. The first time both collections are indexed, which takes a while.
    `cited` is the share of the first ten who are marked as cited by submissions with references.

    Examples:
        panelist eval coverage
    """
    from eval.benchmarks.coverage import Covered, Field, separation
    from eval.benchmarks.lookup import open_benchmark

    fields = (Field.elife(data_dir() / "elife"), Field.acl(data_dir() / "acl"))
    workspaces = (("elife-lucene", elife), ("acl-sample", acl))
    figures: dict[str, dict[str, Any]] = {}
    with show_progress("submissions") as progress:
        for home, (name, workspace) in zip(fields, workspaces, strict=True):
            with open_benchmark(name, home.collection, progress, workspace) as finder:
                covered = {field.name: Covered.look_up(finder, field.submissions, progress) for field in fields}
            other_field = next(field.name for field in fields if field is not home)
            measured = {name: result.figures() for name, result in covered.items()}
            figures[home.name] = {**measured, "auc": separation(covered[home.name], covered[other_field])}
    columns = ("index", "submissions", ("", ",.0f"), "none", "thin", "good", "cited", "AUC")
    rows = (
        (index, name, *result[name].values(), result["auc"])
        for index, result in figures.items()
        for name in (field.name for field in fields)
    )
    return Figures(figures, [table_of("Whether anybody here works on it", columns, rows)])


def reviews(
    studies: list[str] | None = argument("Of bias, papers, reuse, scores, brief [default: all]."),
    folder: ReviewDataOption = None,
) -> Answer:
    """Measure on public reviews: bias on gold labels, wrong papers, reused text, text against scores, briefs.

    The taggers are measured where they are trained: `panelist train reviews`.

    Examples:
        panelist eval reviews bias
        panelist eval reviews --json
    """
    from rich.pretty import Pretty
    from rich.text import Text

    from eval.reviews import benchmark

    source = folder or data_dir() / "reviews"
    by_name = {"bias": benchmark.bias_study, "papers": benchmark.wrong_paper_study, "reuse": benchmark.reuse_study}
    by_name |= {"scores": benchmark.score_study, "brief": benchmark.brief_study}
    unknown = [name for name in studies or () if name not in by_name]
    if unknown:
        raise InputError(f"unknown study '{unknown[0]}': give some of {', '.join(by_name)}")
    figures = {name: study(source) for name, study in by_name.items() if not studies or name in studies}
    parts = ((Text(name, "bold"), Pretty(study, expand_all=True, max_depth=4)) for name, study in figures.items())
    return Answer(figures, chain.from_iterable(parts))
