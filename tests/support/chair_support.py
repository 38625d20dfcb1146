"""What a chair does on the pages of a conference, in a real browser."""

from browser_support import second_tab

ROW = ".window-body .window-row"


def create(page, address, name):
    """Make a conference and go to its files; its id."""
    page.open(f"{address}/conferences")
    page.one("#name").send_keys(name)
    page.one("#who").clear()
    page.one("#who").send_keys("Ada")
    page.click("#create button")
    page.until(lambda: page.texts("#conference-name") == [name])
    made = page.driver.current_url.rsplit("/", 1)[1]
    tab(page, "files")
    return made


def add(page, path):
    """Add a file on the page Files."""
    page.script("document.querySelector('#chosen').multiple = true")
    page.one("#chosen").send_keys(str(path))


def drop(page, selector, path):
    """Drop a file on an element, as the mouse does."""
    page.script(
        "const [selector, text, name] = arguments; const area = document.querySelector(selector);"
        "const dataTransfer = new DataTransfer(); dataTransfer.items.add(new File([text], name));"
        "const send = (kind) => area.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true}));"
        "send('dragover'); send('drop')",
        selector,
        path.read_text(),
        path.name,
    )


def refused(page):
    """The one line that says why a file was not kept."""
    page.until(lambda: page.one("#problem").is_displayed())
    return page.one("#problem").text


def kind(page, name):
    """What is said of a file that is there."""
    return page.texts(f"[data-kind={name}] .summary")


def fill(page, selector, value):
    """Put a value into a control, as typing or choosing does."""
    page.until(lambda: page.all(selector))
    page.script(
        "const e = document.querySelector(arguments[0]); e.value = arguments[1];"
        "for (const kind of ['input', 'change']) e.dispatchEvent(new Event(kind, {bubbles: true}))",
        selector,
        value,
    )


def tab(page, name):
    """Go to another page of the conference."""
    page.click(f".tabs a[href$={name}]")
    page.until(lambda: page.driver.current_url.endswith(name) and page.texts("#conference-name") != ["Conference"])


def rows(page, where="#rows"):
    """The cells of the rows of a list that are in the page and have arrived."""
    page.until(lambda: page.all(f"{where} {ROW} > span + span"))
    return page.script(
        "return [...document.querySelectorAll(arguments[0])].map(r => [...r.children].map(c => c.textContent))",
        f"{where} {ROW}",
    )


def solve(page, number, button="#try"):
    """Press a button that makes this solution, and wait for it."""
    page.until(lambda: page.all(button) and page.one(button).is_enabled() and page.one(button).is_displayed())
    page.click(button)
    page.until(lambda: f"Solution {number}: done" in page.texts("#status")[0] and page.all(f"#take-{number}"))


def taken(page, number):
    """Wait until this solution is the chosen one."""
    page.until(lambda: page.texts("#chosen-heading") == [f"Who reviews what: solution {number}"])


def rename_elsewhere(page, name):
    """Give the conference another name in a second tab."""
    with second_tab(page):
        page.until(lambda: page.one("#rename").get_property("value"))
        page.click(".who summary")
        fill(page, "#rename", name)
        page.click("#save-name")
        page.until(lambda: page.texts("#conference-name") == [name])


def ask_too_much(page, address, name, scores):
    """Ask for five reviews each of 12 papers from 9 reviewers; the words of the cures that are offered as buttons."""
    create(page, address, name)
    add(page, scores)
    page.until(lambda: kind(page, "scores"))
    tab(page, "assignment")
    page.until(lambda: page.one("#try").is_enabled())
    fill(page, "#demand", "5")
    page.click("#try")
    page.until(lambda: page.all(".cures button"))
    return page.texts(".cures button")
