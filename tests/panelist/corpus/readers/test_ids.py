"""Files of ids: one rule for every command that reads one."""

import pytest

from panelist.corpus.readers.ids import read_ids
from panelist.errors import InputError


def test_comments_and_empty_lines_are_no_ids_and_each_id_counts_once(tmp_path):
    path = tmp_path / "committee.txt"
    path.write_text("\ufeff# the committee\n~Ada1\n\n  ~Bob1  \r\n  # chairs\n~Ada1\nhttps://openalex.org/A1#x\n")
    assert read_ids(path) == ("~Ada1", "~Bob1", "https://openalex.org/A1#x")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# nobody\n\n", r"no reviewer id: .*per line"),
        (b"~Ada1\nAda Net\n", r"committee.txt:2: .*received 'Ada Net'"),
        (b"\xff\xfe", "cannot read reviewer ids"),
    ],
)
def test_a_file_that_holds_no_ids_is_refused(tmp_path, content, message):
    path = tmp_path / "committee.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_ids(path)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read reviewer ids"):
        read_ids(tmp_path / "none.txt")
