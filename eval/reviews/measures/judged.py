"""What people must judge (Yuan et al. 2021, §2.2 and Appendix A.3), computed from their judgements.

| measure | judgement | columns |
|---|---|---|
| RACC | decision ±1, recommendation −1, 0, 1 | `decision`, `recommendation` |
| INFO | negative aspects, and how many come with evidence | `negative_aspects`, `negative_with_evidence` |
| ACON | of those with evidence, how many are validly supported (½ is allowed) | `valid_support` |
| SACC | whether the summary is right: 0, ½ or 1 | `summary_correct` |

The appendix prints the scale of SACC and ACON twice, once reversed ('0, 0.5 or 1 which represent agree, partially agree
and disagree'); the instructions to the judges and §2.3 have 1 for agreement, which is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from panelist.errors import InputError

DECISIONS = {"accept": 1, "accepted": 1, "1": 1, "reject": -1, "rejected": -1, "-1": -1}
RECOMMENDATIONS = {
    "accept": 1, "positive": 1, "1": 1, "neutral": 0, "0": 0, "reject": -1, "negative": -1, "-1": -1,
}  # fmt: skip


def recommendation_accuracy(decision: int, recommendation: int) -> int:
    """RACC = DEC × REC, from −1 to 1."""
    return decision * recommendation


def informativeness(negative: float, with_evidence: float) -> float:
    """INFO: the share of negative aspects that come with evidence; 1 where there are none."""
    return with_evidence / negative if negative else 1.0


def constructiveness(with_evidence: float, valid: float) -> float:
    """ACON: the share of the evidence that is valid support; 1 where there is none."""
    return valid / with_evidence if with_evidence else 1.0


def judged_measures(columns: Mapping[str, str], where: str) -> dict[str, float]:
    """Those measures whose columns are there.

    Raises:
        InputError: a judgement is not one of those that are possible.
    """
    found: dict[str, float] = {}
    if _has(columns, "decision", "recommendation"):
        decision = _word(columns, "decision", DECISIONS, where)
        recommendation = _word(columns, "recommendation", RECOMMENDATIONS, where)
        found["RACC"] = float(recommendation_accuracy(decision, recommendation))
    if _has(columns, "negative_aspects", "negative_with_evidence"):
        negative = _number(columns, "negative_aspects", where)
        evidence = _number(columns, "negative_with_evidence", where)
        if evidence > negative:
            raise InputError(f"{where}: {evidence:g} negative aspects with evidence are more than all {negative:g}")
        found["INFO"] = informativeness(negative, evidence)
        if _has(columns, "valid_support"):
            valid = _number(columns, "valid_support", where)
            if valid > evidence:
                raise InputError(f"{where}: valid support of {valid:g} is more than the evidence, {evidence:g}")
            found["ACON"] = constructiveness(evidence, valid)
    if _has(columns, "summary_correct"):
        correct = _number(columns, "summary_correct", where)
        if correct not in (0.0, 0.5, 1.0):
            raise InputError(f"{where}: summary_correct must be 0, 0.5 or 1, received {correct:g}")
        found["SACC"] = correct
    return found


def _has(columns: Mapping[str, str], *names: str) -> bool:
    return all(columns.get(name, "").strip() for name in names)


def _word(columns: Mapping[str, str], name: str, words: Mapping[str, int], where: str) -> int:
    value = columns[name].strip().lower().removesuffix(".0")
    if value not in words:
        raise InputError(f"{where}: {name} must be one of {', '.join(words)}, received '{columns[name]}'")
    return words[value]


def _number(columns: Mapping[str, str], name: str, where: str) -> float:
    try:
        value = float(columns[name])
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise InputError(f"{where}: {name} must be a number of at least 0, received '{columns[name]}'")
    return value
