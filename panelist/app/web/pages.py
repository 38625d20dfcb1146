"""The pages: each is its own content in the one frame, filled in when the server starts."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from string import Template

from fastapi import FastAPI, Request, Response

from panelist.app.web import limits
from retriever.lookup import Lookup

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class Page:
    """One page: where it is, its name in the menu, its content and script, and what the skip link leads to."""

    path: str
    name: str
    content: str
    script: str
    main: str


PAGES = (
    Page("/", "Find reviewers", "find.html", "find.js", "results"),
    Page("/assign", "Assign reviewers", "assign.html", "assign.js", "assignment"),
    Page("/evaluation", "Calibrate scores", "evaluation.html", "evaluation.js", "outcome"),
    Page("/reviews", "Check reviews", "reviews.html", "reviews.js", "outcome"),
    Page("/api", "API", "reference.html", "reference.js", "routes"),
)


def add_pages(app: FastAPI) -> None:
    """Serve the pages."""
    for page in PAGES:
        app.add_api_route(page.path, _route(page), methods=["GET", "HEAD"], include_in_schema=False)


def render(page: Page) -> str:
    """The whole page. Forms start with the defaults of a look-up and the limits of the API."""
    defaults = Lookup()
    form = {
        "size": defaults.size,
        "coauthor_years": defaults.conflict_rules.coauthor_years,
        "institution_years": defaults.conflict_rules.institution_years,
        "diversity": defaults.diversity,
        "largest": limits.PANEL,
        "longest_title": limits.TITLE,
        "longest_abstract": limits.ABSTRACT,
        "longest_name": limits.NAME,
        "outcome": _template("outcome.html").template.rstrip(),
    }
    here = ' aria-current="page"'
    links = [f'<a href="{one.path}"{here if one == page else ""}>{one.name}</a>' for one in PAGES]
    return _template("frame.html").substitute(
        name=page.name,
        script=page.script,
        main=page.main,
        links="\n      ".join(links),
        content=_template(page.content).substitute(form),
    )


def _template(name: str) -> Template:
    return Template((_TEMPLATES / name).read_text(encoding="utf-8"))


def _route(page: Page) -> Callable[[Request], Awaitable[Response]]:
    content = render(page).encode()
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'

    async def answer(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers={"ETag": tag})
        return Response(content, media_type="text/html; charset=utf-8", headers={"ETag": tag})

    return answer
