"""The whole check: every review, every paper, every reviewer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eval.reviews.checks.content import ReviewContent, balance, contents
from eval.reviews.checks.habits import ReviewerHabits, habits
from eval.reviews.checks.hints import HINT_KINDS, Hint, HintKind, find_hints
from eval.reviews.checks.reuse import SharedText, find_shared_text
from eval.reviews.checks.wrong_paper import PaperMatch, match_papers
from eval.reviews.reading.records import ReviewFile, ReviewText
from eval.reviews.tagging.tagger import TaggedReview, Tagger
from panelist.progress import Progress, silent
from panelist.records import Submission

OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class Position:
    """What one review says about one aspect, in which sentences; a polarity of −1 is all criticism, 1 all praise."""

    review: str
    polarity: float
    positive: tuple[int, ...]
    negative: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Dispute:
    """An aspect on which one review mostly praises and another mostly criticises; `spread` is from 0 to 2."""

    aspect: str
    spread: float
    positions: tuple[Position, ...]


@dataclass(frozen=True, slots=True)
class PaperView:
    """The reviews of one paper beside each other."""

    paper: str
    reviews: tuple[str, ...]
    scores: tuple[float | None, ...]
    score_spread: float | None  # greatest minus least score; None where fewer than two reviews have one
    calibrated: float | None  # the paper's score after the reviewers' offsets are taken out, where it can be computed
    polarity: float | None  # the mean polarity of the reviews; text does not enter the calibrated score
    aspects: dict[str, int]
    uncovered: tuple[str, ...]  # aspects that every review is said to leave out
    disputes: tuple[Dispute, ...]


def disputes(tagged: Sequence[TaggedReview]) -> tuple[Dispute, ...]:
    """What the reviews of one paper disagree on: some mostly positive, some mostly negative."""
    disputed = []
    for aspect in (OVERALL, *tagged[0].presence):
        positions = tuple(filter(None, (_position(each, aspect) for each in tagged)))
        signs = [position.polarity for position in positions]
        if len(signs) > 1 and max(signs) > 0 > min(signs):
            disputed.append(Dispute(aspect, round(max(signs) - min(signs), 3), positions))
    return tuple(sorted(disputed, key=lambda dispute: (-dispute.spread, dispute.aspect)))


def _position(tagged: TaggedReview, aspect: str) -> Position | None:
    """None where the review says nothing good or bad about the aspect."""
    numbers: dict[str, list[int]] = {"positive": [], "negative": []}
    for number, each in enumerate(tagged.sentences):
        about = not each.sentence.is_heading and (aspect == OVERALL or aspect in each.aspects)
        if about and each.polarity in numbers:
            numbers[each.polarity].append(number)
    polarity = balance(len(numbers["positive"]), len(numbers["negative"]))
    if polarity is None:
        return None
    return Position(tagged.review.id, round(polarity, 3), tuple(numbers["positive"]), tuple(numbers["negative"]))


_FEWEST_FOR_CALIBRATION = 10  # reviews


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check; `contents` are in the order of `tagged`, `papers` in order of their first reviews.

    There are no `matches` without submissions, and no `hints` and `hint_kinds` unless asked for. `messages` say what
    the reader should know about the whole.
    """

    tagged: tuple[TaggedReview, ...]
    contents: tuple[ReviewContent, ...]
    papers: tuple[PaperView, ...]
    reviewers: tuple[ReviewerHabits, ...]
    matches: tuple[PaperMatch, ...]
    shared: tuple[SharedText, ...]
    hints: tuple[Hint, ...]
    hint_kinds: tuple[HintKind, ...]
    messages: tuple[str, ...]


def check_reviews(
    file: ReviewFile,
    tagger: Tagger,
    papers: Sequence[Submission] | None = None,
    *,
    hints: bool = False,
    progress: Progress = silent,
) -> Check:
    """Check all reviews of a file, against the submissions in the file itself unless others are given.

    Raises:
        ModelError: the tagger does not answer everything that is asked of it here.
    """
    submissions = list(papers if papers is not None else file.papers)
    tagged = tuple(tagger.tag(file.reviews, progress))
    summaries = tuple(contents(tagged, tagger.model.decisions[tagger.kind]["aspects"]))
    return Check(
        tagged,
        summaries,
        tuple(_papers(tagged, summaries)),
        tuple(habits(summaries)),
        tuple(match_papers(file.reviews, submissions)) if submissions else (),
        tuple(find_shared_text(file.reviews)),
        tuple(find_hints(tagged, summaries)) if hints else (),
        HINT_KINDS if hints else (),
        tuple(_messages(file.reviews, submissions)),
    )


def _papers(tagged: Sequence[TaggedReview], summaries: Sequence[ReviewContent]) -> list[PaperView]:
    calibrated = _calibrated(summaries)
    groups: dict[str, list[int]] = {}
    for number, content in enumerate(summaries):
        groups.setdefault(content.paper, []).append(number)
    views = []
    for paper, members in groups.items():
        own = [summaries[n] for n in members]
        scores = [c.score for c in own]
        given_scores = [score for score in scores if score is not None]
        tones = [c.polarity for c in own if c.polarity is not None]
        aspects = dict(Counter(name for c in own for name in c.aspects))
        omitted = [set(c.omitted) for c in own if c.sentences]
        views.append(
            PaperView(
                paper,
                tuple(c.review for c in own),
                tuple(scores),
                max(given_scores) - min(given_scores) if len(given_scores) > 1 else None,
                calibrated.get(paper),
                round(sum(tones) / len(tones), 3) if tones else None,
                aspects,
                tuple(sorted(set.intersection(*omitted))) if omitted else (),
                disputes([tagged[n] for n in members]),
            )
        )
    return views


def _calibrated(summaries: Sequence[ReviewContent]) -> dict[str, float]:
    """Calibrated scores of papers, from scores alone; empty where reviewers are unknown or have one review each."""
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.reviews import table_of
    from eval.calibration.summary import summarise
    from panelist.records import Review

    scored = [c for c in summaries if c.score is not None and c.reviewer]
    pairs = {(c.paper, c.reviewer) for c in scored}
    reviewers = {c.reviewer for c in scored}
    if len(scored) < _FEWEST_FOR_CALIBRATION or len(pairs) < len(scored) or len(reviewers) == len(scored):
        return {}
    table = table_of(Review(c.paper, c.reviewer, float(c.score or 0)) for c in scored)
    if float(table.scores.std()) == 0:
        return {}
    summary = summarise(ReviewCalibrator().fit(table), samples=1)
    return {row.paper: round(row.score, 4) for row in summary.papers}


def _messages(reviews: Sequence[ReviewText], papers: Sequence[Submission]) -> list[str]:
    messages = []
    untagged = [review for review in reviews if not review.tagged]
    if untagged:
        messages.append(f"{len(untagged):,} of {len(reviews):,} reviews are not tagged: empty, or not in English")
    if not papers:
        messages.append("no submissions were given (papers), so no review is compared with its paper")
    if not any(review.reviewer for review in reviews):
        messages.append("the file names no reviewers, so nothing is said about their habits")
    if not any(review.score is not None for review in reviews):
        messages.append("no review has a score")
    return messages
