"""A window of a real browser and a server for it; a test file that needs another corpus has its own `service`."""

import pytest
from browser_support import browser
from panel_support import at, paper
from web_support import make_workspace, running, start_service


@pytest.fixture(scope="module", autouse=True)
def private_cache(tmp_path_factory):
    """Vectors of an encoder that is made up are nothing for the cache of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PANELIST_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    papers = [paper(f"p{i}", at(f"a{i}")) for i in range(4)]
    return start_service(make_workspace(tmp_path_factory.mktemp("web"), papers))


@pytest.fixture(scope="module")
def address(service):
    with running(service) as address:
        yield address


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.fixture
def page(window, address):
    """The find page as a newcomer sees it; a module that begins with another page has a fixture of its own."""
    window.look(1440, 1000)
    window.open(f"{address}/api")
    window.script("sessionStorage.clear()")
    window.open(address)
    return window
