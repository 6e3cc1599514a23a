"""What each format's reader keeps, drops and says about places."""

from __future__ import annotations

import io
import time
import zipfile

import docx
import pytest

from bridgerag.documents import chunk, find_files, load
from bridgerag.types import Document, Skipped


def section_texts(document):
    return {s.headings: document.text[s.start : s.end].strip() for s in document.sections}


# ---- Markdown -----------------------------------------------------------------------------------

MARKDOWN = """---
title: "Field notes"
date: 2024-05-01
draft: no
rating: 4.5
count: 12
tags: [birds, "sea gulls"]
authors:
  - Ann Lee
  - Bo
summary: >
  Long
  text
# a comment
---
Preface.

# One *two* `three` #

Text.

```python
# not a heading
```

Setext
------

~~~
```
# nor this
~~~

### [Linked](http://example.org/x)
<h2 align="center">In HTML</h2>

a paragraph
---
#hashtag
"""


def test_markdown_headings_make_sections_and_fences_hold_none(load_one):
    document = load_one("a.md", MARKDOWN)
    assert document.text.startswith("Preface.")
    assert list(section_texts(document)) == [
        (),
        ("One two three",),
        ("One two three", "Setext"),
        ("One two three", "Setext", "Linked"),
        ("One two three", "In HTML"),
        ("One two three", "a paragraph"),
    ]
    assert "# not a heading" in section_texts(document)["One two three",]


def test_front_matter_becomes_title_and_metadata(load_one):
    document = load_one("a.md", MARKDOWN)
    assert document.title == "Field notes"
    assert dict(document.metadata) == {
        "date": "2024-05-01",
        "draft": False,
        "rating": 4.5,
        "count": 12,
        "tags": "birds, sea gulls",
        "authors": "Ann Lee, Bo",
        "summary": "Long text",
    }


def test_a_rule_at_the_start_is_no_front_matter_and_the_first_heading_is_the_title(load_one):
    document = load_one("a.md", "---\nJust text\n---\n\n## Heading\n")
    assert document.text.startswith("---")
    assert document.title == "Heading"
    assert load_one("b.md", "Only words.").title == "b"


# ---- HTML ---------------------------------------------------------------------------------------

HTML = """<!doctype html><html><head><title>The &amp; page</title><style>p{}</style></head><body>
<header>Banner</header><nav><a href=x>Menu</a></nav>
<main><header><h1>Top<a href="#top">¶</a></h1></header>
<p>First   <b>bo</b>ld<br>second line</p><p hidden>secret</p><p style="display: none">unseen</p>
<h2>Lists</h2><ul><li>one<li>two <ul><li>inner</ul></ul>
<pre>  a = 1
  b = 2</pre>
<h2>Table</h2><table><caption>Sizes</caption><tr><th>City<th>People</tr>
<tr><td>Paris<td><p>2</p><p>million</p></tr></table>
<table><tr><td><h3>Layout</h3><p>In a cell.</p></td></tr></table>
<script>var x</script><template>t</template>
</main><aside>Advert</aside><footer>Imprint</footer></body></html>"""


def test_html_keeps_the_content_and_drops_what_is_around_it(load_one):
    document = load_one("a.html", HTML)
    assert document.title == "The & page"
    assert section_texts(document) == {
        ("Top",): "Top\n\nFirst bold\nsecond line",
        ("Top", "Lists"): "Lists\n\n- one\n- two\n- inner\n\n  a = 1\n  b = 2",
        ("Top", "Table"): "Table\n\nSizes\nCity | People\nParis | 2 million",
        ("Top", "Table", "Layout"): "Layout\n\nIn a cell.",
    }


def test_html_without_main_is_read_from_the_body_and_an_empty_main_is_passed_over(load_one):
    assert load_one("a.html", "<p>one</p><nav>menu</nav>").text.strip() == "one"
    assert load_one("b.html", "<main></main><p>one</p>").text.strip() == "one"
    assert isinstance(load_one("c.html", "<script>1</script>"), Skipped)


def test_html_in_a_declared_encoding_is_read(load_one):
    page = '<meta http-equiv="x" content="text/html; charset=koi8-r"><p>Москва</p>'
    assert load_one("a.html", page.encode("koi8-r")).text.strip() == "Москва"


@pytest.mark.parametrize(
    "charset", ["zlib_codec", "idna", "undefined", "unicode_escape", "x" * 150]
)
def test_a_declared_encoding_that_is_none_is_passed_over(load_one, charset):
    page = f'<meta charset="{charset}"><p>{"déjà vu, c’est ça; " * 9}</p>'
    assert " vu, c" in load_one("a.html", page.encode("cp1252")).text


@pytest.mark.parametrize("tag", ["div", "table", "li", "b", "main"])
def test_deeply_nested_html_is_read_in_good_time(load_one, tag):
    start = time.process_time()
    document = load_one("a.html", f"<{tag}>" * 3000 + "<p>deep</p>")
    assert isinstance(document, Document)
    assert "deep" in document.text
    assert time.process_time() - start < 5


# ---- PDF ----------------------------------------------------------------------------------------


def pdf_bytes(*pages, encrypt=b""):
    """Return a small PDF with one line of text for each line of each page."""
    count = len(pages)
    kids = b" ".join(b"%d 0 R" % (4 + 2 * at) for at in range(count))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for at, page in enumerate(pages):
        lines = b" T* ".join(b"(%s) Tj" % line.encode() for line in page.split("\n"))
        content = b"BT /F 12 Tf 14 TL 72 700 Td %s ET" % lines
        objects += [
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R"
            b"/Resources<</Font<</F 3 0 R>>>>>>" % (5 + 2 * at),
            b"<</Length %d>>stream\n%s\nendstream" % (len(content), content),
        ]
    data, offsets = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(data))
        data += b"%d 0 obj%s endobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    size = len(objects) + 1
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R%s>>\n"
    end += b"startxref\n%d\n%%%%EOF"
    return data + end % (size, table, size, encrypt, len(data))


def test_pdf_pages_are_sections_without_running_lines_and_numbers(load_one):
    bodies = ["The first page.\nIt has two lines", "The second page", "The third", "The fourth"]
    pages = [f"Annual report\n{body}\n{number}" for number, body in enumerate(bodies, start=5)]
    document = load_one("report.pdf", pdf_bytes(*pages))
    assert document.title == "report"
    assert [s.page for s in document.sections] == [1, 2, 3, 4]
    assert [document.text[s.start : s.end].strip() for s in document.sections] == bodies


def test_pdf_pages_without_text_keep_the_count_and_numbers_of_short_files_are_kept(load_one):
    document = load_one("a.pdf", pdf_bytes("One\n2023", "", "Three"))
    assert [(s.page, document.text[s.start : s.end].strip()) for s in document.sections] == [
        (1, "One\n2023"),
        (3, "Three"),
    ]


def test_a_pdf_without_text_or_with_a_password_is_skipped(load_one):
    assert load_one("scan.pdf", pdf_bytes("", "")).reason == "has no text: a scan? run OCR first"
    lock = b"/Encrypt<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P -4>>/ID[<00><00>]" % (
        b"41" * 32,
        b"42" * 32,
    )
    assert "is encrypted" in load_one("locked.pdf", pdf_bytes("secret", encrypt=lock)).reason


def test_a_pdf_that_is_cut_short_is_skipped_or_read_but_never_raises(load_one):
    data = pdf_bytes("One", "Two")
    for length in range(10, len(data), 97):
        assert load_one("cut.pdf", data[:length])


# ---- DOCX ---------------------------------------------------------------------------------------


def docx_bytes(fill):
    document = docx.Document()
    fill(document)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def test_docx_keeps_the_order_of_headings_paragraphs_and_tables(load_one):
    def fill(document):
        document.add_heading("Report", 0)
        document.add_heading("Sales", 1)
        document.add_paragraph("Before the table.")
        table = document.add_table(2, 2)
        for row, cells in zip(table.rows, (("City", "Sold"), ("Paris", "12")), strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
        inner = table.cell(1, 1).add_table(1, 1)
        inner.cell(0, 0).text = "nested"
        document.add_paragraph("After the table.")
        document.add_heading("Costs", 1)
        document.add_paragraph("None.")

    document = load_one("a.docx", docx_bytes(fill))
    assert document.title == "Report"
    assert section_texts(document) == {
        ("Report",): "Report",
        (
            "Sales",
        ): "Sales\n\nBefore the table.\n\nCity | Sold\nParis | 12 nested\n\nAfter the table.",
        ("Costs",): "Costs\n\nNone.",
    }


def repacked(data, change):
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return buffer.getvalue()


def change_body(change):
    plain = docx_bytes(lambda document: document.add_paragraph("WORDS here"))
    return repacked(plain, lambda name, part: change(part) if name == "word/document.xml" else part)


def test_docx_reads_controls_and_insertions_and_leaves_out_deletions(load_one):
    def change(part):
        run = b"<w:r><w:t>%s</w:t></w:r>"
        old = b"<w:p><w:r><w:t>WORDS here</w:t></w:r></w:p>"
        new = b"<w:sdt><w:sdtContent><w:p><w:ins>%s</w:ins><w:del>%s</w:del></w:p></w:sdtContent>"
        assert old in part
        return part.replace(old, (new + b"</w:sdt>") % (run % b"put in", run % b"taken out"))

    assert load_one("a.docx", change_body(change)).text.strip() == "put in"


def test_a_docx_that_would_blow_up_is_refused_unopened(load_one):
    start = time.process_time()
    bomb = change_body(lambda part: part.replace(b"WORDS", b"x" * 50_000_000))
    assert "zip bomb" in load_one("bomb.docx", bomb).reason
    assert time.process_time() - start < 5


def test_entities_in_a_docx_are_not_expanded(load_one):
    def change(part):
        levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9))
        doctype = f'<!DOCTYPE w:document [<!ENTITY e0 "laugh">{levels}]>'.encode()
        at = part.index(b"<w:document")
        return part[:at] + doctype + part[at:].replace(b"WORDS", b"&e8;")

    item = load_one("laughs.docx", change_body(change))
    assert isinstance(item, Skipped) or "laugh" not in item.text


def test_a_docx_without_its_body_is_skipped(load_one):
    data = docx_bytes(lambda document: None)
    assert "not a sound DOCX" in load_one("a.docx", repacked(data, lambda *_: b"")).reason
    assert "only white space" in load_one("empty.docx", data).reason


# ---- tables -------------------------------------------------------------------------------------


def rows_of(document):
    return [(s.row, document.text[s.start : s.end].strip()) for s in document.sections]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_row_names_its_columns_whatever_the_delimiter(load_one, delimiter):
    lines = ['city,people,"area, km"', 'Paris,2,"105\nor so"', "", ",,", "Rome,3,"]
    text = "\r\n".join(lines).replace(", km", " km").replace(",", delimiter)
    assert rows_of(load_one("sizes.csv", text)) == [
        (1, "city: Paris; people: 2; area km: 105 or so"),
        (4, "city: Rome; people: 3"),
    ]


def test_a_table_without_a_header_numbers_its_columns(load_one):
    assert rows_of(load_one("a.tsv", "Paris\t2\nRome\t3\n")) == [
        (1, "column 1: Paris; column 2: 2"),
        (2, "column 1: Rome; column 2: 3"),
    ]


def test_a_row_wider_than_the_header_keeps_its_cells(load_one):
    assert rows_of(load_one("a.csv", "a,b\n1,2,3\n")) == [(1, "a: 1; b: 2; column 3: 3")]


# ---- real files ---------------------------------------------------------------------------------


def test_real_documents_of_every_kind_are_read(data_folder):
    loaded, skipped = {}, {}
    for path in find_files([data_folder / "messy_docs"]):
        for item in load(path):
            (skipped if isinstance(item, Skipped) else loaded)[path.name] = item
    assert skipped.pop("scanned_like_mcdonalds_2023Q2.pdf").reason.startswith("has no text")
    assert {reason.reason for reason in skipped.values()} <= {"has no text, only white space"}
    report = loaded["sec_NETFLIX_2023Q2_10Q.pdf"]
    (page,) = {
        c.page
        for c in chunk(report, lambda text: len(text.split()))
        if "Revenues $ 8,187,301" in report.text[c.start : c.end]
    }
    assert page == 3
    assert len(loaded["filings_table.csv"].sections) == 361
    assert "Basic Usage" in {s.headings[-1] for s in loaded["library_json.html"].sections}
    assert " | " in loaded["tbl-cell-access.docx"].text


@pytest.mark.parametrize("language", ["en", "zh", "ar", "es", "ru"])
def test_real_passages_in_five_languages_chunk_into_whole_sentences(data_folder, language):
    whole = total = 0
    for document in load(data_folder / "xquad" / language / "corpus.jsonl.gz"):
        for c in chunk(document, lambda text: max(len(text) // 4, 1), target=64):
            for start, end in c.sentences:
                total += 1
                whole += (
                    document.text[start:end].rstrip("\"'”’»)]）」").endswith(tuple(".!?。！？；؟:"))
                )
    assert whole / total > 0.85
