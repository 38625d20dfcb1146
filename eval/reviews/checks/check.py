"""The whole check: every review, every paper, every reviewer."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eval.reviews.checks.content import ReviewContent, balance, contents
from eval.reviews.checks.hints import HINT_KINDS, Hint, HintKind, find_hints
from eval.reviews.checks.reuse import SharedText, find_shared_text
from eval.reviews.checks.wrong_paper import PaperMatch, match_papers
from eval.reviews.reading.files import ReviewFile, ReviewText
from eval.reviews.tagging.tagger import TaggedReview, Tagger
from panelist.progress import Progress, silent
from panelist.records import Submission

OVERALL = "overall"
_MEASURED = (
    "words", "aspects", "strengths", "weaknesses", "requests", "questions", "pointers", "polarity", "score",
)  # fmt: skip
_NOTABLE = 2.0  # standard errors from the venue's mean


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


@dataclass(frozen=True, slots=True)
class Habit:
    """A reviewer's mean of one figure, the venue's, and how many standard errors lie between them."""

    name: str
    mean: float
    venue: float
    deviation: float


@dataclass(frozen=True, slots=True)
class ReviewerHabits:
    """One reviewer; `notable` lists what differs by two standard errors or more, `note` says why nothing is said."""

    reviewer: str
    reviews: int
    habits: tuple[Habit, ...] = ()
    notable: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check."""

    tagged: tuple[TaggedReview, ...]
    contents: tuple[ReviewContent, ...]  # in the order of `tagged`
    papers: tuple[PaperView, ...]  # in the order of their first reviews
    reviewers: tuple[ReviewerHabits, ...]
    matches: tuple[PaperMatch, ...]  # none without submissions
    shared: tuple[SharedText, ...]
    hints: tuple[Hint, ...]  # these and their kinds only where they are asked for
    hint_kinds: tuple[HintKind, ...]
    messages: tuple[str, ...]  # what the reader should know about the whole


def check_texts(
    file: ReviewFile,
    tagger: Tagger,
    papers: Sequence[Submission] | None = None,
    *,
    calibrated: Mapping[str, float],
    hints: bool = False,
    progress: Progress = silent,
) -> Check:
    """What `eval.checking.check_reviews` returns; `calibrated` are scores of papers."""
    submissions = list(papers if papers is not None else file.papers)
    tagged = tuple(tagger.tag(file.reviews, progress))
    summaries = tuple(contents(tagged, tagger.model.decisions[tagger.kind]["aspects"]))
    return Check(
        tagged,
        summaries,
        tuple(_papers(tagged, summaries, calibrated)),
        tuple(_reviewers(summaries)),
        tuple(match_papers(file.reviews, submissions)) if submissions else (),
        tuple(find_shared_text(file.reviews)),
        tuple(find_hints(tagged, summaries)) if hints else (),
        HINT_KINDS if hints else (),
        tuple(_messages(file.reviews, submissions)),
    )


def _papers(
    tagged: Sequence[TaggedReview], summaries: Sequence[ReviewContent], calibrated: Mapping[str, float]
) -> list[PaperView]:
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for number, content in enumerate(summaries):
        groups[content.paper].append(number)
    views = []
    for paper, members in groups.items():
        contents = [summaries[n] for n in members]
        scores = [c.score for c in contents]
        present = [score for score in scores if score is not None]
        tones = [c.polarity for c in contents if c.polarity is not None]
        omitted = [set(c.omitted) for c in contents if c.sentences]
        views.append(
            PaperView(
                paper,
                tuple(c.review for c in contents),
                tuple(scores),
                max(present) - min(present) if len(present) > 1 else None,
                calibrated.get(paper),
                round(sum(tones) / len(tones), 3) if tones else None,
                dict(Counter(name for c in contents for name in c.aspects)),
                tuple(sorted(set.intersection(*omitted))) if omitted else (),
                _disputes([tagged[n] for n in members]),
            )
        )
    return views


def _disputes(tagged: Sequence[TaggedReview]) -> tuple[Dispute, ...]:
    """What the reviews of one paper disagree on: some mostly positive, some mostly negative."""
    disputed = []
    for aspect in (OVERALL, *tagged[0].presence):
        positions = []
        for review in tagged:
            about = [
                (number, sentence.polarity)
                for number, sentence in enumerate(review.sentences)
                if not sentence.sentence.is_heading and (aspect == OVERALL or aspect in sentence.aspects)
            ]
            positive, negative = (
                tuple(number for number, polarity in about if polarity == sign) for sign in ("positive", "negative")
            )
            polarity = balance(len(positive), len(negative))
            if polarity is not None:
                positions.append(Position(review.review.id, round(polarity, 3), positive, negative))
        signs = [position.polarity for position in positions]
        if len(signs) > 1 and max(signs) > 0 > min(signs):
            disputed.append(Dispute(aspect, round(max(signs) - min(signs), 3), tuple(positions)))
    return tuple(sorted(disputed, key=lambda dispute: (-dispute.spread, dispute.aspect)))


def _reviewers(contents: Sequence[ReviewContent]) -> list[ReviewerHabits]:
    """The habits of every reviewer that the file names, in order of name."""
    usable = [content for content in contents if content.sentences]
    venue = {name: _values(usable, name) for name in _MEASURED}
    return [
        _reviewer(reviewer, [content for content in usable if content.reviewer == reviewer], venue)
        for reviewer in sorted({content.reviewer for content in contents if content.reviewer})
    ]


def _values(contents: Sequence[ReviewContent], name: str) -> list[float]:
    """One figure of the reviews that have it; aspects and pointers are counted."""
    if name == "aspects":
        return [float(len(content.aspects)) for content in contents]
    if name == "pointers":
        return [float(sum(content.pointers.values())) for content in contents]
    return [float(value) for content in contents if (value := getattr(content, name)) is not None]


def _reviewer(reviewer: str, written: Sequence[ReviewContent], venue: dict[str, list[float]]) -> ReviewerHabits:
    count = len(written)
    if count < 2:
        return ReviewerHabits(reviewer, count, note="one review shows no habit" if written else "no review to tag")
    habits, notable = [], []
    for name, all_values in venue.items():
        values = _values(written, name)
        spread = float(np.std(all_values)) if all_values else 0.0
        if values and spread > 0:
            mean, usual = float(np.mean(values)), float(np.mean(all_values))
            deviation = round(float((mean - usual) / (spread / np.sqrt(len(values)))), 2)
            habits.append(Habit(name, round(mean, 3), round(usual, 3), deviation))
            if abs(deviation) >= _NOTABLE:
                more, less = ("higher", "lower") if name in ("polarity", "score") else ("more", "fewer")
                word = more if deviation > 0 else less
                notable.append(f"{word} {name}: {round(mean, 3):g} against {round(usual, 3):g}")
    return ReviewerHabits(reviewer, count, tuple(habits), tuple(notable))


def _messages(reviews: Sequence[ReviewText], papers: Sequence[Submission]) -> list[str]:
    untagged = sum(not review.tagged for review in reviews)
    messages = {
        f"{untagged:,} of {len(reviews):,} reviews are not tagged: empty, or not in English": untagged > 0,
        "no submissions were given (papers), so no review is compared with its paper": not papers,
        "the file names no reviewers, so nothing is said about their habits": not any(r.reviewer for r in reviews),
        "no review has a score": all(review.score is None for review in reviews),
    }
    return [message for message, applies in messages.items() if applies]
