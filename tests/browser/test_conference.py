"""A chair's whole work in a real browser, in one run on the demo's files: from a name to calibrated papers.

In between pages are reloaded, the server is started again (once after it has lost a job), and a second tab changes the
same conference. Every step gets something bad first: one line says what is wrong, and nothing of it is kept.
"""

import csv
import io
import json
import re
import shutil
import zipfile
from itertools import pairwise

import pytest
from browser_support import needs_browser, second_tab
from chair_support import add, create, drop, fill, kind, refused, rename_elsewhere, rows, solve, tab, taken
from conference_support import open_conferences, zipped
from selenium.webdriver.common.keys import Keys
from web_support import make_workspace, running, start_service

from panelist.app.demo.conference import write_conference

pytestmark = [pytest.mark.browser, needs_browser]

PRAISE = "The paper is well written and the experiments are convincing. The method is novel."
UNAWARE = "Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})"
"""A page that is not seen does not look for what others change."""
BLAME = "The evaluation is weak: baselines are missing. The text is hard to follow in section 3."


@pytest.fixture
def folder(tmp_path):
    """Files as a chair would have them, good and bad."""
    venue = write_conference(tmp_path / "venue")
    shutil.make_archive(str(venue), "zip", venue)
    paper = next(iter(json.loads((venue / "submissions.json").read_text())))
    one, other = sorted(path.stem for path in (venue / "archives").iterdir())[:2]
    for name, text in {
        "submissions.csv": "id,title,abstract\ns1,,\ns2,A,\ns2,B,\n",
        "bad scores.csv": f"{paper},{one},0.5\n{paper},{one},high\n",
        "conflicts.csv": f"{paper},{one},-1\nsx,{one},-1\n",
        "notes": f"{paper},{other},very high\n",
        "quotas.csv": f"{one},5\nnobody,3\n",
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "evil.zip").write_bytes(zipped({"../../evil": b"x"}))
    return tmp_path


def add_files(page, folder):
    add(page, folder / "bad scores.csv")
    expected = "bad scores.csv was not kept. bad scores.csv, line 2: score 'high' is not a number"
    assert refused(page) == expected
    add(page, folder / "evil.zip")
    page.until(lambda: "leads elsewhere" in refused(page))
    add(page, folder / "submissions.csv")
    page.until(lambda: len(page.texts("#errors li")) == 2)
    assert page.texts("#errors li")[1] == "submissions.csv, line 4 · the id 's2' comes twice"
    assert page.all(".kind.there") == []
    add(page, folder / "venue.zip")
    page.until(lambda: kind(page, "committee"))
    assert not page.one("#problem").is_displayed()
    assert kind(page, "submissions") == ["42 submissions, 2 without an abstract"]
    assert kind(page, "committee")[0].startswith("40 reviewers with ")
    add(page, folder / "conflicts.csv")
    page.until(lambda: kind(page, "constraints"))
    page.click("[data-kind=constraints] summary")
    assert page.texts("[data-kind=constraints] .lines li") == ["line 2 · sx"]
    page.click(".leave-out")
    page.until(lambda: "1 line left out" in kind(page, "constraints")[0])
    drop(page, "#kinds", folder / "notes")  # anywhere on the page; but what is it?
    page.until(lambda: page.one("#kind-dialog").is_displayed())
    page.script("document.querySelector('#kind').value = 'bids'")
    page.click("#kind-dialog .primary")
    page.until(lambda: kind(page, "bids") == ["1 bid of 1 reviewer"])
    page.script(UNAWARE)
    rename_elsewhere(page, "Renamed elsewhere")
    add(page, folder / "quotas.csv")
    page.until(lambda: page.one("#changed").is_displayed())
    assert "was changed meanwhile: renamed by Ada" in page.one("#changed").text
    assert page.texts("#conference-name") == ["Renamed elsewhere"]
    assert kind(page, "quotas") == []
    add(page, folder / "quotas.csv")
    page.until(lambda: kind(page, "quotas") == ["2 quotas"])
    assert not page.one("#changed").is_displayed()


def score(page):
    tab(page, "scores")
    page.until(lambda: page.one("#run").is_enabled())
    fill(page, "#keep", "0")
    page.click("#run")
    assert "keep" in refused(page)
    assert not page.one("#found").is_displayed()
    fill(page, "#keep", "50")
    page.click("#run")
    made = "computed here by the model hybrid: 42 submissions and 40 reviewers"
    page.until(lambda: made in page.texts("#lead")[0])
    page.driver.refresh()
    page.until(lambda: page.texts("#facts dd"))


def lose_the_job(workspace, conference):
    """Leave what a killed server leaves: a job that had begun and not ended."""
    job = workspace.path / "jobs" / "cut" / "job.json"
    job.parent.mkdir()
    job.write_text('{"id": "cut", "created": "2026-01-01T00:00:00+00:00", "state": "running"}')
    with open_conferences(workspace.path).note(conference) as change:
        begun = change.before.record("scores/job", dict)
        change.put("scores/job", record=begun | {"job": "cut"})


def resume(page):
    page.driver.refresh()
    assert refused(page).startswith("The server was stopped while it scored.")
    assert page.one("#run").text == "Resume scoring"
    assert len(page.texts("#facts dd")) == 4  # the finished scores are there
    page.click("#run")
    page.until(lambda: page.one("#run").text == "Score" and not page.one("#problem").is_displayed())
    page.driver.refresh()


def best(cell):
    return -1.0 if cell == "–" else float(cell)


def inspect(page):
    page.until(lambda: page.all("#plot .dots.best"))
    assert page.script("return document.querySelector('#plot .dots.third').getAttribute('d').split('M').length") == 43
    fill(page, "#threshold", "1000")
    page.until(lambda: page.texts("#facts dd")[:2] == ["42", "40"])
    page.click(".tabs a:first-child")
    assert len(rows(page)) > 10
    assert page.one("#rows .window").get_attribute("aria-rowcount") == "43"
    fill(page, "#sort", "able")
    page.until(lambda: [int(row[2]) for row in rows(page)] == sorted(int(row[2]) for row in rows(page)))
    wanted = rows(page)[3]
    fill(page, "#search", wanted[1])
    page.until(lambda: [row[1] for row in rows(page)] == [wanted[1]])
    page.one("#rows .window").send_keys(Keys.ENTER)
    page.until(lambda: page.texts("#paper-heading") == [wanted[1]])
    tab(page, "people")
    fill(page, "#sort", "best")
    page.until(lambda: [row[4] for row in rows(page)] == sorted((row[4] for row in rows(page)), key=best))
    tab(page, "conflicts")
    fill(page, "#which", "certain")
    fill(page, "#search", "declared")
    page.until(lambda: page.texts("#list .conflict-list .conflict li") == ["declared by the user"])


def assign(page):
    tab(page, "assignment")
    page.until(lambda: page.one("#try").is_enabled())
    page.click("#try")
    page.until(lambda: "quotas.csv: no reviewer 'nobody' in the scores" in refused(page))
    assert page.all(".side") == []
    tab(page, "files")
    page.until(lambda: page.all("[data-kind=quotas] .leave-out"))
    page.click("[data-kind=quotas] .leave-out")
    page.until(lambda: "1 line left out" in kind(page, "quotas")[0])
    tab(page, "assignment")
    solve(page, 1)
    fill(page, "#method", "total")
    solve(page, 2)
    assert page.texts(".side h3") == ["Solution 1", "Solution 2"]
    assert len(page.all(".side svg")) == 6
    assert "in both" in page.until(lambda: page.texts("#differences"))[0]
    assert not page.one("#chosen").is_displayed()
    page.script(UNAWARE)
    with second_tab(page):
        page.until(lambda: page.all("#take-1") and page.all("#steps li") and page.texts("#differences"))
        page.click("#take-1")
        taken(page, 1)
    page.click("#take-2")
    page.until(lambda: page.one("#changed").is_displayed())
    assert "was changed meanwhile: chose by Ada" in page.one("#changed").text
    taken(page, 1)
    page.click("#take-2")
    taken(page, 2)


def change_by_hand(page):
    """Lock the first pair, replace the reviewer of the second; what must hold afterwards, and what must not."""
    page.click(".tabs a:first-child")
    title = rows(page)[0][1]
    page.click("#rows .window-row[id][aria-rowindex='2']")
    page.until(lambda: page.texts("#paper-heading") == [title])
    first, second = ((title, name) for name in page.texts("#reviewers .reviewer strong")[:2])
    for at, (_, name) in enumerate((first, second)):
        page.until(lambda name=name: name in page.texts("#reviewers .reviewer strong"))
        card = f"#reviewers .reviewer:nth-child({page.texts('#reviewers .reviewer strong').index(name) + 1})"
        page.click(f"{card} .why-person")
        page.until(lambda card=card: page.texts(f"{card} .reasons li") and page.texts(f"{card} .papers mark"))
        assert len(page.texts(f"{card} .papers ~ .more summary")) == 1
        if at:
            instead = page.script(
                "return document.querySelector(arguments[0]).selectedOptions[0].text.replace(/ \\([^(]*\\)$/, '')",
                f"{card} select",
            )
        page.click(f"{card} [data-action={('lock', 'replace')[at]}]")
        page.until(lambda: "Noted" in page.texts("#toast")[0])
        page.until(lambda at=at: f"{at + 1} change" in "".join(page.texts("#steps li span")[:1]))
    page.until(lambda: f"instead of {second[1]}" in page.texts("#reviewers .reviewer:last-child .help")[0])
    assert page.script("return document.querySelector('.steps').clientHeight") < 70  # one line
    assert page.script("return [...document.querySelectorAll('[data-action=release]')].map(e => e.textContent)") == [
        "Release",
        "Allow",
        "Release",
    ]
    tab(page, "assignment")
    return {first, (second[0], instead)}, {second}


def solve_again(page, kept, gone):
    page.driver.refresh()
    page.until(lambda: page.texts("#steps li span")[:1] == ["2 changes by hand since solution 2 was made."])
    page.until(lambda: page.all("[data-format=csv]"))
    page.click("[data-format=csv]")
    page.until(lambda: "the file will not have them" in page.texts("#toast")[0])
    before = shown(page)
    page.click("#steps [data-action=resolve]")
    page.until(lambda: page.all("#take-3"))
    top = page.script("return document.querySelector('#outcome').getBoundingClientRect().top")
    assert 0 <= top < 500  # what came out is in view
    page.until(lambda: page.texts("#differences"))
    assert re.search(r"The total of 3 is (that|\d+\.\d% (above|below) that) of 2\.$", page.texts("#differences")[0])
    page.click("#take-3")
    taken(page, 3)
    page.until(lambda: not page.all("#steps [data-action=resolve], #steps [data-action=compare]"))
    after = shown(page)
    assert kept <= after
    assert not gone & after
    assert len(before - after) <= 3
    return sorted(exported(page))


def shown(page):
    """The pairs of the chosen solution, by title and name."""
    found = page.driver.execute_async_script(
        "const [done] = arguments, id = location.pathname.split('/')[2];"
        "fetch(`/api/v1/conferences/${id}/papers?limit=500`).then(r => r.json()).then(done)"
    )
    return {(row["title"], one["label"]) for row in found["rows"] for one in row["assigned"]}


def exported(page):
    """The pairs of the chosen solution, as OpenReview reads them."""
    page.until(lambda: page.all("[data-format=csv]"))
    page.click("[data-format=csv]")
    return {(row[0], row[1]) for row in csv.reader(io.StringIO(page.downloaded("assignment.csv")))}


def export(page, pairs):
    page.click("[data-format=people]")
    table = list(csv.DictReader(io.StringIO(page.downloaded("assignment-for-people.csv").lstrip("\ufeff"))))
    assert {(row["paper"], row["reviewer"]) for row in table} == set(pairs)
    page.click("[data-format=zip]")
    page.until(lambda: (page.downloads / "assignment.zip").exists())
    assert "assignment.csv" in zipfile.ZipFile(page.downloads / "assignment.zip").namelist()


def reviews(pairs, *, texts):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["paper", "reviewer", "score", *(["text"] if texts else [])])
    for number, (paper, reviewer) in enumerate(pairs):
        score = 3 + len(paper + reviewer) % 5 + number % 2
        writer.writerow([paper, reviewer, score, *([(PRAISE, BLAME)[number % 2]] if texts else [])])
    return out.getvalue()


def send_reviews(page, folder, pairs):
    tab(page, "reviews")
    bad, good = folder / "bad.csv", folder / "reviews.csv"
    bad.write_text(reviews([*pairs[:3], ("no-such-paper", pairs[0][1])], texts=True))
    good.write_text(reviews(pairs[1:], texts=True))
    page.one("#texts").send_keys(str(bad))
    page.until(lambda: page.all("#refused .problem"))
    assert "Nothing was kept. 1 line names a paper that this conference does not have" in page.texts("#refused")[0]
    assert page.texts("#refused li") == ["line 5 · no paper 'no-such-paper' in this conference"]
    assert page.texts("#sent strong") == []
    drop(page, "#upload .drop", good)
    page.until(lambda: page.one("#tools").is_displayed() and page.all(".review"))
    assert page.texts("#sent summary") == ["1 × reviews that were assigned and have not come"]
    page.until(lambda: page.one("#result .window").get_attribute("aria-rowcount") == "43")
    title = rows(page, "#result")[4][0]
    page.click("#result .window-row[id][aria-rowindex='6']")
    page.until(lambda: page.texts("#result .paper h2") == [title])
    page.click("[data-export=authors]")
    assert page.downloaded("reviews-authors.csv").startswith("paper,review,")


def calibrate(page, folder, pairs):
    tab(page, "calibration")
    scores = folder / "scores.csv"
    scores.write_text("paper,reviewer,score\np1,r1,splendid\n")
    page.one("#scores").send_keys(str(scores))
    page.until(lambda: "line 2: the score must be a number, received 'splendid'" in page.texts("#refused")[0])
    assert page.texts("#sent strong") == ["reviews.csv"]
    assert page.texts("#result .lead") == []
    scores.write_text(reviews(pairs, texts=False))
    page.one("#scores").send_keys(str(scores))
    page.until(lambda: page.texts("#result .lead"))
    assert page.texts("#sent strong") == ["scores.csv"]
    assert f"{len(pairs)} reviews of" in page.texts("#result .lead")[0]
    for plot in page.all("#result .plot svg")[:2]:
        words = page.script(
            "return [...arguments[0].querySelectorAll('text[text-anchor=end]')].map(e => e.textContent)", plot
        )
        steps = {f"{float(b) - float(a):.3g}".strip("0.") for a, b in pairwise(words)}
        assert steps in ({"1"}, {"2"}, {"5"})  # round ticks


def look_at_a_paper(page):
    page.driver.refresh()
    page.until(lambda: page.all("#result .window-body a"))
    page.click("#result .window-body a")
    page.until(lambda: page.all("#worth"))
    assert len(page.texts("#worth dd")) == 4
    assert page.texts("#worth dd")[2].endswith("%")
    assert len(page.all("#reviewers .reviewer")) == 3
    page.click("#reviewers .reviewer .why-person")
    page.until(lambda: page.texts("#reviewers .paper .name"))
    assert page.all(".review")


def look_at_the_history(page):
    tab(page, "history")
    told = [row[2] for row in rows(page, "#events")]
    assert told[0].startswith("calibrated")
    locked = next(at for at, words in enumerate(told) if words.startswith("lock "))
    page.click(f"#events .window-body .window-row:nth-child({locked + 1})")
    page.until(lambda: page.all("#toast button"))
    page.click("#toast button")
    page.until(lambda: rows(page, "#events")[0][2].startswith("undo: lock "))
    page.click("#save-csv")
    history = list(csv.DictReader(io.StringIO(page.downloaded("history.csv"))))
    assert {row["who"] for row in history} == {"Ada"}
    assert [row["kind"] for row in history] == [
        *("created", "file added", "file added", "lines left out", "file added", "renamed", "file added"),
        *("scored", "scored", "lines left out", "chose", "chose", "lock", "replace", "chose"),
        *("reviews", "reviews", "calibrated", "undo"),
    ]


def test_from_a_name_to_calibrated_papers(window, folder):
    page, workspace = window, make_workspace(folder / "workspace")
    page.look(1440, 1000)

    def serving(port=0):
        return running(start_service(workspace), port=port)

    with serving() as address:
        port = int(address.rsplit(":", 1)[1])
        conference = create(page, address, "Invented 2026")
        add_files(page, folder)
        score(page)
    lose_the_job(workspace, conference)
    with serving(port):
        resume(page)
        inspect(page)
        assign(page)
        kept, gone = change_by_hand(page)
    with serving(port):
        pairs = solve_again(page, kept, gone)
        export(page, pairs)
        send_reviews(page, folder, pairs)
        calibrate(page, folder, pairs)
    with serving(port):
        look_at_a_paper(page)
        look_at_the_history(page)
        assert [line for line in page.complaints() if "Failed to load resource" not in line] == []
