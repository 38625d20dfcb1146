"""OpenAlex works: the inverted index, every field, and where works are found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reader_support import read_all, reasons, work, write_works

from panelist.config import data_dir
from panelist.corpus.readers import openalex
from panelist.corpus.readers.fields import FieldError
from panelist.corpus.readers.report import ReadReport
from panelist.errors import InputError
from panelist.records import Author, Authorship, Institution, Paper

# The inverted index


def index_of(words):
    index = {}
    for position, word in enumerate(words):
        index.setdefault(word, []).append(position)
    return index


@given(st.lists(st.text(st.characters(blacklist_categories=["Z", "C"]), min_size=1), max_size=60), st.randoms())
def test_inverting_an_index_gives_the_text_back_in_whatever_order_it_comes(words, order):
    index = index_of(words)
    keys = list(index)
    order.shuffle(keys)
    assert openalex.text_of_index({key: index[key] for key in keys}) == " ".join(words)


@given(st.dictionaries(st.text("abc", min_size=1), st.lists(st.integers(0, 10**12), max_size=4), max_size=12))
def test_holes_doubled_and_huge_positions_keep_the_order(index):
    placed = [(position, rank) for rank, positions in enumerate(index.values()) for position in positions]
    words = list(index)
    assert openalex.text_of_index(index).split() == [words[rank] for _, rank in sorted(placed)]


@pytest.mark.parametrize("positions", ["0", 0, None, {"0": 1}, ["0"], [0.5], [None], [[0]]])
def test_positions_of_the_wrong_type_are_refused(positions):
    with pytest.raises(FieldError, match=r"abstract_inverted_index: .*'word'"):
        openalex.text_of_index({"word": positions})


# OpenAlex works


def test_a_complete_work_as_the_api_gives_it():
    full = {
        "id": "https://openalex.org/W1",
        "doi": "https://doi.org/10.1/x",
        "title": " A title ",
        "display_name": "A title",
        "publication_year": 2021,
        "abstract_inverted_index": {"Reviewers": [0, 2], "find": [1]},
        "authorships": [
            {
                "author": {
                    "id": "https://openalex.org/A1",
                    "display_name": "Ada Lovelace",
                    "orcid": "https://orcid.org/1",
                },
                "institutions": [
                    {"display_name": "Analytical", "ror": "https://ror.org/1", "country_code": "GB", "id": "I1"},
                    {"display_name": "Analytical", "ror": "https://ror.org/1", "country_code": "GB", "id": "I1"},
                    {"display_name": None, "ror": "https://ror.org/2", "country_code": None},
                    {"display_name": None, "ror": None, "country_code": "GB"},
                ],
            },
            {"author": {"id": None, "display_name": "Somebody"}, "institutions": []},
            {"author": {"id": "https://openalex.org/A2", "display_name": None}, "raw_author_name": "C. Babbage"},
            {"author": {"id": "https://openalex.org/A1", "display_name": "Ada Lovelace"}, "institutions": None},
        ],
        "primary_location": {"source": {"display_name": "Journal of Engines"}},
        "referenced_works": ["https://openalex.org/W2", "https://openalex.org/W3"],
        "cited_by_count": 7,
        "topics": [{"display_name": "Computing"}, {"display_name": None}],
        "keywords": [{"display_name": "Engines"}, {"display_name": "Computing"}],
    }
    report = ReadReport()
    assert openalex.to_paper(full, report) == Paper(
        "https://openalex.org/W1",
        "A title",
        "Reviewers find Reviewers",
        2021,
        (
            Authorship(
                Author("https://openalex.org/A1", "Ada Lovelace", "https://orcid.org/1"),
                (
                    Institution("Analytical", "https://ror.org/1", "GB"),
                    Institution("https://ror.org/2", "https://ror.org/2"),
                ),
            ),
            Authorship(Author("https://openalex.org/A2", "C. Babbage")),
        ),
        "Journal of Engines",
        "https://doi.org/10.1/x",
        ("https://openalex.org/W2", "https://openalex.org/W3"),
        7,
        ("Computing", "Engines"),
    )
    assert report.unidentified_authors == 1


def test_null_and_absent_fields_are_the_same_and_a_work_needs_no_authors():
    names = ("doi", "publication_year", "authorships", "referenced_works", "cited_by_count", "topics", "keywords")
    nulls = dict.fromkeys((*names, "primary_location", "abstract_inverted_index", "venue"))
    expected = Paper("W1", "Title 1")
    assert openalex.to_paper(work(**nulls)) == expected
    assert openalex.to_paper({"id": "W1", "title": "Title 1"}) == expected
    assert openalex.to_paper({"id": "W1", "display_name": "Title 1", "primary_location": {"source": None}}) == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"publication_year": "2019"}, {"year": 2019}),
        ({"publication_year": 2019.0}, {"year": 2019}),
        ({"publication_year": ""}, {"year": None}),
        ({"cited_by_count": "3"}, {"cited_by_count": 3}),
        ({"venue": ["acl", "naacl"]}, {"venue": "acl"}),
        ({"venue": "acl"}, {"venue": "acl"}),
        ({"id": 17}, {"id": "17"}),
    ],
)
def test_harmless_deviations_are_understood(fields, expected):
    paper = openalex.to_paper(work(**fields))
    assert {name: getattr(paper, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"id": None}, "id: missing"),
        ({"id": ""}, "id: '' is empty"),
        ({"id": "W 1"}, "id: 'W 1' is not allowed: it contains whitespace"),
        ({"id": "W1\n"}, "contains whitespace"),
        ({"id": ["W1"]}, "id: expected a string, received a list"),
        ({"title": None, "abstract_inverted_index": None}, "neither title nor abstract"),
        ({"title": 5}, "title: expected a string, received a number"),
        ({"publication_year": "MMXIX"}, "publication_year: expected a whole number, received 'MMXIX'"),
        ({"publication_year": 10**30}, "is not a year"),
        ({"publication_year": True}, "publication_year: expected a whole number"),
        ({"cited_by_count": -1}, "cited_by_count: -1 is not a count"),
        ({"cited_by_count": 10**30}, "is not a count"),
        ({"abstract_inverted_index": ["a"]}, "abstract_inverted_index: expected an object, received a list"),
        ({"authorships": "Ada"}, "authorships: expected a list, received a string"),
        ({"authorships": {"author": {}}}, "authorships: expected a list, received an object"),
        ({"authorships": ["Ada"]}, "authorships: an entry is not of the form"),
        ({"authorships": [{"author": "Ada"}]}, "authorships: an entry is not of the form"),
        ({"authorships": [{"author": {"id": ["A1"]}}]}, "authorships: an entry is not of the form"),
        ({"authorships": [{"author": {"id": "A 1"}}]}, "author id: 'A 1' is not allowed"),
        ({"authorships": [{"author": {"id": "A1"}, "institutions": [5]}]}, "authorships: an entry is not of the form"),
        (
            {"authorships": [{"author": {"id": "A1"}, "institutions": [{"display_name": 5}]}]},
            "institution name: expected a string",
        ),
        ({"referenced_works": "W2"}, "referenced_works: expected a list, received a string"),
        ({"referenced_works": ["W2", None]}, "an id of referenced_works: missing"),
        ({"referenced_works": ["W2", "W 3"]}, "an id of referenced_works: 'W 3' is not allowed"),
        ({"topics": ["biology"]}, "topics: expected a list of objects"),
        ({"primary_location": "here"}, "primary_location: expected an object"),
    ],
)
def test_what_cannot_be_used_is_rejected_with_its_reason_and_nothing_else(tmp_path, fields, reason):
    path = write_works(tmp_path / "works.jsonl", [work(1), work(2) | fields, work(3)])
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W1", "W3"]
    assert report.rejected == 1
    [(file, line, said)] = reasons(report)
    assert (file, line) == ("works.jsonl", 2)
    assert reason in said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
TEXTS = ["id", "title", "display_name", "abstract", "publication_year", "doi", "venue", "cited_by_count"]
CONTAINERS = ["abstract_inverted_index", "authorships", "primary_location", "referenced_works", "topics", "keywords"]
work_fields = st.sampled_from([*TEXTS, *CONTAINERS])


@given(st.dictionaries(work_fields, json_values), json_values, json_values)
def test_no_json_whatsoever_breaks_the_conversion(fields, author, institution):
    authorship = {"author": author, "institutions": [institution]}
    for broken in (work(**fields), work(authorships=[authorship, author]), fields, author):
        try:
            paper = openalex.to_paper(broken)
        except FieldError:
            continue
        assert paper.id.split() == [paper.id]
        assert paper.title or paper.abstract


def test_a_page_of_the_api_counts_as_its_works(tmp_path):
    path = write_works(tmp_path / "page.json", [{"meta": {"count": 2}, "results": [work(1), "noise", work(2)]}])
    papers, report = read_all(path)
    assert [paper.id for paper in papers] == ["W1", "W2"]
    assert reasons(report) == [("page.json", 1, "expected an object, received a string")]


def test_directories_are_read_recursively_in_order_beside_files(tmp_path):
    (tmp_path / "snapshot/b").mkdir(parents=True)
    write_works(tmp_path / "snapshot/b/part_000.gz", [work(3)])
    write_works(tmp_path / "snapshot/a.jsonl", [work(1)])
    write_works(tmp_path / "snapshot/b.jsonl.gz", [work(2)])
    write_works(tmp_path / "snapshot/.hidden.jsonl", [work(9)])
    (tmp_path / "snapshot/manifest").write_text("not a part")
    papers, report = read_all(tmp_path / "snapshot", write_works(tmp_path / "more.txt", [work(4)]))
    assert [paper.id for paper in papers] == ["W1", "W3", "W2", "W4"]
    assert report.rejected == 0


def test_missing_paths_and_directories_without_parts_are_errors(tmp_path):
    with pytest.raises(InputError, match=r"no such file .*nowhere"):
        read_all(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"no file .*\.jsonl or \.ndjson or \.gz"):
        read_all(tmp_path)


@pytest.mark.data
def test_real_works_read_without_a_rejection():
    papers, report = read_all(data_dir() / "elife/works")
    assert (len(papers), report.rejected) == (9506, 0)
    assert len({authorship.author.id for paper in papers for authorship in paper.authorships}) == 59393
    assert all(paper.abstract and paper.year for paper in papers)
