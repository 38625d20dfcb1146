"""The documentation: the site builds without a dead link, everything is described, and what it shows runs."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from browser_support import browser, needs_browser
from panel_support import at, paper
from web_support import make_workspace, running, start_service

import panelist
from panelist import config
from panelist.app.web.app import DocumentationSite
from panelist.errors import InputError

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
NOT_RUN = {
    "reference/stores.md": "needs Pyserini with all its dependencies, and a Java development kit",
    "guides/researcher.md": "tests/panelist/test_extending.py runs it",
}


@pytest.fixture(scope="module")
def generated():
    """The module that makes the pages of commands, routes and names."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("generated", DOCS / "generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, which does not build where a link leads nowhere."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr[-3000:]
    return folder


@pytest.fixture(scope="module")
def server(site, tmp_path_factory):
    """The address of a server that shows the site."""
    workspace = make_workspace(tmp_path_factory.mktemp("web"), [paper("p1", at("a1"))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PANELIST_DOCS", str(site))
        with running(start_service(workspace)) as address:
            yield address


def test_the_site_has_the_docstrings_of_exported_names(site):
    assert "Everything that can be asked of a look-up" in (site / "reference/api/index.html").read_text()


def test_a_server_shows_the_site_and_nothing_beside_it(server):
    with httpx2.Client(base_url=server, follow_redirects=True) as client:
        assert "Find the people who can review a paper" in client.get("/docs").text
        assert client.get("/docs/reference/openapi.json").json()["info"]["title"] == "Panelist"
        assert '<a href="/docs/">Help</a>' in client.get("/").text
        for path in ("/docs/nowhere", "/docs/../config.py", "/docs/%2e%2e/%2e%2e/etc/passwd"):
            answer = client.get(path, headers={"Accept": "text/html"})
            assert answer.status_code == 404
            assert "There is nothing at this address" in answer.text
        scripts = re.search("script-src ([^;]*)", client.get("/docs/").headers["content-security-policy"])[1]
        assert "'unsafe-inline'" not in scripts
        assert "sha256" not in client.get("/").headers["content-security-policy"]


@pytest.mark.browser
@needs_browser
def test_a_browser_shows_the_site_without_a_complaint_and_searches_it(server, tmp_path):
    with browser(tmp_path) as page:
        page.open(f"{server}/docs/guides/chair/")
        field = page.until(lambda: page.one("input.md-search__input"))
        page.script("document.querySelector('#__search').checked = true")
        page.until(field.is_displayed)
        field.send_keys("conflicts")
        page.until(lambda: page.texts(".md-search-result__item"))
        assert page.complaints() == []


def test_a_folder_without_a_site_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"index\.html.*make docs"):
        DocumentationSite(tmp_path)


def commands(command, *path):
    yield path, command
    for name, below in getattr(command, "commands", {}).items():
        yield from commands(below, *path, name)


def test_every_command_and_option_is_described(generated):
    from typer.main import get_command

    from panelist.app.cli.main import command_line

    page, sections = generated.command_line_page(), {}
    assert not re.search(r"^\* `[\w-]+`: .*\.\.\.$", page, re.M), "a summary is cut"
    for title, section in re.findall(r"^#+ (.+?)\n(.*?)(?=^#|\Z)", page, re.M | re.S):
        sections[title.strip("`")] = section
    everything = list(commands(get_command(command_line()), "panelist"))
    assert len(everything) > 60
    for path, command in everything:
        section = sections[" ".join(path) if len(path) > 1 else "The command line"]
        assert command.help, path
        for param in command.params:
            assert param.help, f"{path}: {param.name} has no help"
            assert all(name in section for name in (*param.opts, *param.secondary_opts)), (path, param.opts)


def test_every_exported_name_is_described(generated):
    page = generated.python_page()
    for name in panelist.__all__:
        if name != "__version__":
            assert f"## panelist.{name}\n" in page
            assert getattr(panelist, name).__doc__, name


def test_every_route_is_described(generated):
    page = generated.http_page()
    assert page.count("\n### ") > 80
    assert "`POST /reviewers`" in page


def test_the_description_of_the_api_is_checked_in(generated):
    """A client is made from it: what changes in it is seen in a review."""
    stored = json.loads((DOCS / "reference/openapi.json").read_text())
    assert stored == json.loads(json.dumps(generated.openapi())), "the API has changed: run 'make openapi'"
    operations = [one for path in stored["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    assert "get_conferences_conference_solutions_number" in names


def test_every_variable_is_described():
    page = (DOCS / "reference/environment.md").read_text()
    asked = set(re.findall(r"PANELIST_[A-Z_]*[A-Z]", Path(config.__file__).read_text()))
    assert {name for name in asked if f"`{name}`" not in page} <= {"PANELIST_OPENREVIEW", "PANELIST_OIDC"}  # beginnings


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The demo's workspace: a page that makes it again finds it."""
    workspace = tmp_path_factory.mktemp("docs") / ".demo"
    command = [sys.executable, "-m", "panelist", "demo", "--workspace", str(workspace)]
    subprocess.run(command, check=True, capture_output=True)
    return workspace


@pytest.mark.model
@pytest.mark.java
def test_the_example_prints_what_the_readme_shows(demo):
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 120
    code, shown = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", readme, re.DOTALL).groups()
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, cwd=demo.parent, capture_output=True, text=True, check=True)
    assert result.stdout == shown


def pages_that_run():
    pages = [path for path in sorted(DOCS.rglob("*.md")) if re.search(r"^```(python|sh)$", path.read_text(), re.M)]
    return [path for path in pages if str(path.relative_to(DOCS)) not in NOT_RUN]


@pytest.mark.model
@pytest.mark.java
@pytest.mark.parametrize("page", pages_that_run(), ids=lambda path: str(path.relative_to(DOCS)))
def test_blocks_run_in_their_order(page, demo, tmp_path, monkeypatch, panelist):
    """Indented blocks are for reading; fenced ones of Python and commands run, in an empty directory."""
    shutil.copytree(demo, tmp_path / ".demo")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "examples"}
    for kind, block in re.findall(r"^```(python|sh)\n(.*?)^```", page.read_text(), re.M | re.S):
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)
            continue
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            if words:
                assert words[0] == "panelist", line
                code, _, said = panelist(*words[1:])
                assert code == 0, f"{line}: {said}"
