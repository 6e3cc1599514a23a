import gzip
import json
import re

import pytest

import bridgerag
from bridgerag.documents import document_id
from bridgerag.errors import BridgeError, InputError, UnreadableFile
from bridgerag.evaluation import QuestionItem, load_dataset

CORPUS = [{"id": f"d{i}", "title": f"Title {i}", "text": f"Text number {i}."} for i in range(4)]
QUESTIONS = [
    {"id": "a", "question": "What is first?", "answers": ["1889", "the year 1889"]},
    {"id": "b", "question": "Who?", "answers": "Ada", "gold_ids": ["d1", "d2"], "type": "bridge"},
    {"id": 3, "question": "How many?", "answers": 308, "gold_ids": "d3", "hops": 2},
]


def write_lines(path, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "set"
    made.mkdir()
    write_lines(made / "corpus.jsonl", CORPUS)
    write_lines(made / "questions.jsonl", QUESTIONS)
    return made


@pytest.fixture
def notes(tmp_path):
    made = tmp_path / "notes"
    (made / "deep").mkdir(parents=True)
    (made / "one.md").write_text("# One\n\nThe tower was opened in 1889.\n")
    (made / "deep" / "two.txt").write_text("The bridge was opened in 1932.\n")
    return made


def asked(tmp_path, *rows):
    return write_lines(tmp_path / "q.jsonl", rows)


# ---- layouts ------------------------------------------------------------------------------------


def test_a_folder_with_corpus_and_questions_is_a_data_set(folder):
    dataset = load_dataset(folder)
    assert (dataset.name, dataset.documents) == ("set", folder / "corpus.jsonl")
    assert dataset.has_gold
    assert dataset.ignore == ()
    assert dataset.questions == (
        QuestionItem("a", "What is first?", ("1889", "the year 1889")),
        QuestionItem("b", "Who?", ("Ada",), ("d1", "d2"), kind="bridge"),
        QuestionItem("3", "How many?", ("308",), ("d3",), hops=2),
    )


def test_compressed_files_give_the_same_questions(folder):
    plain = load_dataset(folder).questions
    for name, rows in (("corpus", CORPUS), ("questions", QUESTIONS)):
        (folder / f"{name}.jsonl").unlink()
        write_lines(folder / f"{name}.jsonl.gz", rows)
    assert load_dataset(folder).questions == plain


def test_given_documents_and_a_question_file_when_one_is_added_then_questions_stay_out(
    notes, tmp_path
):
    write_lines(notes / "questions.jsonl", [{"question": "When was the tower opened?"}])
    dataset = load_dataset(notes)
    assert not dataset.has_gold
    with bridgerag.open(
        tmp_path / "store", settings=bridgerag.Settings(embedding="none")
    ) as bridge:
        report = bridge.add(dataset.documents, ignore=dataset.ignore)
    assert report.added == 2


def test_a_question_file_of_any_name_inside_the_folder_is_no_document(notes):
    inside = write_lines(notes / "deep" / "q [1]!.jsonl", [{"question": "Is it?"}])
    dataset = load_dataset(notes, inside)
    (notes / "deep" / "q 1!.jsonl").write_text('{"text": "a document of nearly that name"}\n')
    others = load_dataset(notes, inside)
    assert dataset.ignore == others.ignore
    assert dataset.fingerprint != others.fingerprint


def test_a_single_document_will_do(notes, tmp_path):
    dataset = load_dataset(notes / "one.md", asked(tmp_path, {"question": "When?"}))
    assert (dataset.name, dataset.documents) == ("one", notes / "one.md")


def test_gold_ids_may_name_files_relative_to_the_folder(notes, tmp_path):
    row = {"question": "When?", "gold_ids": ["deep/two.txt", "elsewhere.txt"]}
    dataset = load_dataset(notes, asked(tmp_path, row))
    two = document_id(notes / "deep" / "two.txt")
    assert dataset.questions[0].gold_ids == (two, "elsewhere.txt")
    assert dataset.unknown({two}) == ("elsewhere.txt",)


def test_missing_ids_are_numbered_by_row(tmp_path, notes):
    rows = [{"question": "One?"}, {"id": "own", "question": "Two?"}, {"question": "Three?"}]
    dataset = load_dataset(notes, asked(tmp_path, *rows))
    assert [item.id for item in dataset.questions] == ["q1", "own", "q3"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_holds_questions_too(notes, tmp_path, delimiter):
    rows = [
        ["ID", "Question", "Answers", "hops"],
        ["x", '"When, or ""where""?"', "1889|in 1889", "2"],
        ["", "Who;\tor what?" if delimiter == "," else "Who?", "", ""],
    ]
    table = tmp_path / "q.csv"
    lines = "\r\n".join(delimiter.join(cells) for cells in rows)
    table.write_bytes(b"\xef\xbb\xbf" + lines.encode())
    first, second = load_dataset(notes, table).questions
    assert first == QuestionItem("x", 'When, or "where"?', ("1889", "in 1889"), hops=2)
    assert (second.id, second.answers, second.gold_ids) == ("q2", (), ())


def test_a_single_answer_in_a_table_may_hold_the_separator(notes, tmp_path):
    table = tmp_path / "q.csv"
    table.write_text("question,answer\nWhich sign?,|\n")
    assert load_dataset(notes, table).questions[0].answers == ("|",)


# ---- scope --------------------------------------------------------------------------------------


def test_search_in_names_the_scope(folder, tmp_path):
    row = {"question": "Who?", "gold_ids": ["d1"], "search_in": ["d1", "d2"]}
    item = load_dataset(folder, asked(tmp_path, row)).questions[0]
    assert (item.scope, item.gold_ids) == (("d1", "d2"), ("d1",))


def test_scope_gold_makes_the_gold_documents_the_scope(folder, tmp_path):
    dataset = load_dataset(folder, asked(tmp_path, QUESTIONS[1]), scope="gold")
    item = dataset.questions[0]
    assert (item.scope, item.gold_ids, dataset.has_gold) == (("d1", "d2"), (), False)


def test_scope_gold_needs_gold_for_every_question(folder):
    with pytest.raises(InputError, match=r"\"gold_ids\" of 'a' is \[\]; it must be"):
        load_dataset(folder, scope="gold")


# ---- limit and fingerprint ----------------------------------------------------------------------


def test_a_draw_is_seeded_keeps_file_order_and_is_part_of_a_larger_one(folder, tmp_path):
    file = asked(tmp_path, *({"id": f"n{i}", "question": f"Number {i}?"} for i in range(60)))

    def draw(limit, seed=0):
        return [item.id for item in load_dataset(folder, file, limit=limit, seed=seed).questions]

    assert len(draw(10)) == 10
    assert draw(10) == draw(10) != draw(10, seed=1)
    assert set(draw(10)) < set(draw(20))
    assert draw(20) == sorted(draw(20), key=lambda name: int(name[1:]))
    assert draw(60) == draw(99) == draw(None)


def test_the_fingerprint_changes_with_questions_and_documents_and_not_with_the_place(
    folder, tmp_path
):
    first = load_dataset(folder).fingerprint
    moved = folder.rename(tmp_path / "moved")
    assert load_dataset(moved).fingerprint == first
    assert load_dataset(moved, limit=2).fingerprint != first
    write_lines(moved / "corpus.jsonl", CORPUS[:3])
    second = load_dataset(moved).fingerprint
    write_lines(moved / "questions.jsonl", [*QUESTIONS[:2], {**QUESTIONS[2], "answers": "309"}])
    assert len({first, second, load_dataset(moved).fingerprint}) == 3


# ---- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("{", "a JSON object"),
        ("[1]", "a JSON object"),
        ('{"answers": ["x"]}', '"question" is None; it must be a text'),
        ('{"question": "  "}', '"question" is .*; it must be a text'),
        ('{"question": "q", "answers": [["x"]]}', '"answers" is .* a text or a number'),
        ('{"question": "q", "answers": {"x": 1}}', '"answers" is .* or a list of them'),
        ('{"question": "q", "gold_ids": [true]}', '"gold_ids" is'),
        ('{"question": "q", "search_in": []}', '"search_in" is .* or left out'),
        ('{"question": "q", "hops": "two"}', '"hops" is'),
        ('{"question": "q", "id": ["x"]}', '"id" is'),
        ('{"question": "q", "id": "first"}', '"id" is .first.; it must be different'),
    ],
)
def test_a_row_that_is_no_question_is_named_by_file_and_line(folder, tmp_path, line, wrong):
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "first", "question": "Fine?"}\n\n' + line + "\n")
    with pytest.raises(InputError, match=rf"bad\.jsonl:3.*{wrong}") as raised:
        load_dataset(folder, file)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("query,answer\nWho?,Ada\n", r":1 is .* a column \"question\""),
        ("question,answer\nWho, then?,Ada\n", r":2: the number of cells is 3"),
        ("question\n", "a file without a question"),
    ],
)
def test_a_table_that_is_none_is_refused(folder, tmp_path, text, wrong):
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError, match=wrong):
        load_dataset(folder, tmp_path / "bad.csv")


def test_what_cannot_be_a_data_set_is_refused_with_the_remedy(tmp_path, folder, notes):
    for path, wanted in ((tmp_path / "nowhere", "questions.jsonl"), (notes, "--questions")):
        with pytest.raises(InputError, match=wanted):
            load_dataset(path)
    write_lines(folder / "questions.csv", [])
    with pytest.raises(InputError, match=r"not questions\.jsonl and questions\.csv"):
        load_dataset(folder)
    empty = tmp_path / "empty"
    empty.mkdir()
    write_lines(empty / "questions.jsonl", QUESTIONS)
    with pytest.raises(InputError, match=r"a folder with corpus\.jsonl"):
        load_dataset(empty)


def test_arguments_out_of_range_are_refused(folder):
    with pytest.raises(InputError, match="limit is 0"):
        load_dataset(folder, limit=0)
    with pytest.raises(InputError, match="scope is 'none'"):
        load_dataset(folder, scope="none")


def test_unreadable_question_files_are_refused(folder, tmp_path):
    broken = tmp_path / "broken.jsonl.gz"
    broken.write_bytes(gzip.compress(b'{"question": "q"}\n' * 99)[:-20])
    for path in (broken, tmp_path / "missing.jsonl"):
        with pytest.raises(UnreadableFile, match=re.escape(path.name)):
            load_dataset(folder, path)
    with pytest.raises(InputError, match="JSON Lines"):
        load_dataset(folder, tmp_path / "questions.xlsx")


@pytest.mark.parametrize("found", ["\ud800", "x\x00y", "a\u2028b"])
def test_hostile_texts_stay_on_one_line_and_can_be_hashed(folder, tmp_path, found):
    file = asked(tmp_path, {"id": found, "question": found + "?", "answers": found})
    assert len(load_dataset(folder, file).fingerprint) == 64
    with pytest.raises(BridgeError):
        load_dataset(folder, asked(tmp_path, {"id": found, "question": found, "hops": found}))


# ---- real data ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "count", "gold"),
    [("2wikimultihopqa", 594, True), ("xquad/zh", 717, True), ("musique", 182, True)],
)
def test_the_public_data_sets_load(data, name, count, gold):
    dataset = load_dataset(data / name)
    assert (len(dataset.questions), dataset.has_gold) == (count, gold)
    assert all(item.answers for item in dataset.questions)


def test_questions_of_long_reports_are_searched_in_their_own_documents(data):
    dataset = load_dataset(data / "aa_lcr", scope="gold")
    assert not dataset.has_gold
    assert all(item.scope for item in dataset.questions)
