"""The check as a page for the chair: papers with their disputes, tagged text, reviewers, and what to look at."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from eval.reports.page import Block, Folded, Prose, Report, Section
from eval.reports.table import Column, Table
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
        """The block as HTML; see `Block`."""
        pieces = []
        for number, each in enumerate(self.tagged.sentences):
            text = escape(each.sentence.text)
            if each.sentence.is_heading:
                pieces.append(f"<p><strong>{text}</strong></p>")
                continue
            colour = _COLOURS.get(each.polarity)
            style = f' style="background:{colour};color:#1c2427"' if colour else ""
            marks = "".join(f" <sup>{escape(NAMES[aspect])}</sup>" for aspect in each.aspects)
            title = f"sentence {number + 1}: {each.polarity}, {each.pragmatics}"
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
        """The block as HTML; see `Block`."""
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


def check_report(check: Check, title: str, provenance: Mapping[str, str]) -> Report:
    """Build the page about a check."""
    suspected = [match for match in check.matches if match.suspected]
    shared = [pair for pair in check.shared if pair.suspected]
    disputed = [view for view in check.papers if view.disputes]
    lead = (
        f"{counted(len(check.contents), 'review')} of {counted(len(check.papers), 'paper')}. Reviewers disagree on "
        f"{len(disputed):,}; {counted(len(suspected), 'review')} may be about another paper, "
        f"{counted(len(shared), 'pair shares', 'pairs share')} most of their text. "
        "Tags are a machine's, and some are wrong: look at the text before you act."
    )
    sections = [
        Section("Papers", (_papers(check),)),
        Section("Reviews", (_reviews(check),)),
        Section("To look at", tuple(_attention(check))),
        Section("Tagged text", tuple(_texts(check))),
    ]
    if check.reviewers:
        sections.append(Section("Reviewers", (_reviewers(check),)))
    if check.hint_kinds:
        sections.append(Section("Hints", tuple(_hints(check))))
    notes = [f"{ADVISOR_NAMES[aspect].capitalize()} is weak: {why}." for aspect, why in WEAK.items()]
    sections.append(Section("How far to trust this", tuple(Prose(note) for note in [*check.messages, *notes])))
    return Report(title, lead, tuple(sections), provenance)


def _papers(check: Check) -> Table:
    columns = (
        Column("paper"), Column("reviews", "d"), Column("scores"), Column("calibrated", ".2f"),
        Column("polarity", "+.2f"), Column("disputed"), Column("covered by none"),
    )  # fmt: skip
    rows = tuple(
        (
            view.paper,
            len(view.reviews),
            " ".join("–" if score is None else f"{score:g}" for score in view.scores),
            view.calibrated,
            view.polarity,
            ", ".join(NAMES.get(dispute.aspect, dispute.aspect) for dispute in view.disputes),
            ", ".join(NAMES[aspect] for aspect in view.uncovered),
        )
        for view in check.papers
    )
    return Table("", columns, rows)


def _reviews(check: Check) -> Table:
    columns = (
        Column("review"), Column("words", "d"), Column("strengths", "d"), Column("weaknesses", "d"),
        Column("requests", "d"), Column("questions", "d"), Column("leaves out"), Column("flags"),
    )  # fmt: skip
    rows = tuple(
        (
            content.review, content.words, content.strengths, content.weaknesses, content.requests, content.questions,
            ", ".join(NAMES[aspect] for aspect in content.omitted), "; ".join(content.flags),
        )
        for content in check.contents
    )  # fmt: skip
    return Table("", columns, rows)


def _attention(check: Check) -> list[Block]:
    blocks: list[Block] = []
    suspected = [match for match in check.matches if match.suspected]
    if suspected:
        columns = (Column("review"), Column("own paper"), Column("rank", "d"), Column("nearest paper"))
        rows = tuple((match.review, match.paper, match.rank, match.nearest) for match in suspected)
        blocks.append(Table("Perhaps about another paper", columns, rows))
    if check.shared:
        pair_columns = (Column("review"), Column("other review"), Column("shared", ".0%"), Column("passage"))
        pairs = tuple((p.first, p.second, p.containment, p.passage[:300]) for p in check.shared)
        blocks.append(Table("Text in common", pair_columns, pairs))
    return blocks or [Prose("Nothing: no review looks as if it were about another paper, and none shares its text.")]


def _texts(check: Check) -> list[Block]:
    tagged = {each.review.id: each for each in check.tagged}
    rows = {each.review.id: row for row, each in enumerate(check.tagged)}
    blocks: list[Block] = []
    for view in check.papers[:_MOST_FOLDED]:
        if view.disputes:
            blocks.append(Folded(f"{view.paper}: who says what", Claims(view.disputes, rows)))
        blocks.extend(Folded(f"{view.paper}: {own}", TaggedText(tagged[own], rows[own])) for own in view.reviews)
    if len(check.papers) > _MOST_FOLDED:
        blocks.append(
            Prose(f"The texts of {len(check.papers) - _MOST_FOLDED:,} more papers are left out of this page.")
        )
    return blocks


def _reviewers(check: Check) -> Table:
    columns = (Column("reviewer"), Column("reviews", "d"), Column("differs from the venue"))
    return Table(
        "", columns, tuple((r.reviewer, r.reviews, "; ".join(r.notable) or r.note or "–") for r in check.reviewers)
    )


def _hints(check: Check) -> list[Block]:
    errors = Table(
        "Error rates", (Column("hint"), Column("errors")), tuple((k.name, k.errors) for k in check.hint_kinds)
    )
    rows = tuple((hint.kind, hint.review, hint.text[:300]) for hint in check.hints)
    return [errors, Table("A hint is never a verdict", (Column("hint"), Column("review"), Column("about")), rows)]
