"""One prompt for every method, whoever writes the answer."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from bridgerag.embedding import open_embedder
from bridgerag.errors import InputError, ModelError
from bridgerag.evaluation.answering import open_generator, shown_texts
from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.run import evaluate
from bridgerag.retrieval import METHODS, Found
from bridgerag.settings import Settings
from bridgerag.types import AbstractNote, Context, DocumentRef, Hit
from evaluation.toy_islands import NAMES, write_corpus

EMBEDDER = open_embedder("none")


def context(*texts, question="Who settled Alvera in 1999?", notes=(), summaries=()):
    hits = tuple(
        Hit(
            rank, 1 / rank, text, DocumentRef(f"d{rank}", "A title", "memory"), 0, 0, len(text),
            (), (), headings=("Of harbours",),
        )
        for rank, text in enumerate(texts, start=1)
    )  # fmt: skip
    abstracts = tuple(AbstractNote(n, 0, text) for n, text in enumerate(summaries))
    return Context(question, "naive", 2, (), hits, abstracts, False, {}, notes)


class Model:
    """A language model on loopback that always says the same; it fails when told to."""

    def __init__(self):
        self.prompts = []
        self.says = "Ilse Varrow settled it [1]."
        self.fails_after = None
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.prompts.append(asked["messages"])
                late = model.fails_after is not None and len(model.prompts) > model.fails_after
                message = {"role": "assistant", "content": model.says}
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                answer = {"id": "1", "object": "chat.completion", "model": "m", "created": 1}
                body = json.dumps({**answer, "choices": [choice]}).encode()
                self.send_response(400 if late else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.name = f"toy@http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def model(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    model = Model()
    yield model
    model.close()


def test_what_a_prompt_shows_is_its_documents_without_the_question_and_our_own_words():
    found = context(
        "It was settled [3] by Ilse.", "A second passage.", notes=("A - is part of - B",),
        summaries=("Of the northern sea.",),
    )  # fmt: skip
    shown = shown_texts(open_generator("none", EMBEDDER, 3000).prompt(found))
    for words in ("A title", "Of harbours", "settled [3] by Ilse", "A second passage"):
        assert words in shown
    assert "A - is part of - B" in shown
    assert "Of the northern sea." in shown
    for words in ("1999", "[1]", "[2]", "<<<", ">>>", "Answer the question"):
        assert words not in shown


def test_what_did_not_fit_the_prompt_is_not_shown():
    found = context(*(f"Passage {n} " + "about the harbour. " * 30 for n in range(20)))
    generator = open_generator("none", EMBEDDER, 600)
    prompt = generator.prompt(found)
    assert prompt.tokens <= 600
    assert "Passage 0" in shown_texts(prompt)
    assert "Passage 19" not in shown_texts(prompt)


def test_nothing_found_shows_nothing():
    generator = open_generator("extractive", EMBEDDER, 3000)
    prompt = generator.prompt(context())
    assert shown_texts(prompt) == ""
    assert generator.answer(context(), prompt) == ""


def test_an_extractive_answer_is_of_the_prompts_passages_and_without_markers():
    texts = [f"Nobody settled Borvane {n}, and the winters are mild there." for n in range(30)]
    found = context(*texts, "Ilse Varrow settled Alvera in 1999.")
    short, long = (open_generator("extractive", EMBEDDER, tokens) for tokens in (500, 3000))
    assert "Ilse Varrow settled Alvera in 1999." in long.answer(found, long.prompt(found))
    assert "Ilse" not in short.answer(found, short.prompt(found))
    assert "[" not in long.answer(found, long.prompt(found))


def test_a_budget_that_holds_no_prompt_is_refused_at_once():
    with pytest.raises(InputError, match="budget_tokens is 20; it must be at least"):
        open_generator("none", EMBEDDER, 20)


@pytest.mark.parametrize("budget", [700, 5000])
def test_a_model_gets_the_very_prompt_and_its_markers_are_taken_out(model, budget):
    generator = open_generator(model.name, EMBEDDER, budget)
    found = context(*(f"Passage {n} " + "about the harbour. " * 30 for n in range(60)))
    prompt = generator.prompt(found)
    assert generator.answer(found, prompt) == "Ilse Varrow settled it."
    assert generator.name == "toy"
    sent = [(message["role"], message["content"]) for message in model.prompts[0]]
    assert sent == [(message.role, message.content) for message in prompt.messages]


def test_a_model_that_was_shown_nothing_may_answer_from_memory(model):
    generator = open_generator(model.name, EMBEDDER, 3000)
    generator.answer(context(), generator.prompt(context()))
    (system, user) = model.prompts[0]
    assert "from what you know" in system["content"]
    assert user["content"] == "Who settled Alvera in 1999?"


def test_when_the_model_fails_what_it_answered_is_kept_and_the_run_goes_on_from_there(
    model, tmp_path, monkeypatch
):
    monkeypatch.setitem(METHODS, "empty", lambda: lambda *_: Found([], [], fallback=False))
    folder = write_corpus(tmp_path / "islands")
    asked = [{"question": f"Who settled {name}?"} for name in NAMES[:6]]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, asked)))
    data = load_dataset(folder)
    how = {
        "methods": ("naive", "empty"), "generator": model.name, "repetitions": 0,
        "settings": Settings(embedding="none"),
    }  # fmt: skip
    model.fails_after = 8
    with pytest.raises(ModelError):
        evaluate(data, tmp_path / "run", **how)
    model.fails_after = None
    before = len(model.prompts)
    run = evaluate(data, tmp_path / "run", **how)
    assert len(model.prompts) - before == 4
    assert run.methods == ("naive", "empty")
    assert run.settings["generator"] == "toy"
    assert {outcome.answer for outcome in run.outcomes.values()} == {"Ilse Varrow settled it."}
