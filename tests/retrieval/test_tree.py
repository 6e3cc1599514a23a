import pytest

from bridgerag.entities.relations import PART_OF, Relation
from bridgerag.retrieval.method import IndexedMethod
from bridgerag.retrieval.tree import tree
from retrieval.tree_toy import TEXTS, ask, documents, snapshot_of


@pytest.fixture
def snapshot(tmp_path, hashed):
    with snapshot_of(tmp_path, hashed) as snapshot:
        yield snapshot


@pytest.mark.parametrize(
    ("question", "depth", "expected"),
    [
        ("How quiet is Frogner?", 0, {"frogner"}),
        ("How quiet is Frogner?", 1, {"frogner", "oslo"}),
        ("How quiet is Frogner?", 2, {"frogner", "oslo", "bergen", "norway"}),
        ("What of Norway?", 0, {"oslo", "bergen", "norway"}),
        ("What of Norway?", 1, {"oslo", "bergen", "norway", "frogner"}),
        ("Paris or Bergen?", 0, {"paris", "bergen"}),
    ],
)
def test_the_chunks_of_what_is_above_and_below_come_first(
    snapshot, hashed, question, depth, expected
):
    found, reasons = ask(tree(), snapshot, hashed, question, k=len(expected), depth=depth)
    assert set(reasons) == expected
    assert all(reason.startswith("names ") for reason in reasons.values())
    assert not found.fallback


def test_a_sibling_is_neither_above_nor_below(snapshot, hashed):
    _, reasons = ask(tree(), snapshot, hashed, "How wet is Bergen?", k=8, depth=3)
    assert reasons["frogner"] == "dense"  # filled up from all chunks
    assert reasons["bergen"].startswith("names 'Bergen'; cosine ")
    assert reasons["norway"].startswith("names 'Norway', 1 level above 'Bergen'; cosine ")


def test_when_the_entities_have_too_few_chunks_the_nearest_of_all_fill_up(snapshot, hashed):
    found, reasons = ask(tree(), snapshot, hashed, "Is Paris nice?", k=8, depth=2)
    assert set(reasons) == set(TEXTS)
    assert next(iter(reasons)) == "paris"
    scores = [chosen.score for chosen in found.selected][1:]
    assert scores == sorted(scores, reverse=True)


def test_relations_go_into_the_prompt_those_of_near_chunks_first(snapshot, hashed):
    found, _ = ask(tree(), snapshot, hashed, TEXTS["oslo"] + " Frogner", k=3, depth=2)
    assert found.notes[0] == "Oslo is the capital of Norway."
    assert set(found.notes) == {
        "Oslo is the capital of Norway.",
        "Frogner is part of Oslo.",
        "Bergen belongs to Norway.",
    }
    assert ask(tree(), snapshot, hashed, "Frogner?", depth=0)[0].notes == ()


def test_names_are_found_in_any_case_and_once(snapshot, hashed):
    found, _ = ask(tree(), snapshot, hashed, "oslo, OSLO and Frogner")
    assert [seeds.text for seeds in found.seeds] == ["oslo", "Frogner"]


def test_given_no_known_entity_then_the_whole_index_is_searched(snapshot, hashed):
    found, reasons = ask(tree(), snapshot, hashed, "When does rain fall?", k=3)
    assert found.fallback
    assert set(reasons.values()) == {"dense"}
    assert len(reasons) == 3
    assert found.notes == ()


def test_an_entity_that_is_nearly_everywhere_is_not_followed(tmp_path, hashed):
    many = {f"note {i:02}": f"Note {i} of Norway." for i in range(20)}
    with snapshot_of(tmp_path, hashed, documents(TEXTS | many)) as snapshot:
        found, reasons = ask(tree(), snapshot, hashed, "Frogner in Norway?", k=3, depth=2)
    assert [seeds.ignored for seeds in found.seeds] == [None, "it is in 88 % of the chunks"]
    assert set(reasons) >= {"frogner", "oslo"}
    assert "Oslo is the capital of Norway." in found.notes  # still told


def test_a_store_without_embeddings_ranks_by_words(tmp_path):
    with snapshot_of(tmp_path, None) as snapshot:
        found, reasons = ask(tree(), snapshot, None, "Is Oslo the capital?", k=4, depth=1)
        assert next(iter(reasons)) == "oslo"
        assert "lexical match" in reasons["oslo"]
        assert not found.fallback


def test_two_segments_answer_as_one_does(tmp_path, hashed):
    made = documents()
    answers = []
    for name, batches in (("one", [made]), ("two", [made[3:], made[:3]])):
        (tmp_path / name).mkdir()
        with snapshot_of(tmp_path / name, hashed, *batches) as snapshot:
            found, reasons = ask(tree(), snapshot, hashed, "How quiet is Frogner?", k=6)
            answers.append((list(reasons.items()), found.notes))
    assert answers[0] == answers[1]


def test_an_empty_store_has_no_trees(tmp_path, hashed):
    with snapshot_of(tmp_path, hashed, documents({"empty": "Nothing here."})) as snapshot:
        found, reasons = ask(tree(), snapshot, hashed, "Oslo?")
    assert found.fallback
    assert set(reasons) == {"empty"}


def test_another_extractor_makes_other_trees(snapshot, hashed):
    def by_model(texts):
        return [Relation("ships", PART_OF, "weather", number, 0) for number in range(len(texts))]

    method = tree(by_model)
    found, _ = ask(method, snapshot, hashed, "What about ships?", depth=1)
    assert found.notes == ("ships is part of weather.",)
    assert isinstance(method, IndexedMethod)
    assert method.prepare(snapshot).stand_in == ""
    assert tree().prepare(snapshot).stand_in == "lexical patterns"
    assert method.prepare(snapshot).size_bytes > 0


def test_a_name_does_not_go_on_in_the_next_sentence(tmp_path, hashed):
    texts = {
        "split": "Nobody had met the old New. York lies further down the road.",
        "whole": "New York is part of America.",
    }
    with snapshot_of(tmp_path, hashed, documents(texts)) as snapshot:
        _, reasons = ask(tree(), snapshot, hashed, "How far is New York?", k=2, depth=0)
    assert reasons["whole"].startswith("names ")
    assert not reasons["split"].startswith("names ")
