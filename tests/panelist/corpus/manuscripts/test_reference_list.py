"""Where the list of references is, and how it divides into entries."""

import pytest

from panelist.corpus.manuscripts.lines import Line, clean_text
from panelist.corpus.manuscripts.reference_list import split_references

STYLES = {
    "bracketed": "[{n}] Lovelace A., Babbage C. {title}. Memoirs, 184{n}.",
    "numbered": "{n}. Lovelace A, Babbage C. {title}. Memoirs, 184{n}.",
    "by name": "Lovelace, A. and Babbage, C. (184{n}). {title}. Memoirs {n}.",
}


@pytest.mark.parametrize("style", STYLES)
def test_the_reference_section_of_a_manuscript_is_divided_into_entries(style):
    title = "A title of work number {n} that is lo-\nnger than a line"
    entries = [STYLES[style].format(n=n, title=title.format(n=n)) for n in range(1, 4)]
    before, after = "A title\nAbstract\nReferences are many.\n1. Introduction\nText.", "Appendix A\nMore."
    text = "\n".join([before, "References", *entries, after])
    found, _ = split_references([Line(line) for line in text.splitlines()])
    assert len(found) == 3
    for number, entry in enumerate(found, 1):
        assert f"A title of work number {number} that is longer than a line." in entry
        assert "More" not in entry


def test_a_manuscript_without_a_reference_section_has_no_references():
    assert split_references(list(map(Line, ["A title", "References are many.", "The end."]))) == ([], "none")


def column(entries, *, hanging, gap, page=0):
    """Lines of a column of 60 lines and more, as a page has them."""
    top = 700.0
    for entry in entries:
        for row, text in enumerate(entry):
            yield Line(text, page, 72.0 + (hanging if row else 0), 290.0, top, top, 9.0)
            top -= 11
        top -= gap


ENTRIES = [
    ["Ada Lovelace. 1843. Notes on the engine.", "Memoirs 1. Babbage, C. was asked. Then", "Menabrea, L. wrote 12."],
    ["Aimé Bonpland. 1805. On plants.", "Paris."],
    ["Humboldt, A. 1805. On mountains and", "Maps of 1800.", "Berlin, A. 12."],
    ["von Neumann, J. 1945. A draft of a report."],
]


@pytest.mark.parametrize(("hanging", "gap"), [(11, 0), (0, 4)])
def test_entries_without_numbers_are_told_by_indent_or_space(hanging, gap):
    lines = [Line("References", 0, 72.0, 120.0, 720.0, 720.0, 12.0), *column(ENTRIES, hanging=hanging, gap=gap)]
    assert split_references(lines) == ([" ".join(entry) for entry in ENTRIES], "fair")


def test_numbered_entries_without_a_heading_are_found_and_running_heads_left_out():
    head = [Line(f"{page} A running head", page, 72.0, 290.0, 760.0, 760.0, 9.0) for page in range(3)]
    entries = [[f"[{number}] A. Lovelace, Notes {number} (1843)."] for number in range(1, 9)]
    pages = [
        [Line("We cite [1] and [2].", 0, 72.0, 290.0, 600.0, 600.0, 10.0)],
        list(column(entries[:4], hanging=0, gap=0, page=1)),
        list(column(entries[4:], hanging=0, gap=0, page=2)),
    ]
    lines = [line for page, texts in enumerate(pages) for line in (head[page], *texts)]
    assert split_references(lines)[0] == [f"A. Lovelace, Notes {number} (1843)." for number in range(1, 9)]


@pytest.mark.parametrize("heading", ["Références", "Literatur", "6 Literaturverzeichnis", "Referencias", "REFERÊNCIAS"])
@pytest.mark.parametrize("end", ["Publisher’s Note The house is neutral.", "Ada Lovelace is a professor of engines."])
def test_headings_of_other_languages_begin_a_list_and_what_follows_it_is_left_out(heading, end):
    entries = [f"[{number}] A. Lovelace, Notes of the year 184{number}." for number in range(1, 5)]
    found, sure = split_references(list(map(Line, [heading, *entries, end, "She likes long walks."])))
    assert found == [f"A. Lovelace, Notes of the year 184{number}." for number in range(1, 5)]
    assert sure == "high"


def test_accents_beside_their_letters_are_put_above_them():
    assert clean_text("Meg´ıas, G¨oteborg, At ´omica, Franc¸ois, prac\x02tice 4`decay") == (
        "Megías, Göteborg, Atómica, François, practice 4`decay"
    )
