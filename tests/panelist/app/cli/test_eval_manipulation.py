"""`panelist eval manipulation` on a committee that is too small to attack."""

import json


def test_a_committee_of_fewer_than_101_people_is_refused_in_one_line(tmp_path, panelist):
    works = [
        {
            "id": f"https://openalex.org/W{number}",
            "title": f"Bees and their hives {number}",
            "abstract_inverted_index": {"bees": [0], f"hive{number}": [1]},
            "publication_year": 2020 + number % 2,
            "authorships": [{"author": {"id": f"https://openalex.org/A{number % 9}", "display_name": "Ada"}}],
        }
        for number in range(40)
    ]
    (tmp_path / "works.jsonl").write_text("".join(json.dumps(work) + "\n" for work in works))
    for words in ((), ("--words",)):
        options = ("--corpus", "acl", "--model", "lexical", "--data", tmp_path / "works.jsonl")
        code, _, said = panelist("eval", "manipulation", *options, *words)
        assert code == 2
        assert "rank 101" in said
        assert "may review" in said
