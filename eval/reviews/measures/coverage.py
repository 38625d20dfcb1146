"""What can be measured without people: aspect coverage and aspect recall (Yuan et al. 2021, §2.2.2)."""

from __future__ import annotations

from collections.abc import Collection


def aspect_coverage(aspects: Collection[str], typology: Collection[str]) -> float:
    """ACOV: the share of the typology that a review covers.

    Args:
        aspects: those of the review.
        typology: all aspects there are; what is not in it does not count.
    """
    return len(set(aspects) & set(typology)) / len(set(typology))


def aspect_recall(aspects: Collection[str], meta: Collection[str]) -> float | None:
    """AREC: the share of the meta-review's aspects that a review covers; None where the meta-review has none.

    The paper says that the meta-review tells 'which aspects, and with which sentiment polarity', then counts aspects.
    Give (aspect, polarity) pairs on both sides to count both.
    """
    return len(set(aspects) & set(meta)) / len(set(meta)) if meta else None
