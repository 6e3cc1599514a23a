"""The whole road on real files: what is read is found, at the right place, and cited truly."""

import gzip
import json
import re

import pytest

import bridgerag


@pytest.fixture(scope="module")
def messy(data, tmp_path_factory):
    store = tmp_path_factory.mktemp("messy") / "store"
    with bridgerag.open(store, settings={"embedding": "none"}) as bridge:
        bridge.report = bridge.add(data / "messy_docs")
        yield bridge


def best(bridge, question, **wanted):
    for hit in bridge.search(question, k=20).hits:
        if all(getattr(hit, name) == value for name, value in wanted.items()):
            return hit
    raise AssertionError(f"no hit for {question!r} with {wanted}")


def test_every_kind_is_indexed_and_the_scan_is_named(messy):
    kinds = {document.id.rsplit(".", 1)[-1] for document in messy.documents()}
    assert kinds == {"csv", "docx", "html", "md", "pdf", "txt"}
    skipped = {item.source.rsplit("/", 1)[-1]: item.reason for item in messy.report.skipped}
    assert "no text" in skipped.pop("scanned_like_mcdonalds_2023Q2.pdf")
    assert list(skipped) == ["shp-inline-shape-access.docx"]  # a picture and nothing else


def test_a_cell_of_a_word_table_is_found(messy):
    hit = best(messy, "and a hearty foo to you too sir")
    assert "foo to you | and a hearty foo to you too sir!" in hit.text
    assert hit.document.id.endswith("tbl-having-applied-style.docx")


def test_a_row_of_the_table_is_found_with_its_number(messy, data):
    lines = (data / "messy_docs/filings_table.csv").read_text().splitlines()
    wanted = next(n for n, line in enumerate(lines) if line.startswith("ADOBE_2017_10K,"))
    hit = best(messy, "ADOBE_2017_10K", row=wanted)
    assert "doc_name: ADOBE_2017_10K" in hit.text


def test_a_page_of_the_10q_is_found_with_its_number(messy):
    hit = best(messy, "Netflix Consolidated Statements of Operations revenues", page=3)
    assert "8,187,301" in hit.text
    assert hit.document.id.endswith("sec_NETFLIX_2023Q2_10Q.pdf")


def test_given_50_questions_then_every_hit_and_every_marker_points_at_its_text(data, tmp_path):
    folder = data / "xquad/en"
    with gzip.open(folder / "questions.jsonl.gz", "rt") as file:
        questions = [json.loads(line)["question"] for line in file][:500:10]
    assert len(questions) == 50
    with bridgerag.open(tmp_path / "store", settings={"embedding": "none"}) as bridge:
        bridge.add(folder / "corpus.jsonl.gz")
        texts = {document.id: bridge.text(document.id) for document in bridge.documents()}
        for question in questions:
            answer = bridge.ask(question)
            assert answer.context.hits
            for hit in answer.context.hits:
                assert texts[hit.document.id][hit.start : hit.end] == hit.text
            cited = {citation.marker for citation in answer.citations}
            assert set(re.findall(r"\[\d+\]", answer.text)) == cited
            for citation in answer.citations:
                span = texts[citation.document][citation.start : citation.end]
                assert span.strip() == span != ""
                assert " ".join(span.split()[:3]).strip("\"'") in " ".join(answer.text.split())
