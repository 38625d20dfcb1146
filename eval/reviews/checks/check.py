"""The whole check: every review, every paper, every reviewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from eval.reviews.checks.content import ReviewContent, contents
from eval.reviews.checks.disagreement import PaperView, disputes
from eval.reviews.checks.habits import ReviewerHabits, habits
from eval.reviews.checks.hints import Hint, HintKind, find_hints, kinds
from eval.reviews.checks.reuse import SharedText, find_shared_text
from eval.reviews.checks.wrong_paper import PaperMatch, match_papers
from eval.reviews.reading.records import ReviewFile, ReviewText
from eval.reviews.tagging.tagger import TaggedReview, Tagger
from panelist.progress import Progress, silent
from panelist.records import Submission

_FEWEST_FOR_CALIBRATION = 10  # reviews


@dataclass(frozen=True, slots=True)
class Check:
    """What was found.

    Attributes:
        tagged: every review with its tags.
        contents: every review in figures, in the same order.
        papers: every paper, in order of its first review.
        reviewers: every reviewer that the file names.
        matches: whether each review is about its paper; empty where there are no submissions.
        shared: reviews with text in common.
        hints: what might be looked at; empty unless asked for.
        hint_kinds: the kinds with their error rates; empty unless asked for.
        messages: what the reader should know about the whole.
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
    """Check all reviews of a file.

    Args:
        file: the reviews.
        tagger: of their sentences.
        papers: all submissions; those in the file itself by default.
        hints: whether to look for hints too.
        progress: called while sentences are tagged.

    Raises:
        ModelError: the tagger does not answer everything that is asked of it here.
    """
    submissions = list(papers if papers is not None else file.papers)
    tagged = tuple(tagger.tag(file.reviews, progress))
    found = tuple(contents(tagged, tagger.model.decisions[tagger.kind]["aspects"]))
    card = tagger.model.card
    return Check(
        tagged,
        found,
        tuple(_papers(tagged, found)),
        tuple(habits(found)),
        tuple(match_papers(file.reviews, submissions)) if submissions else (),
        tuple(find_shared_text(file.reviews)),
        tuple(find_hints(tagged, found, card, tagger.kind)) if hints else (),
        tuple(kinds(card, tagger.kind)) if hints else (),
        tuple(_messages(file.reviews, submissions)),
    )


def _papers(tagged: Sequence[TaggedReview], found: Sequence[ReviewContent]) -> list[PaperView]:
    calibrated = _calibrated(found)
    groups: dict[str, list[int]] = {}
    for number, content in enumerate(found):
        groups.setdefault(content.paper, []).append(number)
    views = []
    for paper, members in groups.items():
        own = [found[n] for n in members]
        scores = [c.score for c in own]
        known = [score for score in scores if score is not None]
        tones = [c.polarity for c in own if c.polarity is not None]
        aspects = dict(Counter(name for c in own for name in c.aspects))
        omitted = [set(c.omitted) for c in own if c.sentences]
        views.append(
            PaperView(
                paper,
                tuple(c.review for c in own),
                tuple(scores),
                max(known) - min(known) if len(known) > 1 else None,
                calibrated.get(paper),
                round(sum(tones) / len(tones), 3) if tones else None,
                aspects,
                tuple(sorted(set.intersection(*omitted))) if omitted else (),
                disputes([tagged[n] for n in members]),
            )
        )
    return views


def _calibrated(found: Sequence[ReviewContent]) -> dict[str, float]:
    """Calibrated scores of papers, from scores alone; empty where reviewers are unknown or have one review each."""
    from eval.calibration.calibrator import ReviewCalibrator
    from eval.calibration.reviews import table_of
    from eval.calibration.summary import summarise
    from panelist.records import Review

    scored = [c for c in found if c.score is not None and c.reviewer]
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
        messages.append("no submissions were given (--papers), so no review is compared with its paper")
    if not any(review.reviewer for review in reviews):
        messages.append("the file names no reviewers, so nothing is said about their habits")
    if not any(review.score is not None for review in reviews):
        messages.append("no review has a score")
    return messages
