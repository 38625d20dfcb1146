"""Places to write to: refused early, and written to so that a failure leaves what was there."""

import os
import threading
from pathlib import Path

import pytest

from panelist.errors import InputError
from panelist.files import check_directory, check_file, check_files, replacing, write_whole


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (".", "it is a directory"),
        ("none/a.csv", r"not a directory .*written"),
        ("old/a.csv", r"old' .*not a directory"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused(tmp_path, given, message):
    (tmp_path / "old").write_text("")
    with pytest.raises(InputError, match=message):
        check_file(tmp_path / given)


@pytest.mark.parametrize(("closed", "message"), [("old", "write-protected"), ("", r"not a directory .*written")])
def test_what_is_protected_is_refused(tmp_path, monkeypatch, closed, message):
    (tmp_path / "old").write_text("")
    # Whoever may do everything (root, in a container) is protected from nothing: say it in their stead.
    monkeypatch.setattr("panelist.files.os.access", lambda path, mode: path != tmp_path / closed)
    with pytest.raises(InputError, match=message):
        check_file(tmp_path / "old")


def test_what_can_be_written_is_not_touched(tmp_path):
    (tmp_path / "old").write_text("old")
    for given in (tmp_path / "old", tmp_path / "new"):
        check_file(given)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


def test_no_output_overwrites_an_input_or_another_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("kept")
    check_files((Path("a.csv"), None, Path("b.csv")), (Path("in.csv"), None))
    check_files((Path(os.devnull), Path(os.devnull)), (Path(os.devnull),))
    with pytest.raises(InputError, match=r"'in\.csv'.* give another file"):
        check_files((Path("a.csv"), Path("in.csv")), (tmp_path / "in.csv",))
    with pytest.raises(InputError, match=r"'b\.csv' twice"):
        check_files((tmp_path / "b.csv", Path("b.csv")))


def test_a_directory_is_made_unless_something_is_in_the_way(tmp_path):
    check_directory(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_text("")
    for given, message in (
        ("file", "it is a file, give a directory"),
        ("file/below", "cannot make the directory"),
    ):
        with pytest.raises(InputError, match=message):
            check_directory(tmp_path / given)


def fail_half_way(path, error):
    with replacing(path) as part:
        part.write_text("ha")
        assert part.suffix == path.suffix
        raise error


def test_what_fails_half_way_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "scores.csv.gz"
    path.write_text("old")
    with pytest.raises(InputError, match=r"cannot write '.*': No space"):
        fail_half_way(path, OSError(28, "No space left on device"))
    with pytest.raises(KeyboardInterrupt):
        fail_half_way(path, KeyboardInterrupt())
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"scores.csv.gz": "old"}


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    check_file(pipe)
    write_whole(pipe, b"content")
    reader.join(300)
    assert read == [b"content"]
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_nobody_can_guess_or_prepare_the_file_that_is_written(tmp_path, monkeypatch):
    target = tmp_path / "run.csv"
    names = set()
    for _ in range(2):
        with replacing(target) as part:
            names.add(part.name)
            part.write_text("x")
    assert len(names) == 2
    monkeypatch.setattr("panelist.files.token_hex", lambda size: "known")
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / ".run.known.part.csv").symlink_to(victim)
    with pytest.raises(InputError, match="cannot write"), replacing(target) as part:
        part.write_text("overwritten")
    assert victim.read_text() == "precious"
