"""A finder over the papers around Xenia Reef, and the conflicts that it sees."""

import pytest
from conflict_support import PAPERS, look
from panel_support import ids, make_finder


@pytest.fixture(scope="module")
def finder(tmp_path_factory):
    with make_finder(tmp_path_factory.mktemp("conflicts"), PAPERS) as made:
        yield made


@pytest.fixture(scope="module")
def evidence(finder):
    """reviewer -> [(kind, certain, evidence)] of everybody, for a submission with these authors and rules."""

    def tell(submission, **changes):
        panel = finder.find(submission, look(conflicts="flag", **changes))
        assert set(ids(panel)) == {one.author.id for work in PAPERS for one in work.authorships}
        assert all(c.reviewer == m.author.id and c.submission == "s1" for m in panel.matches for c in m.conflicts)
        return {
            match.author.id: [(one.kind, one.certain, one.evidence) for one in match.conflicts]
            for match in panel.matches
            if match.conflicts
        }

    return tell
