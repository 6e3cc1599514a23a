from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from bridgerag.documents import load
from bridgerag.evaluation import Dataset, QuestionItem, find_leaks, load_dataset
from bridgerag.evaluation.phrases import Phrases, WordKeys
from bridgerag.types import Document

WORDS = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text(encoding="utf-8").split()


def prose(seed, words=120):
    """Honest text: words of a real page in another order."""
    return " ".join(np.random.default_rng(seed).choice(WORDS, words))


def document(number, text=None, id=None, title=None):
    text = prose(number) if text is None else text
    id = f"doc{number:05}" if id is None else id
    return Document(id, title or f"Page {number}", "corpus.jsonl", text)


def dataset(*items):
    gold = any(item.gold_ids for item in items)
    return Dataset("toy", Path("corpus.jsonl"), items, gold, "0" * 64)


def item(number, gold=(), answers=None, id=None):
    answers = (f"City number {number}00",) if answers is None else answers
    question = f"In which city was the inventor of machine number {number} born and raised?"
    return QuestionItem(id or f"question-{number:04}", question, answers, tuple(gold))


def kinds(leaks):
    return sorted({leak.kind for leak in leaks})


ITEMS = [item(number) for number in range(20)]


# ---- honest data --------------------------------------------------------------------------------


def test_honest_data_shows_nothing():
    assert find_leaks(dataset(*ITEMS), map(document, range(100))) == []
    assert find_leaks(dataset(*ITEMS), []) == []


def test_an_answer_in_a_document_is_no_leak():
    holder = document(1, "The inventor of machine number 3 was born and raised in City number 300.")
    assert find_leaks(dataset(*ITEMS), [holder, *map(document, range(2, 50))]) == []


def test_questions_too_short_to_be_recognised_are_passed_over():
    short = [QuestionItem("a1", "Who is it?"), QuestionItem("a2", "这是什么？")]
    assert find_leaks(dataset(*short), [document(1, "Who is it? 这是什么？ 答案")]) == []


# ---- copies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "{q}",
        "Well,\n {u}",
        "... in which city, was the inventor of machine number 3 born -- and\nraised!",
    ],
)
def test_a_question_word_for_word_is_found_whatever_its_case_and_signs(written):
    question = ITEMS[3].question
    text = prose(1) + " " + written.format(q=question, u=question.upper()) + " " + prose(2)
    leaks = find_leaks(dataset(*ITEMS), [document(0), document(1, text), document(2)])
    assert [(leak.kind, leak.question_id, leak.document_id) for leak in leaks] == [
        ("question", "question-0003", "doc00001")
    ]


def test_a_question_in_a_title_is_found():
    leaks = find_leaks(dataset(*ITEMS), [document(1, title=ITEMS[3].question)])
    assert kinds(leaks) == ["question"]


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("City number 300", "Q: {q}\nA: City number 300."),
        ("City number 300", "City number 300 is the answer to: {q}"),
        ("yes", "{q} Answer: yes"),
        ("7", "Question: {q} Answer: 7 of them"),
    ],
)
def test_a_question_beside_its_answer_is_a_pair(answer, written):
    asked = item(3, answers=("another spelling", answer))
    text = f"{prose(1)} {written.format(q=asked.question)} {prose(2)}"
    (leak,) = find_leaks(dataset(asked, *ITEMS[4:]), [document(0), document(1, text)])
    assert (leak.kind, leak.question_id, leak.document_id) == ("pair", asked.id, "doc00001")
    assert repr(answer) in leak.note


def test_an_answer_far_away_is_no_pair():
    text = f"{ITEMS[3].question} {prose(1, 40)} City number 300"
    assert kinds(find_leaks(dataset(*ITEMS), [document(1, text)])) == ["question"]
    asked = item(3, answers=("yes",))
    text = f"{asked.question} It depends on whom you ask: yes"
    assert kinds(find_leaks(dataset(asked, *ITEMS[4:]), [document(1, text)])) == ["question"]


def test_an_answer_inside_its_own_question_is_no_pair():
    asked = QuestionItem(
        "film-0001", "Which film came out first, Alpha Dog or Beta Cat?", ("Alpha Dog",)
    )
    text = f"{prose(1)} {asked.question} {prose(2)}"
    assert kinds(find_leaks(dataset(asked, *ITEMS), [document(1, text)])) == ["question"]


def test_questions_that_are_asked_twice_are_both_named():
    twice = [*ITEMS, item(3, id="question-again")]
    leaks = find_leaks(dataset(*twice), [document(1, ITEMS[3].question)])
    assert [leak.question_id for leak in leaks] == ["question-0003", "question-again"]


def test_copied_questions_are_found_in_any_script():
    asked = [
        QuestionItem("zh-00001", "黑豹队的防守丢了多少分？", ("308",)),
        QuestionItem("ru-00001", "Сколько очков пропустила защита «Пантер»?", ("308",)),
    ]
    texts = ["问：黑豹队的防守丢了多少分？答：308", "Сколько очков пропустила защита Пантер? 308"]
    leaks = find_leaks(dataset(*asked, *ITEMS), [document(i, text) for i, text in enumerate(texts)])
    assert [(leak.kind, leak.question_id) for leak in leaks] == [
        ("pair", "ru-00001"),
        ("pair", "zh-00001"),
    ]


def test_a_document_that_says_only_an_answer_is_found():
    leaks = find_leaks(dataset(*ITEMS), [document(0), document(1, "City number 500.")])
    assert [(leak.kind, leak.question_id) for leak in leaks] == [("answer", "question-0005")]
    yes = [item(number, answers=("yes",)) for number in range(9)]
    assert find_leaks(dataset(*yes), [document(1, "Yes.")]) == []


def test_a_long_answer_outside_of_the_gold_documents_is_found():
    answer = "the valve was held open by a small brass spring that broke under load"
    asked = item(3, gold=("doc00001",), answers=(answer,))
    text = f"{prose(1)} {answer} {prose(2)}"
    assert find_leaks(dataset(asked), [document(0), document(1, text)]) == []
    leaks = find_leaks(dataset(asked), [document(0), document(1), document(2, text)])
    assert [(leak.kind, leak.document_id) for leak in leaks] == [("answer", "doc00002")]


def test_a_corpus_made_of_the_questions_is_called_so():
    items = [item(n, gold=[f"doc{n:05}"]) for n in range(20)]
    pairs = [document(n, f"{items[n].question} {items[n].answers[0]}") for n in range(12)]
    first, *others = find_leaks(dataset(*items), [*pairs, *map(document, range(12, 100))])
    assert (first.kind, first.question_id, first.document_id) == ("corpus", None, None)
    assert "12 of 20 questions stand word for word in 12 documents" in first.note
    assert [leak.kind for leak in others] == ["pair"] * 12


def test_a_corpus_of_nearly_the_questions_is_called_so_too():
    cut = [
        document(n, f"{' '.join(ITEMS[n].question.split()[1:-1])} City {n}00") for n in range(20)
    ]
    leaks = find_leaks(dataset(*ITEMS), [*cut, *map(document, range(20, 100))])
    assert [leak.kind for leak in leaks] == ["corpus"]
    assert "runs of six words" in leaks[0].note


# ---- order and ids ------------------------------------------------------------------------------


def golds(pairs, names, gap):
    return [item(n, gold=(names[n * 20], names[n * 20 + gap])) for n in range(pairs)]


@pytest.mark.parametrize(("gap", "found"), [(1, "neighbours"), (7, "at most 10 places")])
def test_gold_documents_that_stand_together_are_noticed(gap, found):
    names = [f"{hash_like(n)}" for n in range(1000)]
    items = golds(40, names, gap)
    (leak,) = find_leaks(
        dataset(*items), (document(n, "x y", name) for n, name in enumerate(names))
    )
    assert leak.kind == "adjacent"
    assert "in the order of the file, 100.0% of" in leak.note
    assert found in leak.note
    assert "by chance" in leak.note


def test_gold_documents_that_ids_put_together_are_noticed():
    names = [f"page-{n:05}" for n in range(1000)]
    shuffled = np.random.default_rng(0).permutation(names).tolist()
    (leak,) = find_leaks(
        dataset(*golds(40, names, 1)), (document(n, "x y", name) for n, name in enumerate(shuffled))
    )
    assert "in the order of their ids" in leak.note


@pytest.mark.parametrize("count", [12, 100, 2000])
def test_gold_documents_in_random_places_are_fine(count):
    random = np.random.default_rng(count)
    names = [hash_like(n) for n in range(count)]
    items = [item(n, gold=random.choice(names, 3, replace=False)) for n in range(60)]
    documents = [document(n, "x y", name) for n, name in enumerate(names)]
    assert find_leaks(dataset(*items), documents) == []


def hash_like(number):
    return f"{number * 2654435761 % 2**32:08x}"


def test_ids_that_carry_the_id_of_a_question_are_noticed():
    documents = [document(n, "x y", f"/data/corpus/{ITEMS[n].id.upper()}_p2.txt") for n in (3, 5)]
    leaks = find_leaks(dataset(*ITEMS), [*documents, *map(document, range(10))])
    assert [(leak.kind, leak.question_id) for leak in leaks] == [
        ("id", "question-0003"),
        ("id", "question-0005"),
    ]


def test_short_ids_count_only_where_they_point_at_the_gold():
    pointing = [item(n, gold=(f"p-{n}",), id=str(n)) for n in range(20)]
    documents = [document(n, "x y", f"p-{n}") for n in range(40)]
    assert kinds(find_leaks(dataset(*pointing), documents)) == ["id"]
    honest = [item(n, gold=(f"p-{n * 7 % 40}",), id=str(n)) for n in range(20)]
    assert find_leaks(dataset(*honest), documents) == []


# ---- speed, and the matcher against something obvious -------------------------------------------


@limits(max_examples=60)
@given(
    st.lists(st.lists(st.sampled_from("abc"), min_size=3, max_size=6), max_size=8, unique_by=tuple),
    st.lists(st.sampled_from("abc"), max_size=40),
)
def test_phrases_are_found_wherever_they_stand(phrases, text):
    read = WordKeys()
    found = Phrases([read(" ".join(phrase)) for phrase in phrases]).find(read(" ".join(text)))
    wanted = {
        (number, start, start + len(phrase))
        for number, phrase in enumerate(phrases)
        for start in range(len(text))
        if text[start : start + len(phrase)] == phrase
    }
    assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize("name", ["pubmedqa", "xquad/en", "xquad/zh", "xquad/ar"])
def test_public_data_sets_raise_no_alarm(data, name):
    honest = load_dataset(data / name)
    assert find_leaks(honest, load(honest.documents)) == []


def test_sets_of_long_reports_lie_together_unless_they_are_the_scope(data):
    reports = load_dataset(data / "aa_lcr")
    headed = [
        Document(found.id, found.title, found.source, found.text[:2000])
        for found in load(reports.documents)
    ]
    assert kinds(find_leaks(reports, headed)) == ["adjacent"]
    assert find_leaks(load_dataset(data / "aa_lcr", scope="gold"), headed) == []
