"""Drafts against reference reviews by all measures of Yuan et al. (2021, §2.2 and Appendix A.3).

ACOV is the share of ReviewAdvisor's aspects that a draft covers, AREC the share of the meta-review's aspects, where it
has any. What people must judge is computed from their judgements:

| measure | judgement | columns |
|---|---|---|
| RACC | decision ±1, recommendation −1, 0, 1 | `decision`, `recommendation` |
| INFO | negative aspects, and how many come with evidence | `negative_aspects`, `negative_with_evidence` |
| ACON | of those with evidence, how many are validly supported (½ is allowed) | `valid_support` |
| SACC | whether the summary is right: 0, ½ or 1 | `summary_correct` |

The appendix prints the scale of SACC and ACON twice, once reversed ('0, 0.5 or 1 which represent agree, partially agree
and disagree'); the instructions to the judges and §2.3 have 1 for agreement, which is taken.

ROUGE is Google's `rouge-score`, with stemming. Its two variants of R-L differ: `rougeL` takes the longest common
subsequence of the whole texts; `rougeLsum` unites those of each reference sentence with all sentences of the candidate,
as the original Perl script does on texts split into lines. Yuan et al. do not say which one they report.

BERTScore (Zhang et al. 2020) greedily matches tokens by cosine. It is computed with Panelist's default encoder, not
with the paper's model and without its rescaling by a custom baseline: its values compare with each other only.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.files import ReviewFile, review_of
from eval.reviews.reading.sentences import split
from eval.reviews.tagging.tagger import TaggedReview, Tagger
from eval.reviews.tagging.typology import ADVISOR_NAMES
from indexing.encoders.bert import TokenEncoder
from panelist.errors import InputError
from panelist.progress import Progress, silent

ROUGES = ("rouge1", "rouge2", "rougeL", "rougeLsum")
JUDGED = ("RACC", "INFO", "ACON", "SACC")
REACH = 3  # sentences after a criticism in which reasons are looked for
DECISIONS = {"accept": 1, "accepted": 1, "1": 1, "reject": -1, "rejected": -1, "-1": -1}
RECOMMENDATIONS = {
    "accept": 1, "positive": 1, "1": 1, "neutral": 0, "0": 0, "reject": -1, "negative": -1, "-1": -1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class ComparedDraft:
    """One draft: its measures by name, and its matches with the nearest reference."""

    id: str
    paper: str
    measures: Mapping[str, float]
    matches: Mapping[str, Overlap] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DraftComparison:
    """All drafts, and the means: over the drafts of each paper first, then over papers."""

    drafts: tuple[ComparedDraft, ...]
    means: Mapping[str, float]
    papers: int
    messages: tuple[str, ...]


def compare_drafts(
    drafts: ReviewFile,
    references: ReviewFile,
    tagger: Tagger,
    token_encoder: TokenEncoder | None = None,
    progress: Progress = silent,
) -> DraftComparison:
    """Compare drafts with the references of the same papers.

    A reference with the column `kind` = `metareview` is the meta-review of its paper, as are those of OpenReview.
    """
    texts: dict[str, list[str]] = {}
    metareviews = dict(references.metareviews)
    for review in references.reviews:
        if review.columns.get("kind", "").lower().replace("-", "") == "metareview":
            metareviews[review.paper] = review.text
        else:
            texts.setdefault(review.paper, []).append(review.text)
    for review in drafts.reviews:
        if review.paper not in texts:
            raise InputError(f"draft '{review.id}' is about paper '{review.paper}', which has no reference review")
    tagged = tagger.tag(drafts.reviews, progress)
    tagged_metareviews = tagger.tag([review_of(text, id=paper) for paper, text in metareviews.items()])
    meta_aspects = {review.review.paper: _aspects(review) for review in tagged_metareviews}
    groups = [texts[review.paper] for review in drafts.reviews]
    matches = [rouge(review.text, group) for review, group in zip(drafts.reviews, groups, strict=True)]
    if token_encoder is not None:
        written = [review.text for review in drafts.reviews]
        for match, score in zip(matches, bert_scores(written, groups, token_encoder), strict=True):
            match["BERTScore"] = score
    compared = tuple(
        ComparedDraft(draft.review.id, paper, _measures(draft, meta_aspects.get(paper, set())), match)
        for draft, match in zip(tagged, matches, strict=True)
        for paper in (draft.review.paper,)
    )
    messages = tuple(_messages(compared, token_encoder is not None))
    return DraftComparison(compared, _means(compared), len({draft.paper for draft in compared}), messages)


def _aspects(tagged: TaggedReview) -> set[str]:
    return {aspect for sentence in tagged.sentences for aspect in sentence.advisor}


def _measures(tagged: TaggedReview, meta: set[str]) -> dict[str, float]:
    aspects = _aspects(tagged)
    measures: dict[str, float] = {"ACOV": len(aspects) / len(ADVISOR_NAMES)}
    if meta:
        # The paper says that the meta-review tells aspects 'with which sentiment polarity', then counts aspects.
        measures["AREC"] = len(aspects & meta) / len(meta)
    columns = tagged.review.columns
    measures |= judged_measures(columns, f"draft '{tagged.review.id}'")
    signs = [sentence.polarity for sentence in tagged.sentences]
    tone = signs.count("positive") - signs.count("negative")
    decision = DECISIONS.get(columns.get("decision", "").strip().lower())
    if decision is not None:
        measures["tone_agreement"] = float(decision * ((tone > 0) - (tone < 0)))
    evidence = [sentence.evidence for sentence in tagged.sentences]
    reasoned = [
        "evidence" in evidence[number + 1 : number + 1 + REACH]
        for number, kind in enumerate(evidence)
        if kind == "claim-"
    ]
    if reasoned:
        measures["reasoned_share"] = fmean(reasoned)
    return measures


def _means(compared: Sequence[ComparedDraft]) -> dict[str, float]:
    values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for draft in compared:
        for name, value in (dict(draft.measures) | {name: match.f1 for name, match in draft.matches.items()}).items():
            values[name][draft.paper].append(value)
    return {name: fmean(map(fmean, by_paper.values())) for name, by_paper in values.items()}


def _messages(compared: Sequence[ComparedDraft], encoded: bool) -> list[str]:
    measured = {name for draft in compared for name in draft.measures}
    missing = ", ".join(name for name in JUDGED if name not in measured)
    messages = {
        f"{missing}: people must judge these; give their judgements as columns (docs/how/reviews.md)": bool(missing),
        "AREC: no meta-review was given (references with the column kind = metareview)": "AREC" not in measured,
        "BERTScore is computed with Panelist's default encoder, not with the paper's model": encoded,
    }
    return [message for message, applies in messages.items() if applies]


def judged_measures(columns: Mapping[str, str], source: str) -> dict[str, float]:
    """Compute RACC, INFO (1 without negative aspects), ACON (1 without evidence) and SACC where there are columns."""
    measures: dict[str, float] = {}
    filled = {name for name, value in columns.items() if value.strip()}
    if {"decision", "recommendation"} <= filled:
        decision = _word(columns, "decision", DECISIONS, source)
        measures["RACC"] = float(decision * _word(columns, "recommendation", RECOMMENDATIONS, source))
    if {"negative_aspects", "negative_with_evidence"} <= filled:
        negative, evidence = (_number(columns, name, source) for name in ("negative_aspects", "negative_with_evidence"))
        if evidence > negative:
            raise InputError(f"{source}: {evidence:g} negative aspects with evidence are more than all {negative:g}")
        measures["INFO"] = evidence / negative if negative else 1.0
        if "valid_support" in filled:
            valid = _number(columns, "valid_support", source)
            if valid > evidence:
                raise InputError(f"{source}: valid support of {valid:g} is more than the evidence, {evidence:g}")
            measures["ACON"] = valid / evidence if evidence else 1.0
    if "summary_correct" in filled:
        correct = _number(columns, "summary_correct", source)
        if correct not in (0.0, 0.5, 1.0):
            raise InputError(f"{source}: summary_correct must be 0, 0.5 or 1, received {correct:g}")
        measures["SACC"] = correct
    return measures


def _word(columns: Mapping[str, str], name: str, words: Mapping[str, int], source: str) -> int:
    value = columns[name].strip().lower().removesuffix(".0")
    if value not in words:
        raise InputError(f"{source}: {name} must be one of {', '.join(words)}, received '{columns[name]}'")
    return words[value]


def _number(columns: Mapping[str, str], name: str, source: str) -> float:
    try:
        value = float(columns[name])
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(f"{source}: {name} must be a number of at least 0, received '{columns[name]}'")
    return value


def rouge(candidate: str, references: Sequence[str]) -> dict[str, Overlap]:
    """Compute every variant, for the reference with the greatest F1 of each."""
    if not references:
        raise InputError("ROUGE needs at least one reference")
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(ROUGES), use_stemmer=True)
    # One sentence per line, as `rougeLsum` wants it; the other variants do not care.
    written, *wanted = ("\n".join(sentence.text for sentence in split(text)) for text in (candidate, *references))
    scored = [scorer.score(reference, written) for reference in wanted]
    best = {name: max((scores[name] for scores in scored), key=lambda score: score.fmeasure) for name in ROUGES}
    return {name: Overlap(*map(float, score)) for name, score in best.items()}


def bert_score(candidate: NDArray[np.float32], references: Sequence[NDArray[np.float32]]) -> Overlap:
    """The best match of token vectors of length 1, (tokens, dimension), by F1; 0 where a text has no tokens."""
    best = Overlap(0.0, 0.0, 0.0)
    for reference in references:
        if len(candidate) and len(reference):
            cosines = candidate @ reference.T
            precision, recall = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
            f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
            best = max(best, Overlap(precision, recall, f1), key=lambda match: match.f1)
    return best


def bert_scores(candidates: Sequence[str], references: Sequence[Sequence[str]], encoder: TokenEncoder) -> list[Overlap]:
    """BERTScore of every candidate with its references; each text is encoded once."""
    texts = list(dict.fromkeys([*candidates, *(text for group in references for text in group)]))
    vectors = dict(zip(texts, encoder.encode(texts), strict=True))
    return [
        bert_score(vectors[candidate], [vectors[text] for text in group])
        for candidate, group in zip(candidates, references, strict=True)
    ]
