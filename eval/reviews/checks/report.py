"""The check as a page for the chair: papers with their disputes, tagged text, reviewers, and what to look at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from eval.reports.page import Block, Folded, Prose, Report, Section
from eval.reports.table import Table, table_of
from eval.reviews.checks.check import Check, Dispute
from eval.reviews.tagging.tagger import TaggedReview
from eval.reviews.tagging.typology import ADVISOR_NAMES, NAMES, WEAK
from panelist.words import counted

_COLOURS = {"positive": "#d9f0dd", "negative": "#fbdcd6", "unsure": "#f3efc9"}
_MOST_FOLDED = 200  # papers whose text is on the page


@dataclass(frozen=True, slots=True)
class TaggedText:
    """A review whose sentences are coloured by polarity and carry their aspects; `row` is its position in the file."""

    tagged: TaggedReview
    row: int = 0

    def html(self) -> str:
        """The block as HTML."""
        pieces = []
        for number, tagged in enumerate(self.tagged.sentences):
            text = escape(tagged.sentence.text)
            if tagged.sentence.is_heading:
                pieces.append(f"<p><strong>{text}</strong></p>")
                continue
            colour = _COLOURS.get(tagged.polarity)
            style = f' style="background:{colour};color:#1c2427"' if colour else ""
            marks = "".join(f" <sup>{escape(NAMES[aspect])}</sup>" for aspect in tagged.aspects)
            title = f"sentence {number + 1}: {tagged.polarity}, {tagged.pragmatics}"
            pieces.append(
                f'<span id="{_anchor(self.row, number)}" title="{escape(title)}"{style}>{text}</span>{marks} '
            )
        return f"<div>{''.join(pieces) or '<p>not tagged</p>'}</div>"

    def _repr_html_(self) -> str:
        return self.html()


@dataclass(frozen=True, slots=True)
class Claims:
    """What the reviews of a paper disagree on; every claim leads to its sentences. `rows` are positions in the file."""

    disputes: tuple[Dispute, ...]
    rows: Mapping[str, int]

    def html(self) -> str:
        """The block as HTML."""
        items = []
        for dispute in self.disputes:
            claims = []
            for position in dispute.positions:
                for verb, numbers in (("praises", position.positive), ("criticises", position.negative)):
                    links = " ".join(
                        f'<a href="#{_anchor(self.rows[position.review], number)}">{number + 1}</a>'
                        for number in numbers
                    )
                    if links:
                        claims.append(f"{escape(position.review)} {verb} in {links}")
            items.append(f"<li>{escape(NAMES.get(dispute.aspect, dispute.aspect))}: {'; '.join(claims)}</li>")
        return f"<ul>{''.join(items)}</ul>"


def _anchor(row: int, sentence: int) -> str:
    return f"review-{row}-{sentence}"


def check_tables(check: Check) -> dict[str, list[Table]]:
    """What a check found, as tables by the title of their section; without those that would be empty."""
    papers = sorted(check.papers, key=lambda view: -len(view.disputes))
    columns = (
        "paper", ("reviews", "d"), "scores", ("calibrated", ".2f"), ("polarity", "+.2f"), "disputed", "covered by none",
    )  # fmt: skip
    paper_rows = (
        (
            view.paper,
            len(view.reviews),
            " ".join("–" if score is None else f"{score:g}" for score in view.scores),
            view.calibrated,
            view.polarity,
            ", ".join(NAMES.get(dispute.aspect, dispute.aspect) for dispute in view.disputes),
            _names(view.uncovered),
        )
        for view in papers
    )
    figures = ("words", "strengths", "weaknesses", "requests", "questions")
    review_rows = (
        (row.review, *(getattr(row, name) for name in figures), _names(row.aspects), _names(row.omitted), flags)
        for row, flags in ((row, "; ".join(row.flags)) for row in check.contents)
    )
    review_columns = ("review", *((name, "d") for name in figures), "aspects", "leaves out", "flags")
    suspected = ((match.review, match.paper, match.rank, match.nearest) for match in check.matches if match.suspected)
    shared = ((pair.first, pair.second, pair.containment, pair.passage[:300]) for pair in check.shared)
    habits = ((row.reviewer, row.reviews, "; ".join(row.notable) or row.note or "–") for row in check.reviewers)
    hints = ((hint.kind, hint.review, hint.text[:300]) for hint in check.hints)
    sections = {
        "Papers": [table_of("papers, most disputed first", columns, paper_rows)],
        "Reviews": [table_of("reviews", review_columns, review_rows)],
        "To look at": [
            table_of(
                "perhaps about another paper", ("review", "own paper", ("its rank", "d"), "nearest paper"), suspected
            ),
            table_of("pairs with text in common", ("review", "other review", ("shared", ".0%"), "passage"), shared),
        ],
        "Reviewers": [table_of("reviewers", ("reviewer", ("reviews", "d"), "differs from the venue"), habits)],
        "Hints": [
            table_of("kinds of hints", ("hint", "errors"), ((kind.name, kind.errors) for kind in check.hint_kinds)),
            table_of("hints, never verdicts", ("hint", "review", "about"), hints),
        ],
    }
    return {title: [table for table in tables if table.rows] for title, tables in sections.items()}


def _names(aspects: Iterable[str]) -> str:
    return ", ".join(NAMES[aspect] for aspect in aspects)


def check_report(check: Check, title: str, provenance: Mapping[str, str]) -> Report:
    """Build the page about a check."""
    suspected = sum(match.suspected for match in check.matches)
    shared = sum(pair.suspected for pair in check.shared)
    disputed = sum(bool(view.disputes) for view in check.papers)
    lead = (
        f"{counted(len(check.contents), 'review')} of {counted(len(check.papers), 'paper')}. Reviewers disagree on "
        f"{disputed:,}; {counted(suspected, 'review')} may be about another paper, "
        f"{counted(shared, 'pair shares', 'pairs share')} most of their text. "
        "Tags are a machine's, and some are wrong: look at the text before you act."
    )
    blocks: dict[str, Sequence[Block]] = {**check_tables(check)}
    nothing = "Nothing: no review looks as if it were about another paper, and none shares its text."
    blocks["To look at"] = blocks["To look at"] or [Prose(nothing)]
    blocks["Tagged text"] = _texts(check)
    notes = [f"{ADVISOR_NAMES[aspect].capitalize()} is weak: {why}." for aspect, why in WEAK.items()]
    blocks["How far to trust this"] = [Prose(note) for note in [*check.messages, *notes]]
    sections = tuple(Section(name, tuple(items)) for name, items in blocks.items() if items)
    return Report(title, lead, sections, provenance)


def _texts(check: Check) -> list[Block]:
    tagged = {review.review.id: (review, row) for row, review in enumerate(check.tagged)}
    rows = {key: row for key, (_, row) in tagged.items()}
    blocks: list[Block] = []
    for view in check.papers[:_MOST_FOLDED]:
        if view.disputes:
            blocks.append(Folded(f"{view.paper}: who says what", Claims(view.disputes, rows)))
        blocks.extend(Folded(f"{view.paper}: {review}", TaggedText(*tagged[review])) for review in view.reviews)
    if len(check.papers) > _MOST_FOLDED:
        left_out = len(check.papers) - _MOST_FOLDED
        blocks.append(Prose(f"The texts of {left_out:,} more papers are left out of this page."))
    return blocks
