"""The conflict table: every pair of a submission and a reviewer with its reasons, and what people decided about it.

It depends on submissions, committee, declared conflicts and rules, never on scores. Reviewers are compared by identity
key, so that a conflict of `https://orcid.org/0000-…` holds for `0000-…`, too. Reasons and decisions are about people:
somebody who is on the committee under several ids has them under all of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Literal

import msgspec
from msgspec import Struct, structs

from panelist.corpus.identity import comparable
from panelist.corpus.names import plain_name
from panelist.errors import InputError
from panelist.files import replacing
from panelist.records import Conflict, ConflictKind, Paper
from panelist.words import counted
from retriever.conference.conflicts.rules import ConflictRules

Possible = Literal["avoid", "allow"]
"""What becomes of possible conflicts that nobody dismissed: their pairs are avoided, or allowed."""

_KINDS = list(ConflictKind)
_VERSION = 1


class Decision(Struct, frozen=True):
    """What somebody decided about a pair: it is a conflict, or it is none."""

    verdict: Literal["confirmed", "dismissed"]
    by: str
    at: datetime
    note: str = ""


class OtherPerson(Struct, frozen=True):
    """What somebody decided about a name: whoever has this id is not the author who is called so."""

    person: str
    author: str
    decision: Decision
    judge: tuple[str, ...] = ()  # ids of who decided, which never counts for papers of their own conflicts
    papers: tuple[str, ...] = ()  # what it was about when it was decided: it holds for later ones, too


class ConflictPair(Struct, frozen=True, gc=False):
    """A submission and a reviewer with every reason for a conflict, the best one first, and what was decided."""

    submission: str
    reviewer: str
    reasons: tuple[Conflict, ...]
    decision: Decision | None = None

    @property
    def confirmed(self) -> bool:
        """Whether somebody decided that it is a conflict."""
        return self.decision is not None and self.decision.verdict == "confirmed"

    @property
    def certain(self) -> bool:
        """Whether a reason is certain, or somebody confirmed the conflict; what is lost counts until dismissed."""
        dismissed = self.decision is not None
        return self.confirmed or any(reason.certain and not (reason.lost and dismissed) for reason in self.reasons)

    @property
    def possible(self) -> bool:
        """Whether it is neither certain nor dismissed."""
        return not self.certain and self.decision is None

    @property
    def evidence(self) -> str:
        """All reasons in words."""
        return "; ".join(dict.fromkeys(reason.evidence for reason in self.reasons))

    def blocked(self, possible: Possible = "avoid") -> bool:
        """Whether the reviewer must not get the submission."""
        return self.certain or (possible == "avoid" and self.possible)


class TableHeader(Struct, frozen=True):
    """What a table rests on, and what it cannot know."""

    submissions: tuple[str, ...] = ()  # ids of all submissions whose conflicts were looked for
    reviewers: tuple[str, ...] = ()  # ids of all reviewers
    rules: ConflictRules | None = None  # what was looked for
    digest: str = ""  # of its inputs, where somebody keeps tables and has to recognise those of other ones
    unchecked: tuple[str, ...] = ()  # what could not be checked, in words, for the whole conference
    unchecked_people: Mapping[str, str] = {}  # reviewer -> what could not be checked of this person
    unknown: Mapping[str, int] = {}  # submission -> how many authors it has, where none of them was found
    aliases: Mapping[str, str] = {}  # identity key -> reviewer: other ids of the same person, on the committee or not
    # what the conflicts rest on in the corpus, for the table that follows this one: `Conference(…, kept=…)`
    evidence: tuple[Paper, ...] = ()

    def nothing_checked(self) -> tuple[str, ...]:
        """What could not be checked as authors were not found, in words."""
        if not self.unknown:
            return ()
        papers, authors = counted(len(self.unknown), "submission"), counted(sum(self.unknown.values()), "author")
        return (f"0 of {authors} of {papers} matched: nothing was checked but whether their names fit a reviewer's",)


class ConflictTable:
    """All conflicts of a conference. An immutable value: what changes it returns another one."""

    def __init__(self, pairs: Iterable[ConflictPair] = (), header: TableHeader | None = None) -> None:
        self.header = header or TableHeader()
        self._pairs: dict[tuple[str, str], ConflictPair] = {}  # by submission and person
        person = cache(self.person)  # there are many pairs of each
        for pair in pairs:
            key = pair.submission, person(pair.reviewer)
            self._pairs[key] = pair if key not in self._pairs else _both(self._pairs[key], pair)

    @classmethod
    def grouped(cls, conflicts: Iterable[Conflict], header: TableHeader | None = None) -> ConflictTable:
        """The table of single conflicts: certain reasons of a pair come first, then they are ordered by kind."""
        return cls((ConflictPair(reason.submission, reason.reviewer, (reason,)) for reason in conflicts), header)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConflictTable) and (self._pairs, self.header) == (other._pairs, other.header)

    __hash__ = None  # type: ignore[assignment]  # a value with a dictionary

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[ConflictPair]:
        for (_, person), pair in self._pairs.items():
            if several := self._ids.get(person):
                yield from (_under(pair, reviewer) for reviewer in several)
            else:
                yield pair

    @cached_property
    def pairs(self) -> Mapping[tuple[str, str], ConflictPair]:
        """All pairs, by submission and reviewer as the table calls them."""
        return MappingProxyType({(pair.submission, pair.reviewer): pair for pair in self})

    def of(self, submission: str, reviewer: str) -> ConflictPair | None:
        """The conflict of a pair, whichever way the reviewer's id is written."""
        person = self.person(reviewer)
        pair = self._pairs.get((submission, person))
        return _under(pair, reviewer) if pair and reviewer in self._ids.get(person, ()) else pair

    def ids_of(self, reviewer: str) -> tuple[str, ...]:
        """All ids under which somebody is on the committee; the one that was given where there are no others."""
        return self._ids.get(self.person(reviewer), (reviewer,))

    def blocked(self, possible: Possible = "avoid") -> Iterator[ConflictPair]:
        """The pairs that must not be assigned."""
        return (pair for pair in self if pair.blocked(possible))

    def check(self, pairs: Iterable[tuple[str, str]], possible: Possible = "avoid") -> list[ConflictPair]:
        """Which of these pairs must not stand."""
        found = (self.of(*pair) for pair in pairs)
        return [pair for pair in found if pair is not None and pair.blocked(possible)]

    def decide(self, submission: str, reviewer: str, decision: Decision | None) -> ConflictTable:
        """The table with a decision about a pair; None takes it back: see `decided`."""
        pair = self.decided(submission, reviewer, decision)
        return ConflictTable(({**self._pairs, (submission, self.person(reviewer)): pair}).values(), self.header)

    def decided(self, submission: str, reviewer: str, decision: Decision | None) -> ConflictPair:
        """A pair with a decision about it.

        Raises:
            InputError: no conflict is known of the pair, or a certain one is to be dismissed.
        """
        pair = self.of(submission, reviewer)
        if pair is None:
            raise InputError(f"no conflict is known between '{submission}' and '{reviewer}': declare it instead")
        firm = any(reason.certain and not reason.lost for reason in pair.reasons)
        if decision is not None and decision.verdict == "dismissed" and firm:
            raise InputError(
                f"the conflict between '{submission}' and '{reviewer}' is certain and cannot be dismissed: "
                f"{pair.reasons[0].evidence}"
            )
        return structs.replace(pair, decision=decision)

    def renewed(self, other: ConflictTable) -> ConflictTable:
        """The pairs that were newly found, `other`, with the decisions of this table.

        A dismissed pair that has a new reason is open again, and a confirmed one stays although no reason is left.
        """
        pairs = {(pair.submission, pair.reviewer): pair for pair in other}
        for old in self:
            if old.decision is None:
                continue
            new = other.of(old.submission, old.reviewer)
            if new is None:
                if old.confirmed:
                    pairs[old.submission, old.reviewer] = old
            elif old.confirmed or {*map(_ground, new.reasons)} <= {*map(_ground, old.reasons)}:
                pairs[new.submission, new.reviewer] = structs.replace(new, decision=old.decision)
        return ConflictTable(pairs.values(), other.header)

    def resting_on(self, person: str, author: str) -> tuple[str, ...]:
        """The submissions with possible conflicts that rest on somebody having the name of an author."""
        name, person = plain_name(author), self.person(person)
        reasons = (reason for pair in self if pair.possible for reason in pair.reasons if reason.namesake)
        rest = (reason for reason in reasons if plain_name(reason.author) == name)
        return tuple(dict.fromkeys(reason.submission for reason in rest if self.person(reason.namesake) == person))

    def told_apart(self, others: Iterable[OtherPerson], judges: ConflictTable) -> ConflictTable:
        """Dismiss what rests on names alone of people who are other ones; `judges` has conflicts of who said so."""
        decided: dict[tuple[str, str], list[OtherPerson]] = {}
        for one in others:
            decided.setdefault((self.person(one.person), plain_name(one.author)), []).append(one)

        def judged(pair: ConflictPair) -> ConflictPair:
            if not pair.possible:
                return pair
            keys = ((self.person(reason.namesake), plain_name(reason.author)) for reason in pair.reasons)
            found = [next((one for one in decided.get(key, ()) if free(one, pair.submission)), None) for key in keys]
            return pair if None in found else structs.replace(pair, decision=next(filter(None, found)).decision)

        def free(one: OtherPerson, paper: str) -> bool:
            judged_pairs = (table.of(paper, key) for table in (self, judges) for key in one.judge)
            return not any(pair and (pair.certain or pair.possible) for pair in judged_pairs)

        return ConflictTable(map(judged, self), self.header) if decided else self

    def person(self, reviewer: str) -> str:
        """What a reviewer is compared by, whichever way the id is written."""
        key = comparable(reviewer)
        return comparable(self.header.aliases.get(key, key))

    def joined(self, other: ConflictTable) -> ConflictTable:
        """The pairs of both tables with all reasons, and the decisions of this one as far as they are about all."""
        conflicts = (reason for table in (other, self) for pair in table for reason in pair.reasons)
        aliases = {**self.header.aliases, **other.header.aliases}
        return self.renewed(ConflictTable.grouped(conflicts, structs.replace(other.header, aliases=aliases)))

    @cached_property
    def _ids(self) -> Mapping[str, tuple[str, ...]]:
        """The ids of those who are on the committee under several, by person."""
        ids: dict[str, tuple[str, ...]] = {}
        for reviewer in dict.fromkeys(self.header.reviewers):
            person = self.person(reviewer)
            ids[person] = (*ids.get(person, ()), reviewer)
        return {person: same for person, same in ids.items() if len(same) > 1}


def conflicts_beside(scores: Path) -> Path:
    """Where the conflict table of a file of scores is: `scores.conflicts.jsonl` beside `scores.csv`."""
    stem = scores.name.removesuffix(".gz").removesuffix(".csv")
    return scores.with_name(f"{stem}.conflicts.jsonl")


def write_table(table: ConflictTable, path: Path, *, evidence: bool = False) -> None:
    """Write a table as JSON lines, a header first; the file is complete or not there.

    The evidence, which names people of the corpus, is written only where it is asked for.
    """
    encode = msgspec.json.Encoder().encode
    header = table.header if evidence else structs.replace(table.header, evidence=())
    with replacing(path) as unfinished, unfinished.open("wb") as file:
        file.write(encode({"panelist_conflicts": _VERSION, **structs.asdict(header)}) + b"\n")
        file.writelines(encode(pair) + b"\n" for pair in table)


def read_table(path: Path) -> ConflictTable:
    """Read a table that `write_table` wrote."""
    pairs: list[ConflictPair] = []
    try:
        with path.open("rb") as file:
            header_line = file.readline()
            version = msgspec.json.decode(header_line).get("panelist_conflicts")
            if version != _VERSION:
                raise InputError(f"'{path}' is a conflict table of version {version}, this Panelist reads {_VERSION}")
            header = msgspec.json.decode(header_line, type=TableHeader)
            decode = msgspec.json.Decoder(ConflictPair).decode
            for line in file:
                pairs.append(decode(line))  # noqa: PERF401  # one by one, so that the error can name the line
    except (OSError, AttributeError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read conflicts from '{path}' after {len(pairs)} pairs: {error}") from error
    return ConflictTable(pairs, header)


def _both(first: ConflictPair, second: ConflictPair) -> ConflictPair:
    """The same pair under two ids: all reasons, and the last decision of those that are about all of them."""
    second = _under(second, first.reviewer)
    reasons = tuple(dict.fromkeys(sorted([*first.reasons, *second.reasons], key=by_certainty)))
    about_all = (pair for pair in (first, second) if pair.confirmed or {*pair.reasons} == {*reasons})
    decisions = [pair.decision for pair in about_all if pair.decision is not None]
    last = max(decisions, key=lambda decision: decision.at.timestamp(), default=None)
    return ConflictPair(first.submission, first.reviewer, reasons, last)


def _under(pair: ConflictPair, reviewer: str) -> ConflictPair:
    """The pair under another id of the same person."""
    if pair.reviewer == reviewer:
        return pair
    called = {pair.reviewer: reviewer}  # the namesake is the reviewer, or somebody else
    reasons = tuple(
        structs.replace(reason, reviewer=reviewer, namesake=called.get(reason.namesake, reason.namesake))
        for reason in pair.reasons
    )
    return structs.replace(pair, reviewer=reviewer, reasons=reasons)


def by_certainty(reason: Conflict) -> tuple[bool, int]:
    """A key that puts certain reasons first, then orders them by kind."""
    return not reason.certain, _KINDS.index(reason.kind)


def _ground(reason: Conflict) -> tuple[ConflictKind, str, bool]:
    return reason.kind, reason.evidence, reason.certain
