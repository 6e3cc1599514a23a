"""What a file gives, by kind, and what is said about a file that gives nothing."""

from __future__ import annotations

import gzip
import io
import json
import os
import socket
import stat
import zipfile

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgerag.documents import document_id, load, stream
from bridgerag.documents.decode import clean
from bridgerag.types import Document, Skipped


def test_a_text_file_is_one_document_called_by_its_absolute_path(tmp_path, load_one):
    document = load_one("notes of 2024.txt", "Hello.\r\nWorld.\n")
    assert document.id == document.source == f"{tmp_path.as_posix()}/notes of 2024.txt"
    assert document.title == "notes of 2024"
    assert document.text == "Hello.\nWorld.\n"


def test_the_id_folds_dots_and_keeps_links(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    relative = tmp_path.relative_to("/")
    assert document_id("/" / relative / "a/../link/x.txt") == f"/{relative}/link/x.txt"


def test_a_name_that_is_not_utf_8_has_an_id_that_can_be_stored(tmp_path):
    name = os.fsencode(tmp_path) + b"/\xff\n.txt"
    with open(name, "wb") as file:  # noqa: PTH123  the name is bytes
        file.write(b"text")
    path = tmp_path / os.fsdecode(b"\xff\n.txt")
    (document,) = load(path)
    assert document.id.endswith("/\\xff\n.txt")
    assert document.title == "\\xff"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Grüße aus Köln – schön, dass Sie da sind.\n", "utf-8"),
        ("Grüße aus Köln\n", "utf-8-sig"),
        ("Grüße aus Köln, 中文\n", "utf-16"),
        ("Grüße aus Köln, Москва\n", "utf-32"),
        ("Greetings from Cologne\n", "utf-16-le"),
        ("Greetings from Cologne\n", "utf-16-be"),
        ("Москва — столица России, крупнейший по численности населения город страны.\n", "cp1251"),
        ("今天天气很好，我们一起去公园散步，然后回家吃饭。这是一个简单的例子。\n", "gb18030"),
        ("東京は日本の首都です。今日は天気がいいので、公園へ行きましょう。\n", "shift_jis"),
        ("Le garçon est allé à l'école où il a été élève; ça va très bien.\n", "cp1252"),
    ],
)
def test_the_encoding_is_detected(load_one, text, encoding):
    assert load_one("a.txt", (text * 5).encode(encoding)).text == text * 5


def test_utf_8_with_a_broken_byte_is_still_utf_8(load_one):
    data = "Грüße, мир! ".encode() * 20
    assert load_one("a.txt", data + b"\xff end").text.endswith("мир! \ufffd end")


def test_control_characters_and_lone_surrogates_go_and_page_breaks_end_lines():
    assert clean("a\x00b\x07c\td\r\ne\rf\x0cg\x0bh\ud800i") == "abc\td\ne\nf\ng\nh\ufffdi"


@given(st.text(st.characters()))
def test_clean_text_can_be_encoded_and_is_clean_already(text):
    text = clean(text)
    text.encode()
    assert clean(text.removeprefix("\ufeff")) == text.removeprefix("\ufeff")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b" \n\t\r\n", "only white space"),
        ("a.txt", bytes(range(256)) * 8, "is binary"),
        ("a.txt", b"\x7fELF\x01\x01\x01" + bytes(200), "is binary"),
        ("a.txt", b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04\xff\xfe\xfd" * 9, "is binary"),
        ("unknown.xyz", bytes(300), "is binary"),
        ("a.jsonl", b"", "is empty"),
        ("a.pdf", b"%PDF-1.7 nonsense", "is not a sound PDF"),
        ("a.docx", b"PK\x03\x04 nonsense", "is not a sound DOCX"),
        ("a.docx", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(600), "is encrypted or"),
        ("a.txt.gz", b"no gzip", "is not a sound .gz"),
        ("a.txt.gz", gzip.compress(b"text" * 999, mtime=0)[:-20], "is not a sound .gz"),
        ("a.csv", 'a,b\n1,"' + "x" * 200_000, "is a quote left open?"),
    ],
)
def test_a_file_that_cannot_be_read_is_skipped_with_one_reason(load_one, name, data, reason):
    skipped = load_one(name, data)
    assert isinstance(skipped, Skipped)
    assert reason in skipped.reason
    assert "\n" not in skipped.reason


def test_a_file_of_unknown_kind_that_is_text_is_read_as_text(load_one):
    assert load_one("README", "Plain words.").text == "Plain words."
    assert load_one("notes.xyz", "Plain words.").text == "Plain words."


@pytest.mark.parametrize("name", ["a.txt.gz", "a.MD.GZ", "a.html.gz", "a.csv.gz", "a.tsv.gz"])
def test_compressed_text_is_read_by_the_kind_inside(load_one, name):
    document = load_one(name, gzip.compress(b"<p>alpha\tbeta</p>\n1\t2\n", mtime=0))
    assert isinstance(document, Document)
    assert document.title == "a"
    assert "alpha" in document.text


def test_what_is_missing_or_no_file_is_skipped_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()  # noqa: PTH109
        os.chdir(tmp_path)  # a socket's path must be short
        server.bind("socket.txt")
        os.chdir(here)
    reasons = {
        tmp_path / "pipe.txt": "is a pipe",
        tmp_path / "socket.txt": "is a socket",
        tmp_path: "is a folder",
        tmp_path / "none.txt": "cannot be opened: No such file",
    }
    for path, reason in reasons.items():
        (skipped,) = load(path)
        assert reason in skipped.reason


def test_a_file_without_permission_is_skipped(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")
    (skipped,) = load(path)
    assert skipped.reason == "cannot be opened: Permission denied"


def test_a_file_over_the_limit_is_refused_with_its_size(load_one, monkeypatch):
    monkeypatch.setattr(stream, "DOCUMENT_BYTES", 2 * 2**20)
    reason = load_one("large.txt", b"words " * 2**19).reason
    assert reason == "holds 3 MB; the limit for one document is 2 MB, split it"
    assert (
        "more than 2 MB"
        in load_one("large.txt.gz", gzip.compress(b"words " * 2**19, mtime=0)).reason
    )


def test_a_compressed_file_is_not_unpacked_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(stream, "UNPACKED_BYTES", 2**20)
    row = json.dumps({"text": "word " * 1000}).encode() + b"\n"
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(row * 1000, mtime=0))
    *documents, last = load(tmp_path / "a.jsonl.gz")
    assert len(documents) > 100
    assert "unpacks to more than 1 MB" in last.reason


def rows(load_path, *lines):
    load_path.write_text("\n".join(lines) + "\n")
    return list(load(load_path))


def test_every_row_of_json_lines_is_a_document(tmp_path):
    path = tmp_path / "rows.jsonl"
    first, second, third = rows(
        path,
        '{"id": "x1", "title": "One", "text": "Alpha\\r\\nbeta", "year": 2024, "tags": ["a", "ä"],'
        ' "ok": true, "none": null, "score": NaN}',
        "",
        '{"id": 7, "text": "\\ufeffGamma\\ud800"}',
        '{"text": "Delta", "title": " "}',
    )
    assert (first.id, first.title, first.text) == ("x1", "One", "Alpha\nbeta")
    assert first.source == second.source == document_id(path)
    assert dict(first.metadata) == {
        "year": 2024,
        "tags": '["a","ä"]',
        "ok": True,
        "none": None,
        "score": None,
    }
    assert (second.id, second.title, second.text) == ("7", "7", "Gamma\ufffd")
    assert third.id == third.title == f"{document_id(path)}#4"


def test_rows_that_are_no_documents_are_skipped_by_number(tmp_path):
    (tmp_path / "rows.jsonl").write_bytes(b'{"text": "\xff"}\n')
    (bad_bytes,) = load(tmp_path / "rows.jsonl")
    assert bad_bytes.reason == "row 1: is not UTF-8"
    reasons = [
        item.reason if isinstance(item, Skipped) else item.id
        for item in rows(
            tmp_path / "rows.jsonl",
            '{"id": "a", "text": "words"}',
            "[1, 2]",
            "{broken",
            '{"id": "b"}',
            '{"id": "b", "text": 5}',
            '{"id": "b", "text": "  "}',
            '{"id": "a", "text": "again"}',
            '{"id": ["c"], "text": "words"}',
            "[" * 100_000,
            '{"id": "b", "text": "fine"}',
        )
    ]
    assert reasons == [
        "a",
        "row 2: is not a JSON object",
        "row 3: is not JSON (Expecting property name enclosed in double quotes at column 2)",
        'row 4: has no "text"',
        'row 5: its "text" is not a string',
        'row 6: its "text" is empty',
        "row 7: the id 'a' is already taken by a row above",
        'row 8: its "id" is neither text nor a whole number',
        "row 9: is nested too deeply",
        "b",
    ]


def test_json_lines_are_read_row_by_row(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": "a", "text": "words"}\n' + "x" * 100)
    items = load(path)
    assert next(items).id == "a"
    path.write_bytes(b"")  # nothing of the rest has been needed so far
    assert stat.S_ISREG(path.stat().st_mode)
    items.close()


def test_given_a_docx_without_a_body_then_it_is_no_sound_docx(tmp_path):
    whole = io.BytesIO()
    docx.Document().save(whole)
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    path = tmp_path / "hollow.docx"
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(path, "w") as new:
        for part in old.namelist():
            hollow = f'<w:document xmlns:w="{space}"/>'.encode()
            new.writestr(part, hollow if part == "word/document.xml" else old.read(part))
    assert [item.reason for item in load(path)] == ["is not a sound DOCX file (it has no body)"]


def test_given_html_nested_like_a_tower_then_it_is_refused_at_once(tmp_path):
    path = tmp_path / "tower.html"
    path.write_text("<div>" * 200_000 + "words")
    assert [item.reason for item in load(path)] == ["nests its elements more than 5,000 deep"]


def test_given_html_with_many_unclosed_paragraphs_then_it_is_read(tmp_path):
    path = tmp_path / "sloppy.html"
    path.write_text("<br><p>Plain words. <li>More.</b> <div>Inside.</div>" * 6000)
    (document,) = load(path)
    assert document.text.count("Plain words.") == 6000


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"id": "", "text": "words"}', 'row 1: its "id" is empty'),
        ('{"id": " ", "text": "words"}', 'row 1: its "id" is empty'),
        ('{"n": %s, "text": "words"}' % ("9" * 5000), "row 1: holds a number with too many digits"),
    ],
)
def test_given_a_row_that_cannot_be_a_document_then_the_reason_says_so(tmp_path, row, reason):
    path = tmp_path / "rows.jsonl"
    path.write_text(row)
    assert [item.reason for item in load(path)] == [reason]


def test_given_faults_in_every_row_then_the_first_are_named_and_the_rest_counted(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("{broken\n" * 5000 + '{"text": "words"}\n')
    *skipped, more = [item for item in load(path) if isinstance(item, Skipped)]
    assert len(skipped) == 100
    assert more.reason == "4,900 more rows are no documents"
    assert [item.text for item in load(path) if isinstance(item, Document)] == ["words"]
