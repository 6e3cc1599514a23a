"""`walk` finds by way of names what shares no word with the question."""

import pytest

import bridgerag
from bridgerag import Document
from bridgerag.entities import question_words
from bridgerag.retrieval import IndexedMethod, Question, Timings
from bridgerag.retrieval.walk import Walk
from bridgerag.types import Footprint

# A novel leads to its author, the author to a town. Many others speak of counties, authors, births.
TITLED = {
    "novel": (
        "The Copper Heron",
        "A novel whose author is Ilse Varrow. Joren Maddick printed it later.",
    ),
    "writer": ("Ilse Varrow", "She came into the world at Quarrick and kept bees all her life."),
    "town": ("Quarrick", "Ships stop there on their way north; Tessmark governs the harbour."),
    "printer": ("Joren Maddick", "He owned two presses and a mill beside the river."),
    "heron": ("Birds", "A heron of copper stands on the roof of the county hall."),
    **{
        f"births-{n}": (f"Births {n}", f"The birthplace of author {n} is in a county.")
        for n in range(9)
    },
}
QUESTION = "Which county is the birthplace of the author of The Copper Heron in?"


def documents(titled):
    return [Document(name, title, "", text) for name, (title, text) in titled.items()]


def opened(path, embedder, *batches, **settings):
    how = bridgerag.Settings(embedding="none", **settings)
    bridge = bridgerag.open(path, settings=how, embedder=embedder)
    for batch in batches or (documents(TITLED),):
        bridge.add(documents=batch)
    return bridge


@pytest.fixture(params=["vectors", "no vectors"])
def embedder(request, hashed):
    return hashed if request.param == "vectors" else None


@pytest.fixture
def bridge(tmp_path, embedder):
    with opened(tmp_path / "store", embedder) as bridge:
        yield bridge


def names(bridge, question, method="walk", k=100, **options):
    hits = bridge.search(question, method=method, k=k, **options).hits
    return [hit.document.id for hit in hits]


# ---- finding paths ------------------------------------------------------------------------------


def test_two_hops_are_found_where_words_and_vectors_lead_elsewhere(bridge):
    found = names(bridge, QUESTION, k=8)
    assert found[0] == "novel"
    assert {"novel", "writer", "town"} <= set(found)
    for method in ("naive", "bm25", "hybrid"):
        assert not {"writer", "town"} & set(names(bridge, QUESTION, method, k=8))


def test_the_reason_tells_the_way_in_words(bridge):
    context = bridge.search(QUESTION, method="walk", k=9)
    why = {hit.document.id: hit.why[0] for hit in context.hits}
    assert why["novel"].text == "question -> 'The Copper Heron' -> this passage"
    way = "question -> 'The Copper Heron' -> The Copper Heron -> 'Ilse Varrow' -> this passage"
    assert why["writer"].text == way
    assert (why["writer"].kind, why["writer"].entity) == ("walk", "The Copper Heron")
    assert [entity.text for entity in context.entities] == ["The Copper Heron"]
    assert why["births-3"].kind in ("dense", "lexical")
    assert not context.fallback


def test_what_the_question_asks_with_decides_among_the_names_of_a_passage(tmp_path):
    people = ("Ilse Varrow", "Joren Maddick", "Mirthe Okonda")
    text = (
        "The film was directed by Joren Maddick after years of quarrels about money and weather. "
        "Long queues stood at the doors of all the houses where it ran. Critics wrote that the "
        "camera of Mirthe Okonda saved it. Nobody else would have dared to. The tunes came late "
        "and were composed by Ilse Varrow in one night."
    )
    titled = {"film": ("Blue Harbour", text)}
    titled |= {f"p{n}": (who, f"Letters of number {n} are lost.") for n, who in enumerate(people)}
    with opened(tmp_path / "store", None, documents(titled)) as bridge:
        assert names(bridge, "Where are letters of the director of Blue Harbour?")[1] == "p1"
        assert names(bridge, "Where are letters of the composer of Blue Harbour?")[1] == "p0"


def test_the_passage_that_a_name_titles_comes_before_those_that_mention_it(tmp_path):
    titled = {
        "a": ("", "Fossils of Osmunda lie in many rocks."),
        "b": ("", "Gardeners plant Osmunda near ponds."),
        "c": ("Osmunda (plant)", "A genus of ferns with tall fronds, which grows in bogs."),
    }
    with opened(tmp_path / "store", None, documents(titled)) as bridge:
        assert names(bridge, "How old is Osmunda?")[0] == "c"


def test_both_sides_of_a_comparison_come_first(tmp_path, embedder):
    lives = {f"d{n}": (f"Deeds {n}", f"Who was born first, he or she? Deed {n}.") for n in range(9)}
    lives |= {
        "x": ("Brandor Pellix", "A fiddler from the hills, 1840 to 1902."),
        "y": ("Aimée Lorne", "A baker of the plains, 1851 to 1899."),
    }
    with opened(tmp_path / "store", embedder, documents(lives)) as bridge:
        found = names(bridge, "Who was born first, Brandor Pellix or Aimee Lorne?", k=2)
    assert set(found) == {"x", "y"}


def test_the_second_question_is_embedded_with_the_bridging_name(tmp_path, hashed):
    asked = []

    def embed(text):
        asked.append(text)
        return hashed.embed([text])[0]

    with (
        opened(tmp_path / "store", hashed) as bridge,
        bridge._stores.open().reading() as snapshot,
    ):
        question = Question(QUESTION, question_words(QUESTION), embed(QUESTION), None, embed)
        walk, timings = Walk(), Timings()
        found = walk(snapshot, question, 8, 2, timings)
        assert len(found.selected) == 8
    assert asked[1] == "Which county is the birthplace of the author of in Quarrick"
    assert timings.ms["embed"] > 0


# ---- plain evidence -----------------------------------------------------------------------------


def test_a_question_without_names_is_answered_by_plain_evidence(bridge):
    question = "how does one mill beside a river?"
    context = bridge.search(question, method="walk")
    assert context.hits[0].document.id == "printer"
    assert context.fallback
    assert context.entities == ()
    assert {why.kind for why in context.hits[0].why} <= {"dense", "lexical"}


def test_behind_the_head_hits_follow_in_the_order_of_hybrid(tmp_path, embedder):
    lives = {f"d{n:02}": (f"Deeds {n}", f"The deed {n} of the {n % 7}th day.") for n in range(30)}
    with opened(tmp_path / "store", embedder, documents(lives)) as bridge:
        bridge.use("walk", Walk(most_shared=1.0))
        context = bridge.search("deed of the 3th day", method="walk", k=100)
        found = [hit.document.id for hit in context.hits]
        plain = names(bridge, "deed of the 3th day", "hybrid")
    head = set(found[: Walk().head])
    assert found[len(head) :] == [name for name in plain if name not in head]
    assert sorted(found) == sorted(lives)
    scores = [hit.score for hit in context.hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1


def test_scores_start_at_one_and_never_rise(bridge):
    for question in (QUESTION, "Who is Ilse Varrow?", "a river", "Where is Quarrick?", "bees"):
        scores = [hit.score for hit in bridge.search(question, k=14).hits]
        assert scores[0] == 1
        assert scores == sorted(scores, reverse=True)


def test_what_was_told_before_comes_behind_what_is_new(tmp_path, embedder):
    told = "Lamps of the quay were lit by gas in those years, and a keeper trimmed each wick."
    lives = {f"copy-{n}": ("", told) for n in range(12)}
    lives |= {f"new-{n}": ("", f"Lamps by number {n}: w{n} x{n} y{n} z{n}.") for n in range(4)}
    with opened(tmp_path / "store", embedder, documents(lives)) as bridge:
        found = names(bridge, "who trimmed the lamps of the quay?", k=12)
    assert {f"new-{n}" for n in range(4)} <= set(found)
    assert len(found) == 12


@pytest.mark.parametrize("k", [1, 3, 8, 100])
def test_there_are_k_hits_or_all_without_repeats(bridge, k):
    for question in (QUESTION, "Nobody Known", "of the and", "京都大学はどこですか", "Где?"):
        found = names(bridge, question, k=k)
        assert len(found) == len(set(found)) == min(k, len(TITLED))


def test_one_chunk_and_none(tmp_path, embedder):
    with opened(tmp_path / "store", embedder, documents({"a": ("Osmunda", "A fern.")})) as bridge:
        assert names(bridge, "What is Osmunda?") == ["a"]
        bridge.add(documents=documents({"z": ("Osmunda", "")}))
        assert names(bridge, "What is Osmunda?") == ["a"]
        bridge.remove("a")
        assert names(bridge, "What is Osmunda?") == []


# ---- the store ----------------------------------------------------------------------------------


def test_segments_removed_documents_and_filters_change_nothing(tmp_path, embedder):
    first, *rest = documents(TITLED)
    extra = documents({"gone": ("Ilse Varrow", "Another one, born in a county of authors.")})
    with (
        opened(tmp_path / "one", embedder) as one,
        opened(tmp_path / "many", embedder, rest[3:], extra, [first], rest[:3]) as many,
    ):
        expected = [
            (h.document.id, h.score, h.why) for h in one.search(QUESTION, method="walk").hits
        ]
        filtered = many.search(QUESTION, method="walk", where='id != "gone"')
        assert [(h.document.id, h.score, h.why) for h in filtered.hits] == expected
        many.remove("gone")
        for _ in range(2):
            again = many.search(QUESTION, method="walk").hits
            assert [(h.document.id, h.score, h.why) for h in again] == expected


def test_ties_go_by_document(tmp_path, embedder):
    same = dict.fromkeys("cbad", ("Osmunda", "A fern."))
    with opened(tmp_path / "store", embedder, documents(same)) as bridge:
        assert names(bridge, "What is Osmunda?") == ["a", "b", "c", "d"]


@pytest.mark.parametrize("cut", ["c b a d", "cd ab", "b ad c", "d acb"])
def test_ties_go_by_document_across_segments(tmp_path, embedder, cut):
    batches = [documents(dict.fromkeys(ids, ("Osmunda", "A fern."))) for ids in cut.split()]
    with opened(tmp_path / "store", embedder, *batches) as bridge:
        assert bridge.status().segments == len(batches)
        for question in ("What is Osmunda?", "What is a fern?"):
            assert names(bridge, question) == ["a", "b", "c", "d"]


def test_nothing_is_built_ahead(bridge):
    assert not isinstance(Walk(), IndexedMethod)
    assert bridge.prepare("walk") == Footprint()


def test_a_name_that_stands_in_a_filtered_document_only_is_none(bridge):
    context = bridge.search("Where is Quarrick?", method="walk", where='id != "town"')
    assert "town" not in [hit.document.id for hit in context.hits]
    assert context.hits[0].document.id == "writer"
