"""`hippo` joins clues that no passage holds together, as HippoRAG's paper has it."""

import sys

import numpy as np
import pytest

import bridgerag
from bridgerag import Document
from bridgerag.entities import Vocabulary, entity_key, extract, read_words, title_keys
from bridgerag.errors import MissingExtra
from bridgerag.retrieval import IndexedMethod
from bridgerag.retrieval.hippo import Hippo, page_rank
from bridgerag.text import sentence_spans
from bridgerag.types import Chunk

sparse = pytest.importorskip("scipy.sparse")

# Many teach at the college, few study the syndrome; one person does both.
TEACH = ("Brandor Pellix", "Ilse Varrow", "Joren Maddick", "Mirthe Okonda")
STUDY = ("Tavish Ureno", "Mirthe Okonda")
TEXTS = {
    **{f"college-{n}": f"{who} teaches at Harwick College." for n, who in enumerate(TEACH)},
    **{f"study-{n}": f"{who} studies Marfell Syndrome." for n, who in enumerate(STUDY)},
    "weather": "Drizzle falls on most mornings of spring.",
}
QUESTION = "Who at Harwick College studies Marfell Syndrome?"


def documents(texts, titles=None):
    return [Document(name, (titles or {}).get(name, ""), "", text) for name, text in texts.items()]


def opened(path, embedder, *batches):
    bridge = bridgerag.open(path, embedder=embedder)
    for batch in batches or (documents(TEXTS),):
        bridge.add(documents=batch)
    return bridge


def ranking(bridge, question, method="hippo", **options):
    hits = bridge.search(question, method=method, **{"k": 100, **options}).hits
    return [(hit.document.id, hit.score) for hit in hits]


def names(bridge, question, **options):
    return [name for name, _ in ranking(bridge, question, **options)]


@pytest.fixture
def bridge(tmp_path, hashed):
    with opened(tmp_path / "store", hashed) as bridge:
        yield bridge


# ---- finding paths ------------------------------------------------------------------------------


def test_the_teacher_to_whom_the_other_clue_leads_comes_before_the_other_teachers(bridge):
    teachers = [f"college-{n}" for n in range(4)]

    def first(method):
        found = (name for name in names(bridge, QUESTION, method=method) if name in teachers)
        return next(found)

    assert first("hippo") == "college-3"
    assert first("bm25") == "college-0"  # a tie, by id
    assert first("naive") != "college-3"


def test_the_second_hop_is_found_by_a_name_that_the_question_does_not_hold(tmp_path, hashed):
    texts = {
        "song": "Blue Harbour is sung by Mirthe Okonda.",
        "singer": "Mirthe Okonda was born in Pellworth.",
        "town": "Pellworth has a lighthouse of brick.",
        "other": "Blue birds sing in every harbour where they were born.",
    }
    with opened(tmp_path / "store", hashed, documents(texts)) as bridge:
        context = bridge.search("Where was the singer of Blue Harbour born?", method="hippo", k=2)
    assert [hit.document.id for hit in context.hits] == ["song", "singer"]
    first, second = (hit.why[0] for hit in context.hits)
    assert first.kind == second.kind == "graph"
    assert first.entity == "Blue Harbour"
    assert first.text.startswith("'Blue Harbour' leads here; PageRank ")
    way = "the walk from 'Blue Harbour' leads here by way of 'Mirthe Okonda'; PageRank "
    assert second.text.startswith(way)
    assert [entity.text for entity in context.entities] == ["Blue Harbour"]
    assert not context.fallback


def test_the_passage_that_a_phrase_titles_comes_before_those_that_mention_it(tmp_path, hashed):
    texts = {
        "a": "Fossils of Osmunda lie in many rocks.",
        "b": "Gardeners plant Osmunda near ponds.",
        "c": "A genus of ferns with tall fronds. It grows in bogs and bears spores.",
    }
    with opened(tmp_path / "store", hashed, documents(texts, {"c": "Osmunda"})) as bridge:
        assert names(bridge, "How old is Osmunda?")[0] == "c"


def test_a_phrase_of_few_passages_weighs_more_than_one_of_many(tmp_path, hashed):
    texts = {f"n{n}": f"Norvik lies in the north, says letter {n}." for n in range(9)}
    texts["z"] = "Quillan paints boats."
    with opened(tmp_path / "store", hashed, documents(texts)) as bridge:
        assert names(bridge, "Did Norvik invite Quillan?")[0] == "z"


def test_names_come_before_the_other_words_of_the_question(bridge):
    context = bridge.search("Do spring mornings please Harwick College?", method="hippo")
    assert [entity.text for entity in context.entities] == ["Harwick College"]
    context = bridge.search("Which mornings have drizzle?", method="hippo")
    assert [entity.text for entity in context.entities] == ["mornings", "drizzle"]
    assert context.hits[0].document.id == "weather"


# ---- the walk -----------------------------------------------------------------------------------


def solved(weights, restart, damping):
    """PageRank by solving its equations; the oracle of `page_rank`."""
    steps = weights / np.maximum(weights.sum(axis=0), 1e-12)
    steps[:, weights.sum(axis=0) == 0] = restart[:, None]
    size = len(restart)
    return np.linalg.solve(np.eye(size) - damping * steps, (1 - damping) * restart)


@pytest.mark.parametrize("damping", [0.0, 0.5, 0.85])
def test_page_rank_solves_its_equations(damping):
    chance = np.random.default_rng(3)
    weights = chance.random((30, 30)) * (chance.random((30, 30)) < 0.2)
    weights += weights.T
    weights[7] = weights[:, 7] = 0  # no step leads on from here
    restart = chance.random(30)
    restart /= restart.sum()
    steps = sparse.csr_array(weights / np.maximum(weights.sum(axis=0), 1e-12)).astype(np.float32)
    ranks = page_rank(steps, restart.astype(np.float32), damping)
    np.testing.assert_allclose(ranks, solved(weights, restart, damping), atol=2e-4)
    assert ranks.sum() == pytest.approx(1, abs=1e-5)


def graph_spelt_out(texts, titles):
    """The weights between all phrases and passages, a node each, and the numbers of the phrases."""
    held = []
    for document in documents(texts, titles):
        spans = tuple(sentence_spans(document.text))
        chunks = [Chunk(0, len(document.text), 0, spans)]
        found = extract(document, chunks, read_words(document.text, chunks, Vocabulary()))
        held.append(({*found.keys.tolist()}, {*title_keys(document.title)}))
    phrases = {key: n for n, key in enumerate(sorted(set().union(*(a | b for a, b in held))))}
    weights = np.zeros((len(phrases) + len(texts),) * 2)
    for passage, (mentioned, subjects) in enumerate(held, len(phrases)):
        for key in mentioned | subjects:
            weights[phrases[key], passage] = 5 if key in subjects else 1
            for subject in subjects - {key}:
                weights[phrases[subject], phrases[key]] += 1
    return weights + weights.T, phrases


def test_scores_are_those_of_the_graph_spelt_out(tmp_path, hashed):
    titles = {"study-1": "Mirthe Okonda", "college-0": "Brandor Pellix", "weather": "Spring"}
    weights, phrases = graph_spelt_out(TEXTS, titles)
    with opened(tmp_path / "store", hashed, documents(TEXTS, titles)) as bridge:
        cosine = dict(ranking(bridge, QUESTION, method="naive"))
        got = dict(ranking(bridge, QUESTION))
    restart = np.zeros(len(weights))
    for name in ("Harwick College", "Marfell Syndrome"):
        here = phrases[entity_key(name)]
        restart[here] = 1 / np.count_nonzero(weights[here, len(phrases) :])
    near = np.array([cosine[name] for name in TEXTS])
    restart[len(phrases) :] = 0.003 * (near - near.min()) / (near.max() - near.min())
    expected = solved(weights, restart / restart.sum(), 0.5)[len(phrases) :]
    assert got == pytest.approx(dict(zip(TEXTS, expected, strict=True)), abs=2e-4)


# ---- one answer however the store came to be ----------------------------------------------------


def test_segments_removal_and_filters_change_nothing(tmp_path, hashed):
    kept = {name: text for name, text in TEXTS.items() if name != "college-1"}
    with opened(tmp_path / "one", hashed, documents(kept)) as bridge:
        expected = ranking(bridge, QUESTION)
    batches = [[document] for document in reversed(documents(TEXTS))]
    with opened(tmp_path / "many", hashed, *batches) as bridge:
        assert ranking(bridge, QUESTION, where='id != "college-1"') == expected
        assert ranking(bridge, QUESTION) != expected
        bridge.remove("college-1")
        assert ranking(bridge, QUESTION) == expected
        bridge.compact()
        assert ranking(bridge, QUESTION) == expected


def test_equal_scores_are_ordered_by_document(tmp_path, hashed):
    batches = [documents({name: "Norvik is far."}) for name in ("c", "a", "b")]
    with opened(tmp_path / "store", hashed, *batches) as bridge:
        assert names(bridge, "Norvik and on?") == ["a", "b", "c"]
        assert names(bridge, "Norvik and on?", k=2) == ["a", "b"]


def test_a_long_document_gives_its_chunks_in_their_own_right(tmp_path, hashed):
    filler = " ".join(f"Line {n} tells of nothing in particular at all." for n in range(60))
    text = f"{filler} Zorvex Quillan signed the treaty."
    with opened(tmp_path / "store", hashed, documents({"a": filler, "b": text})) as bridge:
        first = bridge.search("Who signed with Zorvex Quillan?", method="hippo").hits[0]
    assert first.document.id == "b"
    assert "Zorvex Quillan" in first.text


# ---- edges --------------------------------------------------------------------------------------


def test_a_question_that_leads_to_no_phrase_is_answered_by_cosine(bridge):
    question = "How far is it?"
    context = bridge.search(question, method="hippo")
    assert context.fallback
    assert context.hits == bridge.search(question, method="naive").hits


def test_nothing_is_found_where_nothing_is(bridge):
    context = bridge.search(QUESTION, method="hippo", where='id = "nothing"')
    assert context.hits == ()


def test_without_embeddings_passages_are_weighed_by_their_words(tmp_path):
    with bridgerag.open(tmp_path / "store", settings={"embedding": "none"}) as bridge:
        bridge.add(documents=documents(TEXTS))
        context = bridge.search(QUESTION, method="hippo")
    ranks = [hit.document.id for hit in context.hits]
    assert ranks.index("college-3") < ranks.index("college-0")
    assert [why.kind for why in context.hits[0].why] == ["graph", "lexical"]


def test_where_restarts_give_more_than_the_walk_the_cosine_is_the_reason(bridge):
    context = bridge.search("Does Ilse Varrow like rain in spring?", method="hippo", k=9)
    (weather,) = (hit for hit in context.hits if hit.document.id == "weather")
    assert [why.kind for why in weather.why] == ["dense"]


def test_it_says_what_its_index_cost_and_what_stands_in(bridge):
    assert isinstance(Hippo(), IndexedMethod)
    cost = bridge.prepare("hippo")
    assert cost.size_bytes > 0
    assert cost.seconds > 0
    assert cost.llm_calls == 0
    assert "triples" in cost.stand_in


def test_the_more_passages_weigh_the_more_comes_without_a_phrase(bridge):
    scores = []
    for weight in (0.0, 0.003, 0.05, 100.0):
        bridge.use("weighed", Hippo(passage_weight=weight))
        scores.append(dict(ranking(bridge, QUESTION, method="weighed"))["weather"])
    assert scores[0] == 0
    assert scores == sorted(scores)


def test_the_extra_is_named_when_scipy_is_missing(bridge, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(MissingExtra, match=r"the method hippo needs .*bridgerag\[eval\]"):
        bridge.search(QUESTION, method="hippo")
