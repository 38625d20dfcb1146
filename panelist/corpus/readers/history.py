"""Who reviewed and edited what, from whatever a journal or a conference has: the files, told by their content.

JATS XML with named editors and reviewers; JSON lines of papers with `people`, or of events; tables of any system;
a folder of OpenReview; `metadata.yaml` of ReScience and JOSS. A folder is read as a whole, with the abstracts of its
submissions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import UTC, date, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import orjson
from msgspec.structs import asdict, replace

from panelist.corpus.readers.catalogues.jats import ARTICLES, Article
from panelist.corpus.readers.fields import FieldError, fields, identifier, objects, text
from panelist.corpus.readers.lines import read_json_lines
from panelist.corpus.readers.people import BY_NAME
from panelist.corpus.readers.reader import converted, find_parts
from panelist.corpus.readers.report import ReadReport, note_left_out
from panelist.corpus.readers.rows import open_rows, read_text
from panelist.corpus.readers.submissions import find_submissions, read_submissions
from panelist.corpus.systems.history import day_of, read_report
from panelist.errors import InputError
from panelist.records import HistoryEvent, HistoryRole, Outcome, Submission

_XML, _LINES, _YAML = (".xml", ".nxml"), (".jsonl", ".json"), (".yaml", ".yml")
_TABLES = (".csv", ".tsv", ".txt", ".tab")
_ENDINGS = tuple(f"{ending}{packed}" for ending in (*_XML, *_LINES, *_YAML, *_TABLES) for packed in ("", ".gz"))
_REVIEW_TABLES = ("review", "assign", "history")
"""What the names of tables of reviews have, in a folder with others, such as EasyChair's."""


def read_history(paths: Iterable[Path], report: ReadReport, source: str = "") -> Iterator[HistoryEvent]:
    """The events of files and folders; `source` names the journal or conference whose system numbers the papers."""
    for path in paths:
        if path.is_dir() and (path / "assignments.csv").is_file() and (path / "reviews.json").is_file():
            yield from _of_openreview(path)
            continue
        texts: dict[str, Submission] = {}
        if path.is_dir() and find_submissions(path) is not None:
            prefix = f"{source}:" if source else ""
            texts = {f"{prefix}{paper.id}": paper for paper in read_submissions(path)}
        for file in find_parts([path], _ENDINGS):
            if texts and not any(word in file.name.lower() for word in _REVIEW_TABLES):
                continue  # beside the submissions lie tables of bids and people, which are no history
            for event in _read_file(file, report, source):
                paper = texts.get(event.paper)
                yield replace(event, title=paper.title, abstract=paper.abstract) if paper else event


def _read_file(path: Path, report: ReadReport, source: str) -> Iterator[HistoryEvent]:
    name = path.name.lower().removesuffix(".gz")
    if name.endswith(_XML):
        for article in ARTICLES.read([path], report):
            yield from _of_article(article)
    elif name.endswith(_LINES):
        for _, events in converted(read_json_lines(path, report), _of_record, path, report):
            yield from events
    elif name.endswith(_YAML):
        yield from _of_yaml(path, report)
    else:
        yield from read_report(path, report, source)


def _of_article(article: Article) -> list[HistoryEvent]:
    paper = article.paper
    people = [
        {**asdict(person), "id": "" if person.id.startswith(BY_NAME) else person.id, "role": role}
        for person, role in article.roles.items()
    ]
    texts = {"title": paper.title, "abstract": paper.abstract, "published": article.published}
    return _of_record({"id": paper.id, "people": people, **texts})


def _of_record(record: dict[str, Any]) -> list[HistoryEvent]:
    """A line as events: a paper with `people`, or one event with the fields of `HistoryEvent`."""
    events = [record]
    if "people" in record:
        paper = {name: text(record, name) for name in ("title", "abstract")} | {"paper": identifier(record.get("id"))}
        paper |= {"published": record["published"]} if record.get("published") else {}
        people = objects(record, "people")
        stated = ({name: value for name, value in person.items() if value is not None} for person in people)
        events = [{**person, **paper, "person": person.get("id") or ""} for person in stated]
    try:
        made = msgspec.convert(events, list[HistoryEvent])
    except msgspec.ValidationError as error:
        raise FieldError(f"{error}") from None
    for event in made:
        identifier(event.paper, "paper")
        if not (event.person or event.name or event.email or event.orcid):
            raise FieldError("names nobody by id, name, e-mail address or ORCID")
    return [replace(event, email=event.email.lower(), orcid=event.orcid.rpartition("/")[2]) for event in made]


def _of_yaml(path: Path, report: ReadReport) -> list[HistoryEvent]:
    """The editors and reviewers of ReScience's `metadata.yaml`, or of JOSS's; handles without a name are counted."""
    import yaml

    try:
        content = yaml.load(read_text(path), Loader=yaml.BaseLoader)  # plain texts: no objects
        article = {
            **content,
            **dict(chain(*(entry.items() for section in ("dates", "article") for entry in content.get(section, ())))),
        }
        published = day_of(article.get("published") or article["published_at"], "published")
        people = []
        for number, (role, name, orcid) in enumerate(_people_of(content), 1):
            if name:
                people.append({"role": role, "name": name, "orcid": orcid or "", "id": ""})
            else:
                report.left_out += 1
                note_left_out(path, number, "a handle or a role without a name")
        texts = {"title": article["title"], "abstract": article.get("abstract", ""), "published": f"{published}"}
        return _of_record({"id": f"doi:{article['doi'].lower()}", "people": people, **texts})
    except (yaml.YAMLError, LookupError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"'{path}' is not the metadata.yaml of a ReScience or JOSS article: {error!r}") from error


def _people_of(content: dict[str, Any]) -> Iterator[tuple[str, str, str | None]]:
    """Role, name and ORCID of ReScience's contributors, and of whom JOSS has under `editor` and `reviewers`."""
    for role in ("editor", "reviewer"):
        entries = content.get(f"{role}s") or content.get(role) or []
        entries = entries if isinstance(entries, list) else [entries]
        contributors = (person for person in content.get("contributors", ()) if person["role"] == role)
        for person in (*contributors, *entries):
            if isinstance(person, str):
                person = {"name": content.get(f"{role}_name", person if " " in person else "")}
            name = person.get("name") or ""
            yield role, "" if name.startswith("@") else name, person.get("orcid")


def _of_openreview(folder: Path) -> Iterator[HistoryEvent]:
    """Assignments of a pulled venue: done on the day of the paper's last review, open where it has none."""
    submissions = {paper.id: paper for paper in read_submissions(folder)}
    notes = orjson.loads((folder / "submissions.json").read_bytes())
    reviewed: dict[str, int] = defaultdict(int)
    for note in orjson.loads((folder / "reviews.json").read_bytes())["notes"]:
        reviewed[note.get("forum")] = max(reviewed[note.get("forum")], note.get("tcdate") or note.get("cdate") or 0)
    with open_rows(folder / "assignments.csv") as rows:
        for _, (paper, person, *_) in rows.filled():
            submission = submissions.get(paper) or Submission(paper, "")
            done, note = reviewed.get(paper), fields(notes, paper)
            yield HistoryEvent(
                person,
                HistoryRole.REVIEWER,
                paper,
                title=submission.title,
                abstract=submission.abstract,
                submitted=_day(done),
                published=_day(note.get("pdate")),
                outcome=Outcome.ACCEPTED if done is None else Outcome.DONE,
            )


def _day(milliseconds: int | None) -> date | None:
    return datetime.fromtimestamp(milliseconds / 1000, UTC).date() if milliseconds else None
