"""The pages: each is its own content in the one frame. What is in a path, such as a conference's id, is filled in."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from html import escape
from pathlib import Path
from string import Template
from types import MappingProxyType
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse

from panelist.app import limits
from panelist.app.access.roles import Permission, needs
from panelist.app.desk.conference.changes import LONGEST_NAME
from panelist.app.grobid import shown
from panelist.config import grobid_url, site_dir
from retriever.lookup import Lookup

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: path, name in the menu, script, target of the skip link, and template, if not called like the script."""

    path: str
    name: str
    script: str
    main: str
    content: str = ""
    tab: str = ""  # the page that it belongs to


PAGES = (
    Page("/", "Find reviewers", "find", "results"),
    Page("/submissions", "Submissions", "editor/list", "kept"),
    Page("/conferences", "Conferences", "conference/list", "conferences", content="conferences"),
    Page("/api", "API", "reference", "routes"),
)
"""The pages of the menu."""

EDITOR = (
    Page("/submissions/{submission}", "Submission", "editor/submission", "kept"),
    Page("/people/{person:path}", "Person", "editor/person", "profile"),
    Page("/compare", "Compare", "editor/compare", "comparison"),
)
"""The pages of the editor's desk behind its list."""

CONFERENCE = "/conferences/{conference}"
TABS = (
    Page(CONFERENCE, "Papers", "conference/rows", "papers"),
    Page(f"{CONFERENCE}/people", "People", "conference/rows", "people"),
    Page(f"{CONFERENCE}/conflicts", "Conflicts", "conference/conflicts", "conflicts"),
    Page(f"{CONFERENCE}/assignment", "Solutions", "conference/assignment", "assignment"),
    Page(f"{CONFERENCE}/reviews", "Reviews", "conference/reviews", "reviews"),
    Page(f"{CONFERENCE}/calibration", "Calibration", "conference/calibration", "calibration"),
    Page(f"{CONFERENCE}/scores", "Scores", "conference/scores", "scores"),
    Page(f"{CONFERENCE}/files", "Files", "conference/files", "files"),
    Page(f"{CONFERENCE}/history", "History", "conference/history", "history"),
)
"""The pages of one conference: papers and people first, what they are made of behind them."""

DETAILS = (
    Page(f"{CONFERENCE}/committee", "Committee", "conference/committee", "committee", tab="People"),
    Page(f"{CONFERENCE}/levels", "Levels", "conference/levels", "levels", tab="People"),
    Page(f"{CONFERENCE}/paper", "Paper", "conference/paper", "paper", content="conference/detail", tab="Papers"),
    Page(f"{CONFERENCE}/person", "Person", "conference/person", "person", content="conference/detail", tab="People"),
)
"""All about one paper or one person of a conference, by `?id=`; who the people of a list are, and their levels."""

SIGN_IN = Page("/signin", "Sign in", "signin", "sign-in")  # where users sign in

MISSING = Page("", "Nothing here", "api", "missing", content="missing")  # what is shown at an address where nothing is


def add_pages(app: FastAPI) -> None:
    """Add the routes of the pages to the server."""
    for page in (*PAGES, *EDITOR, *TABS, *DETAILS, SIGN_IN):
        render(page, {"conference": ""})  # a template that cannot be filled in fails at the start
        # A page without what it asks for tells nothing, so that whoever has not signed in may have it.
        open_to_all = [needs(Permission.OPEN)]
        app.get(page.path, include_in_schema=False, dependencies=open_to_all)(partial(_answer, page))


def render(page: Page, parameters: Mapping[str, str] = MappingProxyType({})) -> str:
    """The whole page, for parameters of its path; `refused` is why nobody was let in. Forms start with defaults."""
    defaults = Lookup()
    form: dict[str, object] = {
        **{name: getattr(defaults, name) for name in ("size", "diversity", "uncited", "newcomers")},
        "coauthor_years": defaults.conflict_rules.coauthor_years,
        "institution_years": defaults.conflict_rules.institution_years,
        "largest": limits.PANEL,
        "grobid": f" It is sent to the GROBID server at {escape(shown(grobid))}." if (grobid := grobid_url()) else "",
        **{f"longest_{name.lower()}": getattr(limits, name) for name in ("TITLE", "ABSTRACT", "NAME", "WHO", "RECORD")},
        "longest_conference": LONGEST_NAME,
        "most_kept": limits.PAIRS_KEPT,
        "conference": escape(parameters.get("conference", "")),
        "refused": escape(parameters.get("refused", "")),
        "name": page.name,
        "main": page.main,
    }
    content = _template(page.content or page.script).substitute(form)
    if page.path.startswith(CONFERENCE):
        form |= {"tabs": _links(TABS, page, parameters), "content": content}
        content = _template("conference/shell").substitute(form)
    links = _links(PAGES, page, {}) + ('\n      <a href="/docs/">Help</a>' if site_dir() else "")
    form |= {"script": page.script, "links": links, "content": content}
    return _template("frame").substitute(form)


def _links(pages: tuple[Page, ...], current: Page, parameters: Mapping[str, str]) -> str:
    """Links to pages; the one that is shown, or that it belongs to, is marked."""
    links = []
    for page in pages:
        is_parent = pages is PAGES and page.path != "/" and current.path.startswith(f"{page.path}/")
        is_parent = is_parent or page.name == current.tab
        mark = ' aria-current="page"' if page == current else ' aria-current="true"' if is_parent else ""
        links.append(f'<a href="{escape(page.path.format(**parameters))}"{mark}>{page.name}</a>')
    return "\n      ".join(links)


@cache
def _template(name: str) -> Template:
    return Template((_TEMPLATES / f"{name}.html").read_text(encoding="utf-8"))


async def _answer(page: Page, request: Request) -> HTMLResponse:
    return HTMLResponse(render(page, {name: quote(value, safe="") for name, value in request.path_params.items()}))
