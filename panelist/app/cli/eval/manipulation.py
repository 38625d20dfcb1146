"""`panelist eval manipulation` and `collusion`: how far people can bend the order of reviewers, and who is noticed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from panelist.app.cli.eval.results import DataOption, Figures, figures_table
from panelist.app.cli.options import WorkspaceOption, option
from panelist.app.cli.output import show_progress
from panelist.config import data_dir
from panelist.errors import InputError, MissingDataError
from panelist.progress import followed
from panelist.words import counted
from panelist.workspace import Workspace

if TYPE_CHECKING:
    from eval.benchmarks.collusion import Kind
    from eval.benchmarks.manipulation import Committee

_WEIGHTS = {"lexical": 1.0, "dense": 0.0, "hybrid": 0.5}
_GROUPS: dict[Kind, tuple[tuple[int, float], ...]] = {  # sizes, and shares of bids
    "mixed": ((0, 0.0), (3, 1.0), (5, 1.0), (5, 0.5), (10, 1.0), (10, 0.5)),
    "field": ((3, 1.0), (5, 1.0), (5, 0.5), (10, 1.0), (10, 0.5)),
    "ring": ((3, 1.0), (5, 1.0)),
}
_RANKS = (101, 20)
_POOLINGS = ("discounted,5", "discounted,20", "discounted,0", "mean,0", "percentile:75,0", "max,0", "top:3,0")


def manipulation(
    corpus: str = option("elife or acl.", default="elife"),
    model: list[str] | None = option("Of lexical, dense, hybrid (repeatable) [default: lexical and hybrid]."),
    queries: int = option("How many submissions are attacked.", default=100, min=1),
    people: int = option("How many people of acl are on the committee.", default=3000, min=200),
    rare: float = option("`rare` of the hybrid model: how rare a term may count.", default=0.0, min=0, max=1),
    words: bool = option("Also add words to abstracts, under the first pooling; vectors of new texts are made."),
    workspace: WorkspaceOption = None,
    data: DataOption = None,
) -> Figures:
    """Bend the order of reviewers: by dropping papers of one's profile, and by words added to an abstract.

    Somebody at rank 101, or 20, drops papers to be among the first ten; `counted`: what is dropped counts as background
    (as `panelist affinity --curation` does). With --words, authors add fifteen words so that whoever is at rank 101 is
    among the first three. `greedy` and `best` are shares of submissions. With --workspace, its index has the vectors.

    Examples:
        panelist eval manipulation --words
        panelist eval manipulation --corpus acl --model lexical
    """
    from contextlib import ExitStack

    from eval.benchmarks.manipulation import Attacks
    from indexing.index import open_index
    from retriever.affinity.models.hybrid import HybridModel
    from retriever.affinity.pooling import ProfilePooling

    if unknown := set(chosen := model or ["lexical", "hybrid"]) - set(_WEIGHTS):
        raise InputError(f"--model is one of {', '.join(_WEIGHTS)}, received '{min(unknown)}'")
    attacked = _committee(corpus, data, queries, people)
    fewest = min(attacked.allowed.sum(axis=1).tolist(), default=0)
    if fewest < max(_RANKS):
        raise InputError(
            f"who attacks is at rank {max(_RANKS)}, but only {counted(fewest, 'person', 'people')} may review one of "
            f"{counted(len(attacked.submissions), 'submission')} of {corpus}: give data with more people"
        )
    columns = [f"{rank} {way}" for rank in _RANKS for way in ("greedy", "best", "counted")]
    names = (*columns, "words greedy", "words best")
    figures = {}
    with ExitStack() as stack, show_progress("attacks") as progress:
        index = None if workspace is None else stack.enter_context(open_index(Workspace.at(workspace).index_path))
        for name in followed(chosen, progress, "attacking"):
            attacks = Attacks(HybridModel(weight=_WEIGHTS[name], rare=rare, index=index), attacked)
            for text in _POOLINGS:
                rule, _, fill = text.rpartition(",")
                pooling = ProfilePooling.parse(rule, 0.0, int(fill))
                attempts = [attacks.drop(pooling, rank, counted=counts) for rank in _RANKS for counts in (False, True)]
                added = attacks.add_words(pooling, max(_RANKS)) if words and text == _POOLINGS[0] else None
                shares = [share for attempt in attempts for share in (attempt.greedy, attempt.optimal)]
                del shares[6], shares[2]  # where drops are counted, both ways are one
                word_shares = (None, None) if added is None else (added.greedy, added.optimal)
                figures[f"{name}, {rule}, filled up to {fill}"] = dict(zip(names, (*shares, *word_shares), strict=True))
    size = f"{len(attacked.submissions):,} submissions of {corpus}, {len(attacked.profiles):,} people"
    return Figures(figures, [figures_table(f"Shares of attacks that succeed: {size}", "model", figures, ".3f")])


def collusion(
    bids: Path | None = option("paper,reviewer,bid [default: those of AAMAS 2015 in $PANELIST_DATA]."),
    trials: int = option("Groups of each kind.", default=5, min=1),
) -> Figures:
    """Plant groups that bid on each other's papers into real bids: are they found, and who is named by mistake?

    Authors are invented: people write what is near to what they bid on. `mixed` groups are people at random, `field` of
    one field; in a `ring` of people at random everybody bids on the papers of the next one only. `overlap` is that of
    the best lead with the group; `false` is honest people in leads, of all honest people; `peeling` is the overlap of a
    published detector that knows of no fields.

    Examples:
        panelist eval collusion
        panelist eval collusion --bids bids.csv --trials 20
    """
    import numpy as np

    from eval.benchmarks.collusion import planted_collusion
    from panelist.corpus.systems.columns import BID_WORDS
    from retriever.assignment.collusion import WANTED
    from retriever.assignment.reading.scores import read_scores

    real = data_dir() / "assignment" / "aamas2015.csv.gz"
    if bids is None and not real.is_file():
        raise MissingDataError("assignment", real.parent, real.name)
    table = read_scores(bids or real, BID_WORDS)
    made = np.zeros((len(table.reviewers), len(table.papers)), dtype=np.bool_)
    made[table.reviewer, table.paper] = table.score >= WANTED
    kinds = [(kind, *group) for kind, groups in _GROUPS.items() for group in groups]
    names = ("overlap", "members", "false", "leads", "peeling")
    figures = {}
    with show_progress("groups") as progress:
        for kind, size, density in followed(kinds, progress, "planting"):
            planted = planted_collusion(made, size, density, trials, kind)
            name = f"{size}, {kind}, {density:.0%} of bids" if size else "nobody"
            figures[name] = {figure: getattr(planted, figure) for figure in names}
    size_of_all = f"{made.shape[0]:,} people, {made.shape[1]:,} papers, {trials} trials each"
    return Figures(figures, [figures_table(f"Planted groups: {size_of_all}", "group", figures, ".3f")])


def _committee(corpus: str, data: Path | None, queries: int, people: int) -> Committee:
    """Submissions and people of eLife who reviewed, or the newest papers and the most productive people of ACL."""
    import numpy as np

    from eval.benchmarks.elife.affinity import JudgedCommittee, collection_profiles
    from eval.benchmarks.elife.benchmark import ELife
    from eval.benchmarks.manipulation import Committee
    from panelist.corpus.readers import openalex
    from panelist.corpus.readers.report import ReadReport
    from panelist.records import Submission

    if corpus == "elife":
        judged = JudgedCommittee.of(ELife.read(data or data_dir() / "elife"), 4)
        sample = slice(None, None, max(len(judged.queries) // queries, 1))
        return Committee(judged.queries[sample], judged.profiles, (judged.right | judged.unrelated)[sample])
    if corpus != "acl":
        raise InputError(f"--corpus is elife or acl, received '{corpus}'")
    works = data or data_dir() / "acl" / "works"
    if not works.exists():
        raise MissingDataError("acl", works.parent, works.name)
    papers = [*openalex.read([works], ReadReport())]
    newest = max(paper.year or 0 for paper in papers)
    new = sorted((paper for paper in papers if paper.year == newest and paper.abstract), key=lambda paper: paper.id)
    new = new[:: max(len(new) // queries, 1)][:queries]
    profiles = collection_profiles([paper for paper in papers if (paper.year or newest) < newest])
    chosen = sorted(sorted(profiles, key=lambda person: (-len(profiles[person]), person))[:people])
    submissions = [Submission(paper.id, paper.title, paper.abstract) for paper in new]
    allowed = np.array([[person not in {a.author.id for a in paper.authorships} for person in chosen] for paper in new])
    return Committee(submissions, [profiles[person] for person in chosen], allowed)
