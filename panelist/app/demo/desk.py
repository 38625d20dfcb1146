"""The demo's conference on the chair's desk: sent, scored, assigned and reviewed as a chair would do it.

The invented texts of reviews are plain, varied, and with what a chair should notice: most fit their paper and their
score; one reviewer wrote the same about two papers, and one sent the review of another paper by mistake. Reviewers have
habits: each of them never speaks about two of the aspects.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from contextlib import closing, nullcontext
from itertools import combinations
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Literal, NamedTuple

from panelist.app.confined.reviews import CalibrationIn
from panelist.app.demo.conference import committee, profile_ids, write_conference
from panelist.app.demo.material import SEED, corpus, load_material
from panelist.app.demo.samples import MEAN, OFFSET, OPINION, QUALITY, in_half_points
from panelist.app.desk.conference.changes import Conferences
from panelist.app.desk.conference.conflicts import ConflictTables
from panelist.app.desk.conference.intake.accept import OPENREVIEW, accept
from panelist.app.desk.conference.outcomes import load_pairs
from panelist.app.desk.conference.reviewing import calibrating, checking, intake
from panelist.app.desk.conference.scores import ScoreSettings
from panelist.app.desk.conference.settings import ConferenceSettings
from panelist.app.desk.conference.solving.making import begin, choose, make
from panelist.app.desk.conference.solving.scoring import score
from panelist.app.desk.conference.state import Conference
from panelist.app.desk.conference.view import ConferenceView
from panelist.app.desk.database import Desk
from panelist.progress import Progress, silent
from panelist.records import Institution, Paper
from panelist.spreadsheet import csv_text
from panelist.workspace import Workspace
from retriever.finder import Finder

NAME = "Invented Conference"
_AREA_CHAIRS = 4
_SENIOR_PAPERS = 9
_METHODS: tuple[Literal["total", "fair"], ...] = ("total", "fair")
_GOOD, _BAD = 6.0, 5.0  # scores above and below which a review ends with a clear recommendation
_SENTENCES = 5
_LISTS = 0.4  # of the reviewers list strengths and weaknesses
_NEVER = 2  # aspects of which a reviewer does not speak


def demo_conference(workspace: Workspace, finder: Finder, progress: Progress = silent) -> Conference:
    """The demo's conference with everything that the desk can show, made where there is none."""
    with closing(Desk(workspace)) as desk:
        conferences = Conferences(desk)
        existing = next((conference for conference in conferences.list() if conference.name == NAME), None)
        return existing or _make(conferences, finder, progress)


def _make(conferences: Conferences, finder: Finder, progress: Progress) -> Conference:
    conference = conferences.create(NAME, actor="panelist demo")
    try:
        with TemporaryDirectory(prefix="panelist-") as directory:
            folder = write_conference(Path(directory) / "venue")
            archive = Path(shutil.make_archive(str(folder), "zip", folder))
            for kind, name, content in (
                (OPENREVIEW, "venue.zip", archive.read_bytes()),
                ("reviewers", "reviewers.csv", _people().encode()),
            ):
                with conferences.blobs.incoming() as incoming:
                    (incoming / name).write_bytes(content)
                    accept(conferences, conference.id, kind, incoming / name, finder.corpus, actor="panelist demo")
        tables = ConflictTables(conferences, lambda: nullcontext(finder))
        view = tables.view(conferences.get(conference.id), progress)
        score(conferences, view, ScoreSettings(), finder, progress, "panelist demo")
        assign_and_review(conferences, tables.view(conferences.get(conference.id)), progress, "panelist demo")
    except BaseException:
        conferences.delete(conference.id)  # half a demo would stay for ever
        raise
    return conferences.get(conference.id)


def _people() -> str:
    """`reviewers.csv` of the committee: those with most papers are senior, and the first of them area chairs."""
    ids = profile_ids()
    people = sorted(committee().items(), key=lambda pair: (-len(pair[1]), pair[0].id))
    rows = [["reviewer", "seniority", "institution", "country", "role"]]
    for number, (author, papers) in enumerate(people):
        latest = max(papers, key=lambda paper: (paper.year or 0, paper.id))
        employers = next((writer.institutions for writer in latest.authorships if writer.author == author), ())
        employer = employers[0] if employers else Institution("", None, None)
        seniority = "senior" if len(papers) >= _SENIOR_PAPERS else "junior"
        role = "area chair" if number < _AREA_CHAIRS else "reviewer"
        rows.append([ids[author.id], seniority, employer.name, employer.country or "", role])
    return csv_text(rows)


def assign_and_review(conferences: Conferences, view: ConferenceView, progress: Progress, user: str) -> None:
    """Assign a scored conference by two methods, choose the fair one, send reviews back, check and calibrate them."""
    number, conference = 0, view.stored
    for method in _METHODS:
        settings = ConferenceSettings(demand={"reviewer": 3, "area chair": 1}, most={"area chair": 12}, method=method)
        number = begin(conferences, view, settings, actor=user).number
        make(conferences, conference.id, number, progress)
    detail = {"words": f"chose solution {number}", "solution": number, "before": None}
    with conferences.change(conference.id, "chose", detail, actor=user) as change:
        choose(change, number)
    reviews = _reviews(conferences.get(conference.id), number)
    scored = csv_text([("paper", "reviewer", "score"), *reviews]).encode()
    texts = ((*review, text) for review, text in zip(reviews, write_texts(reviews), strict=True))
    written = csv_text([("paper", "reviewer", "score", "text"), *texts]).encode()
    intake.accept(conferences, conference.id, "scores", "scores.csv", scored, actor=user)
    intake.accept(conferences, conference.id, "texts", "reviews.csv", written, actor=user)
    checking.check_texts(conferences, conferences.get(conference.id), progress)
    calibrating.make(conferences, conference.id, CalibrationIn(), actor=user)


def _reviews(conference: Conference, number: int) -> list[ScoredReview]:
    """Scores in half points by everybody who was assigned but the area chairs: worth, offset and opinion."""
    random = Random(f"{SEED} conference")
    pairs = [pair for pair in load_pairs(conference, number).pairs if pair.role == "reviewer"]
    worth = {paper: random.gauss(MEAN, QUALITY) for paper in dict.fromkeys(pair.paper for pair in pairs)}
    offset = {reviewer: random.gauss(0, OFFSET) for reviewer in dict.fromkeys(pair.reviewer for pair in pairs)}
    reviews = []
    for pair in pairs:
        score = worth[pair.paper] + offset[pair.reviewer] + random.gauss(0, OPINION)
        reviews.append(ScoredReview(pair.paper, pair.reviewer, in_half_points(score)))
    return reviews


class ScoredReview(NamedTuple):
    """A review of which only the score is known."""

    paper: str
    reviewer: str
    score: float


def write_texts(reviews: Sequence[ScoredReview]) -> list[str]:
    """The text of each of these reviews, always the same."""
    papers = {paper.id: paper for paper in corpus()}
    random = Random(f"{SEED} review texts")
    reused, strayed = _twice(reviews, papers, same_science=True), _twice(reviews, papers, same_science=False)
    texts = []
    uses: Counter[tuple[str, str]] = Counter()
    for number, review in enumerate(reviews):
        subject = papers[reviews[strayed[1]].paper if number == strayed[0] else review.paper]
        writer = _Writer(subject, review, random, uses)
        texts.append(writer.copied() if number in reused else writer.text(detailed=number == strayed[0]))
    return texts


def _twice(reviews: Sequence[ScoredReview], papers: dict[str, Paper], *, same_science: bool) -> tuple[int, int]:
    """Two reviews by one person, of papers of the same science or of different ones; these people are different."""
    pairs = [
        (number, other_number)
        for (number, review), (other_number, other_review) in combinations(enumerate(reviews), 2)
        if review.reviewer == other_review.reviewer
        and (papers[review.paper].topics[0] == papers[other_review.paper].topics[0]) == same_science
    ]
    return pairs[0] if same_science else pairs[-1]


class _Writer:
    """Writes one review: in which words depends on what others said about papers of the same theme."""

    def __init__(self, paper: Paper, review: ScoredReview, random: Random, uses: Counter[tuple[str, str]]) -> None:
        self._slots, self._theme = _slots(paper), paper.topics[-1]
        self._review, self._random, self._uses = review, random, uses
        self._silent = Random(f"{SEED} {review.reviewer}").sample(sorted(_material()["praise"]), _NEVER)

    def copied(self) -> str:
        """A text that would do for any paper."""
        return f"{self._say(_material()['opening'])} {' '.join(_material()['special']['copied'].split())}"

    def text(self, *, detailed: bool) -> str:
        """A text that fits paper and score; a detailed one is long enough to be compared with all papers."""
        material, score = _material(), self._review.score
        opening = self._say(material["opening"])
        praised = self._aspects("praise", round(_SENTENCES * min(1.0, max(0.0, (score - 2) / 7))))
        strengths = [self._say(material["praise"][name]) for name in praised]
        blamed = self._aspects("criticism", _SENTENCES - len(praised), but=praised)
        weaknesses = [self._say(material["criticism"][name]) for name in blamed]
        if detailed:
            weaknesses += [sentence.format(**self._slots) for sentence in material["special"]["detailed"]]
        verdict = "praise" if score > _GOOD else "criticism" if score < _BAD else "middle"
        closing = self._say(material["closing"][verdict])
        if Random(f"{SEED} {self._review.reviewer} form").random() > _LISTS:
            return " ".join([opening, *strengths, *weaknesses, closing])
        parts = [
            f"{name}:\n" + "\n".join(f"- {sentence}" for sentence in sentences)
            for name, sentences in (("Strengths", strengths), ("Weaknesses", weaknesses))
            if sentences
        ]
        return "\n\n".join([opening, *parts, closing])

    def _aspects(self, tone: str, count: int, but: Sequence[str] = ()) -> list[str]:
        possible = [
            name
            for name, sentences in _material()[tone].items()
            if name not in (*self._silent, *but)
            and not all(self._uses[self._theme, sentence] for sentence in sentences)
        ]
        return self._random.sample(possible, min(count, len(possible)))

    def _say(self, sentences: Sequence[str]) -> str:
        """One of these sentences about the paper, one that was said least."""
        least = min(self._uses[self._theme, sentence] for sentence in sentences)
        chosen = self._random.choice([sentence for sentence in sentences if self._uses[self._theme, sentence] == least])
        self._uses[self._theme, chosen] += 1
        return chosen.format(**self._slots)


def _slots(paper: Paper) -> dict[str, str]:
    """What a review can name of a paper: phrases of its theme, those that it uses itself first."""
    text = f"{paper.title} {paper.abstract}".lower()
    theme: dict[str, list[str]] = load_material("themes.toml")[paper.topics[-1]]

    def phrase(kind: str) -> str:
        return next((words for words in theme[kind] if words.lower() in text), theme[kind][0])

    return {"title": paper.title, **{kind: phrase(kind) for kind in ("object", "aspect", "method")}}


def _material() -> dict[str, Any]:
    return load_material("reviews.toml")
