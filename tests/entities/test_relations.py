import gzip
import json

import pytest

from bridgerag.entities.noun_phrases import read_frame
from bridgerag.entities.relations import BELONGS_TO, IN, IS_A, PART_OF, Relation, find_relations


def found(text):
    return {(r.head, r.kind, r.tail) for r in find_relations([text])}


def test_a_sentence_becomes_a_frame_of_names_and_terms():
    frame = read_frame("Oslo (700,000 people) is the old capital of the Kingdom of Norway.")
    assert frame.text == "N0 is the T1 of the N2"
    assert [phrase.text for phrase in frame.phrases] == ["Oslo", "capital", "Kingdom of Norway"]
    assert [phrase.is_name for phrase in frame.phrases] == [True, False, True]


@pytest.mark.parametrize(
    ("sentence", "frame"),
    [
        ("It is a 1922 German novel written by Ann Lee.", "it is a # T0 written by N1"),
        ("She made films with Will Thompson.", "she made T0 with N1"),
        ("Gideon and Samson: Leaders of Old is a film.", "N0 is a T1"),
        ("Ann Lee's brother Tom Lee is there.", "N0 's T1 N2 is there"),
        ("Charles I, the king, died.", "N0 , the T1 , died"),
        ("", ""),
        ("... !!! ()", ""),
    ],
)
def test_frames(sentence, frame):
    assert read_frame(sentence).text.replace("|", "").strip() == frame


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Novels such as Emma, Persuasion and Ivanhoe sell well.",
            {("Emma", IS_A, "novel"), ("Persuasion", IS_A, "novel"), ("Ivanhoe", IS_A, "novel")},
        ),
        ("Oslo, Bergen and other cities grow.", {("Oslo", IS_A, "city"), ("Bergen", IS_A, "city")}),
        ("Oslo is the capital of Norway.", {("Oslo", "is the capital of", "Norway")}),
        (
            "Sana Saeed (born 1988) is an Indian actress and model.",
            {
                ("Sana Saeed", IS_A, "Indian actress"),
                ("Indian actress", IS_A, "actress"),
                ("Sana Saeed", IS_A, "model"),
            },
        ),
        (
            "Hot Saturday is a drama film directed by William Seiter.",
            {
                ("Hot Saturday", IS_A, "drama film"),
                ("drama film", IS_A, "film"),
                ("Hot Saturday", "is directed by", "William Seiter"),
            },
        ),
        ("Bergen belongs to Norway.", {("Bergen", BELONGS_TO, "Norway")}),
        ("The Lofoten are part of Nordland County.", {("Lofoten", PART_OF, "Nordland County")}),
        (
            "The diesel engine consists of pistons and valves.",
            {("pistons", PART_OF, "diesel engine"), ("valves", PART_OF, "diesel engine")},
        ),
        ("Norway includes Svalbard.", {("Svalbard", PART_OF, "Norway")}),
        ("He was born in Springfield, Ohio.", {("Springfield", IN, "Ohio")}),
        ("They met at Trinity College in Dublin.", {("Trinity College", IN, "Dublin")}),
        ("Ibsen's Peer Gynt is long.", {("Peer Gynt", BELONGS_TO, "Ibsen")}),
        ("Ann Lee, daughter of Tom Lee, won.", {("Ann Lee", "is daughter of", "Tom Lee")}),
        ("Tom Lee and his wife Ann Roe left.", {("Ann Roe", "is wife of", "Tom Lee")}),
        ("Jari Niemi plays for Oslo United.", set()),  # "Jari Niemi plays" might be a term
    ],
)
def test_what_a_text_states(text, expected):
    assert expected <= found(text)


@pytest.mark.parametrize(
    "text",
    [
        "He visited Rome, Paris and Bonn.",
        "The film belongs to Ann Lee.",  # some film
        "Das Haus gehört zu Berlin und ist ein Teil von Mitte.",
        "北京是中国的首都。",
        "Москва — столица России.",
        "",
        "\x00 ]] ((( N3 T4",
    ],
)
def test_given_no_hierarchy_then_nothing_is_found(text):
    assert found(text) == set()


def test_a_pronoun_that_begins_a_sentence_is_the_last_subject():
    text = "Marufabad is a village. It is part of Miryusif District."
    assert ("Marufabad", PART_OF, "Miryusif District") in found(text)


def test_headings_nest():
    text = "# Engines\n\nText.\n\n## Diesel\n\nText.\n\n### Pumps\n\n## Petrol\n"
    assert found(text) == {
        ("Diesel", PART_OF, "Engines"),
        ("Pumps", PART_OF, "Diesel"),
        ("Petrol", PART_OF, "Engines"),
    }


def test_distance_counts_the_words_between_and_chunk_the_text():
    relations = [*find_relations(["Nothing.", "Oslo is the capital of Norway."])]
    assert relations == [Relation("Oslo", "is the capital of", "Norway", chunk=1, distance=4)]


def test_most_of_what_a_real_corpus_states_of_who_directed_what_is_found(data):
    """Against evidence triples of 2WikiMultihopQA: of the directors, at least half."""
    folder = data / "2wikimultihopqa"
    with (folder / "questions.jsonl").open(encoding="utf-8") as lines:
        questions = [json.loads(line) for line in lines]
    wanted = {
        (film.partition(" (")[0].casefold(), name.casefold())
        for question in questions
        for film, relation, name in question["evidence"]
        if relation == "director"
    }
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [
            row["text"] for row in map(json.loads, lines) if "directed by" in row["text"][:400]
        ]
    stated = {
        (r.head.casefold().removeprefix("the "), r.tail.casefold())
        for r in find_relations(texts)
        if "directed by" in r.kind
    }
    hits = sum((film.removeprefix("the "), name) in stated for film, name in wanted)
    assert len(wanted) > 100
    assert hits > len(wanted) / 2
