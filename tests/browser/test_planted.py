"""A chair on the pages of a conference whose authors sit on its own committee: no method gives them their papers."""

import pytest
from browser_support import needs_browser
from chair_support import add, create, fill, kind, solve, tab, taken
from planted_support import Planted
from web_support import api_of

pytestmark = [pytest.mark.browser, needs_browser]

METHODS = ("total", "fair", "leximin", "envy", "random", "perturbed")


def own(planted, api, conference, number):
    """The pairs of a solution in which somebody reviews their own paper, in any form of their id."""
    rows = api.get(f"conferences/{conference}/solutions/{number}/pairs", params={"limit": 500}).json()["rows"]
    orcids = {who.rsplit("/", 1)[1]: who for who in planted.ids.values() if who.startswith("https://orcid.org/")}
    pairs = [(row["pair"]["paper"], row["pair"]["reviewer"]) for row in rows]
    assert len(pairs) == 3 * len(planted.works)
    return [(paper, who) for paper, who in pairs if orcids.get(who, who) in planted.authors[paper]]


def test_authors_under_five_forms_of_ids_who_come_late_get_nothing_by_any_method(window, address, tmp_path):
    window.look(1440, 1000)
    page, planted = window, Planted()
    files = {
        "submissions.jsonl": planted.submissions(without=planted.authors),
        "expertise.csv": planted.expertise(),
        "reviewers.csv": planted.people(),
    }
    conference = create(page, address, "Planted")
    for (name, content), what in zip(files.items(), ("submissions", "committee", "reviewers"), strict=True):
        (tmp_path / name).write_bytes(content)
        add(page, tmp_path / name)
        page.until(lambda: kind(page, what))  # noqa: B023
    tab(page, "scores")
    page.until(lambda: page.one("#run").is_enabled())
    fill(page, "#model", "bm25")
    page.click("#run")
    page.until(lambda: "computed here by the model bm25" in page.texts("#lead")[0])
    tab(page, "assignment")
    fill(page, "#method", "total")
    solve(page, 1)
    page.click("#take-1")
    taken(page, 1)
    with api_of(address) as api:
        late = own(planted, api, conference, 1)
        assert late, "without authors the planted people are the nearest to their own papers"
        tab(page, "files")
        (tmp_path / "submissions.jsonl").write_bytes(planted.submissions())
        add(page, tmp_path / "submissions.jsonl")
        page.until(lambda: api.get(f"conferences/{conference}/solutions/1").json()["conflicts"] >= len(late))
        tab(page, "assignment")
        page.until(lambda: any("with a conflict: repair it" in line for line in page.texts("#solutions td")))
        for number, method in enumerate(METHODS, 2):
            fill(page, "#method", method)
            solve(page, number)
            assert own(planted, api, conference, number) == [], method
        tab(page, "files")
        scores = "".join(
            f"{paper},{who.removeprefix('https://orcid.org/')},{0.9 if who in authors else 0.1 + at % 7 / 100}\n"
            for paper, authors in planted.authors.items()
            for at, who in enumerate(planted.ids.values())
        )
        (tmp_path / "scores.csv").write_text(scores)
        add(page, tmp_path / "scores.csv")
        page.until(lambda: "Scores:" in page.texts("#status")[0])
        tab(page, "assignment")
        number = len(METHODS) + 2
        fill(page, "#method", "fair")
        solve(page, number)
        assert own(planted, api, conference, number) == []
        page.click(f"#take-{number}")
        taken(page, number)
