"""How near a text is to reference reviews: ROUGE and BERTScore, each the maximum over the references.

ROUGE is Google's `rouge-score`, with stemming. Its two variants of R-L differ: `rougeL` takes the longest common
subsequence of the whole texts; `rougeLsum` unites those of each reference sentence with all sentences of the candidate,
as the original Perl script does on texts split into lines. Yuan et al. do not say which one they report.

BERTScore (Zhang et al. 2020) greedily matches tokens by cosine. It is computed with Panelist's default encoder, not
with the paper's model and without its rescaling by a custom baseline: its values compare with each other only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eval.reviews.reading.sentences import split
from indexing.encoders.bert import TokenEncoder
from panelist.errors import InputError

ROUGES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


@dataclass(frozen=True, slots=True)
class Overlap:
    """Precision, recall and their harmonic mean."""

    precision: float
    recall: float
    f1: float


def rouge(candidate: str, references: Sequence[str]) -> dict[str, Overlap]:
    """Compute every variant, for the reference with the greatest F1 of each."""
    if not references:
        raise InputError("ROUGE needs at least one reference")
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(ROUGES), use_stemmer=True)
    written = _lines(candidate)
    scored = [scorer.score(_lines(reference), written) for reference in references]
    matches = {}
    for name in ROUGES:
        best = max((scores[name] for scores in scored), key=lambda score: score.fmeasure)
        matches[name] = Overlap(float(best.precision), float(best.recall), float(best.fmeasure))
    return matches


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


def _lines(text: str) -> str:
    """One sentence per line, as `rougeLsum` wants it; the other variants do not care."""
    return "\n".join(sentence.text for sentence in split(text))
