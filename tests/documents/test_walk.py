"""Which files a path means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bridgerag.documents import document_id, find_files
from bridgerag.errors import InputError
from bridgerag.types import Skipped


@pytest.fixture
def folder(tmp_path):
    for name in [
        "b.txt",
        "a.md",
        "sub/c.html",
        "sub/deep/d.csv",
        ".hidden/x.txt",
        ".env.txt",
        "__pycache__/x.txt",
        "node_modules/x.txt",
        "bridge.store/x.txt",
        "other.index/catalog.sqlite",
        "other.index/x.txt",
        "picture.png",
        "Makefile",
    ]:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path


def found(paths, top, **options):
    items = list(find_files(paths, **options))
    names = [str(item.relative_to(top)) for item in items if not isinstance(item, Skipped)]
    return names, {
        os.path.relpath(i.source, top): i.reason for i in items if isinstance(i, Skipped)
    }


def test_a_folder_is_walked_in_order_without_hidden_entries_stores_and_caches(folder):
    names, skipped = found([folder], folder)
    assert names == ["a.md", "b.txt", "sub/c.html", "sub/deep/d.csv"]
    assert skipped == {
        "picture.png": "is not of a kind that bridgerag reads (.png)",
        "Makefile": "is not of a kind that bridgerag reads (no suffix)",
    }


def test_a_file_given_directly_always_counts_and_comes_once(folder):
    given = [folder / "Makefile", folder / ".env.txt", folder / "Makefile", str(folder / "b.txt")]
    assert found(given, folder) == (["Makefile", ".env.txt", "b.txt"], {})


def test_ignore_patterns_are_those_of_gitignore(folder):
    names, skipped = found(
        [folder], folder, ignore=["*.png", "/Makefile", "deep/", "*.md", "!a.md"]
    )
    assert names == ["a.md", "b.txt", "sub/c.html"]
    assert skipped == {}


def test_the_ignore_file_of_a_folder_holds_for_what_is_below_it(folder):
    (folder / "sub" / ".bridgeignore").write_text("# notes\n/deep/*.csv\n\nb.txt\n")
    (folder / "sub" / "b.txt").write_text("x")
    names, _ = found([folder], folder)
    assert names == ["a.md", "b.txt", "sub/c.html"]


def test_what_is_missing_or_a_store_is_said(folder):
    _, skipped = found([folder / "none.txt", folder / "other.index", "a\0b"], folder)
    reasons = list(skipped.values())
    assert reasons[:2] == ["does not exist", "is a store, not a folder of documents"]
    assert len(reasons) == 3


def test_links_are_followed_and_loops_end(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("x")
    (tmp_path / "sub" / "loop").symlink_to(tmp_path)
    (tmp_path / "again").symlink_to(tmp_path / "sub")
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nothing")
    names, skipped = found([tmp_path], tmp_path)
    assert names == ["again/a.txt"]
    assert skipped == {
        "self.txt": "is a symbolic link that leads back to itself",
        "gone.txt": "does not exist",
    }


def test_folders_may_nest_deeply_and_names_may_hold_line_ends(tmp_path, monkeypatch):
    depth = 1100  # more than Python's calls may nest, so it is made and removed step by step
    monkeypatch.chdir(tmp_path)
    for _ in range(depth):
        Path("d").mkdir()
        os.chdir("d")
    Path("a\nb.txt").write_text("x")
    assert list(find_files([tmp_path])) == [tmp_path.joinpath(*["d"] * depth, "a\nb.txt")]
    Path("a\nb.txt").unlink()
    for _ in range(depth):
        os.chdir("..")
        Path("d").rmdir()


def test_a_pattern_that_is_none_is_refused(folder):
    with pytest.raises(InputError, match="gitignore"):
        list(find_files([folder], ignore=["!"]))


def test_a_broken_ignore_file_is_said_and_its_folder_left_out(folder):
    (folder / "sub" / ".bridgeignore").write_text("!\n")
    names, skipped = found([folder], folder)
    assert names == ["a.md", "b.txt"]
    assert ".bridgeignore" in skipped["sub"]


def test_a_name_longer_than_the_system_allows_is_skipped(tmp_path):
    long = tmp_path / ("x" * 300)
    ((skipped),) = find_files([long])
    assert skipped == Skipped(document_id(long), "cannot be opened: File name too long")
