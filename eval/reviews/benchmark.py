"""What the instruments are worth on public reviews: each study prints figures of docs/research/reviews.md."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from eval.reviews.checks.reuse import find_shared_text
from eval.reviews.checks.wrong_paper import FEWEST_WORDS, match_papers
from eval.reviews.measures.bias import GroupedReview, aspect_score, disparities
from eval.reviews.measures.compare import ROUGES, rouge
from eval.reviews.reading.files import read_review_file, review_of
from eval.reviews.reading.sentences import split
from eval.reviews.tagging.datasets import ASPECTS, load_data_sets
from eval.reviews.tagging.tagger import Tagger
from eval.reviews.writing.brief import make_brief

_SEED = 0
_COPIES = 200  # reviews into which text is copied
_SCORED = {
    "recommendation": (),
    "clarity": ("CLA", "PNF"),
    "originality": ("NOV",),
    "soundness_correctness": ("EMP",),
    "substance": ("SUB",),
    "meaningful_comparison": ("CMP",),
    "impact": ("IMP",),
}
"""PeerRead's numbers, and the aspects whose sentences are set against each; all sentences for the recommendation."""


def bias_study(folder: Path) -> dict[str, Any]:
    """Accepted minus rejected papers on the gold labels of Peer-Review-Analyze."""
    reviews = [
        GroupedReview(review.paper, review.facts["decision"], _occurrences(review.labels["aspect_polarity"]))
        for review in load_data_sets(["peer_review_analyze"], folder)
    ]
    report = disparities(reviews, ASPECTS, ("Accepted", "Rejected"), _SEED)
    return {
        "reviews": dict(zip(report.groups, report.reviews, strict=True)),
        "disparity": {d.aspect: {**asdict(d), "excludes_zero": d.excludes_zero} for d in report.disparities},
    }


def wrong_paper_study(folder: Path) -> dict[str, Any]:
    """Reviews of PeerRead against their own papers, and against papers that they were moved to at random."""
    file = read_review_file(folder / "peerread.jsonl.gz")
    reviews = [review for review in file.reviews if review.words >= FEWEST_WORDS and review.tagged]
    generator = np.random.default_rng(_SEED)
    ids = [paper.id for paper in file.papers]
    moved = [replace(review, paper=str(generator.choice([i for i in ids if i != review.paper]))) for review in reviews]
    unmoved, misplaced = (match_papers(group, file.papers) for group in (reviews, moved))
    right, wrong = (np.array([match.similarity or 0 for match in group]) for group in (unmoved, misplaced))
    return {
        "reviews": len(reviews),
        "papers": len(ids),
        "own_first": float(np.mean([match.rank == 1 for match in unmoved])),
        "auc": float((right[:, None] > wrong[None, :]).mean() + (right[:, None] == wrong[None, :]).mean() / 2),
        "suspected_though_right": float(np.mean([match.suspected for match in unmoved])),
        "suspected_where_wrong": float(np.mean([match.suspected for match in misplaced])),
    }


def reuse_study(folder: Path) -> dict[str, Any]:
    """What is found among the reviews as they are, and how many injected copies (second halves) are found again."""
    reviews = list(read_review_file(folder / "peerread.jsonl.gz").reviews)
    generator = np.random.default_rng(_SEED)
    long = [review for review in reviews if review.words >= FEWEST_WORDS]
    targets, sources = (generator.permutation(len(long))[:_COPIES] for _ in range(2))
    detected = []
    for target, source in ((long[row], long[other]) for row, other in zip(targets, sources, strict=True)):
        if target.paper != source.paper:
            copy = review_of(_halves(target.text)[0] + "\n\n" + _halves(source.text)[1], id="copy")
            detected.append(bool(find_shared_text([copy, source])))
    plain = find_shared_text(reviews)
    return {
        "reviews": len(reviews),
        "pairs": len(reviews) * (len(reviews) - 1) // 2,
        "suspected": sum(pair.suspected for pair in plain),
        "listed": len(plain),
        "injected": len(detected),
        "recall": fmean(detected),
    }


def score_study(folder: Path) -> dict[str, Any]:
    """Spearman correlation of text-derived aspect scores with the numbers that PeerRead's reviewers gave themselves."""
    from scipy.stats import spearmanr

    file = read_review_file(folder / "peerread.jsonl.gz")
    tagged = Tagger.load().tag(file.reviews)
    figures: dict[str, Any] = {"reviews": len(tagged)}
    for name, aspects in _SCORED.items():
        pairs = []
        for review in tagged:
            number = review.review.columns.get(name) if name != "recommendation" else review.review.score
            signs = [s.polarity for s in review.sentences if not aspects or set(s.aspects) & set(aspects)]
            positive, negative = signs.count("positive"), signs.count("negative")
            if number not in (None, ""):
                pairs.append((float(number), aspect_score(positive, positive + negative)))
        numbers = np.array(pairs)
        figures[name] = {"correlation": float(spearmanr(numbers[:, 0], numbers[:, 1])[0]), "reviews": len(pairs)}
    return figures


def brief_study(folder: Path) -> dict[str, Any]:
    """ROUGE recall of PeerRead's reviews: abstracts, and as many of their sentences as the cross-entropy method takes.

    PeerRead's file has abstracts but no full texts, so that full papers are briefed only where the caller has them.
    """
    file = read_review_file(folder / "peerread.jsonl.gz")
    reviews: dict[str, list[str]] = {}
    for review in file.reviews:
        reviews.setdefault(review.paper, []).append(review.text)
    recalls: dict[str, list[list[float]]] = {"abstract": [], "cross_entropy": []}
    for paper in file.papers:
        picked = " ".join(sentence.text for sentence in make_brief(paper.abstract).sentences)
        for name, text in (("abstract", paper.abstract), ("cross_entropy", picked)):
            recalls[name].append([match.recall for match in rouge(text, reviews[paper.id]).values()])
    means = {name: dict(zip(ROUGES, np.mean(rows, axis=0).tolist(), strict=True)) for name, rows in recalls.items()}
    return {"papers": len(file.papers), **means}


def _halves(text: str) -> tuple[str, str]:
    sentences = split(text)
    middle = sentences[len(sentences) // 2].start
    return text[:middle], text[middle:]


def _occurrences(labels: Sequence[tuple[tuple[str, str], ...]]) -> dict[str, tuple[int, int]]:
    """(positive, all) occurrences of each aspect in a review with gold labels; as in the paper, no neutral ones."""
    signed = [pair for sentence in labels for pair in sentence if pair[1] in ("POS", "NEG")]
    total = Counter(aspect for aspect, _ in signed)
    return {aspect: (signed.count((aspect, "POS")), total[aspect]) for aspect in total}
