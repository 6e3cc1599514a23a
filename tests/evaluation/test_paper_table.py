"""What becomes of the paper's claims, by numbers for which the verdict is known."""

import importlib
import json
import zlib
from math import nan
from pathlib import Path

import numpy as np
import pytest

from bridgerag.evaluation.dataset import load_dataset
from bridgerag.evaluation.run import evaluate
from bridgerag.settings import Settings
from evaluation.toy_islands import write_corpus

ROOT = Path(__file__).parents[2]
QUESTIONS = 40
RIVALS = ("naive", "raptor", "tree", "graph")
DEPTHS = ("bridge d=1", "bridge d=2", "bridge d=3")
METRICS = ("rouge1", "rouge2", "rougeL", "bleu", "bertscore")


@pytest.fixture(scope="module")
def modules():
    """The benchmarks, which are not installed with the package."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT)
        yield {
            name: importlib.import_module(f"benchmarks.{name}")
            for name in (
                "_claims",
                "_paper",
                "_paper_page",
                "paper_table",
                "study",
                "studies._measure",
            )
        }


@pytest.fixture
def claims(modules):
    return modules["_claims"]


def scores(name, mean, ms=nan, spread=0.02):
    """Return a value a question: the same ups and downs for all, and some of the method's own."""
    own = np.random.default_rng(zlib.crc32(name.encode())).normal(
        0, spread, (len(METRICS), QUESTIONS)
    )
    hard = np.random.default_rng(0).normal(0, 0.1, QUESTIONS)
    rows = {metric: mean + hard + noise for metric, noise in zip(METRICS, own, strict=True)}
    return rows | {"ms": np.full(QUESTIONS, ms) * np.exp(own[0])}


def measured(claims, paper=None, **means):
    """Return what was measured; ``d1`` stands for ``bridge d=1``."""
    labels = {f"d{i}": label for i, label in enumerate(DEPTHS, start=1)}
    values = {labels.get(name, name): scores(name, *value) for name, value in means.items()}
    return claims.Measured(values, paper or {})


def judged(claims, name, measured):
    return getattr(claims, name)(measured)


def test_a_claim_holds_when_every_difference_is_beyond_chance(claims):
    found = judged(
        claims, "beats_all", measured(claims, **dict.fromkeys(RIVALS, (0.2,)), d3=(0.4,))
    )
    assert found.verdict == "holds"
    assert len(found.comparisons) == len(RIVALS) * len(METRICS)
    assert all(one.low > 0.15 and one.high < 0.25 for one in found.comparisons)


def test_one_rival_that_is_better_is_enough_for_a_claim_not_to_hold(claims):
    means = {**dict.fromkeys(RIVALS, (0.2,)), "graph": (0.6,)}
    found = judged(claims, "beats_all", measured(claims, **means, d3=(0.4,)))
    assert found.verdict == "does not hold"
    assert {one.second for one in found.having("worse")} == {"graph"}


def test_equal_methods_tie_and_a_tie_shows_nothing(claims):
    found = judged(claims, "gain_is_not_the_prompt", measured(claims, naive=(0.3,), d3=(0.3,)))
    assert found.verdict == "not shown"
    assert {one.verdict for one in found.comparisons} == {"tie"}


def test_depth_must_help_at_each_step(claims):
    rises = measured(claims, d1=(0.2,), d2=(0.3,), d3=(0.4,))
    assert judged(claims, "grows_with_depth", rises).verdict == "holds"
    falls = measured(claims, d1=(0.2,), d2=(0.4,), d3=(0.3,))
    found = judged(claims, "grows_with_depth", falls)
    assert found.verdict == "does not hold"
    assert {(one.first, one.verdict) for one in found.comparisons} == {
        ("bridge d=2", "better"),
        ("bridge d=3", "worse"),
    }


def test_times_are_compared_by_their_ratio_with_the_factor_that_is_claimed(claims):
    faster = measured(claims, tree=(0.3, 3.0), graph=(0.3, 2.0), d3=(0.3, 1.0))
    found = judged(claims, "is_much_faster", faster)
    assert found.verdict == "holds"
    assert [round(one.value) for one in found.comparisons] == [3, 2]
    a_little = measured(claims, tree=(0.3, 1.2), graph=(0.3, 1.2), d3=(0.3, 1.0))
    assert judged(claims, "is_faster", a_little).verdict == "holds"
    assert judged(claims, "is_much_faster", a_little).verdict == "does not hold"
    slower = measured(claims, tree=(0.3, 0.5), graph=(0.3, 0.5), d3=(0.3, 1.0))
    assert judged(claims, "is_faster", slower).verdict == "does not hold"


def test_what_was_not_run_or_not_timed_is_not_judged(claims):
    found = judged(claims, "raptor_is_below", measured(claims, d3=(0.4,)))
    assert (found.verdict, list(found.missing)) == ("not tested", ["raptor"])
    some = judged(claims, "beats_all", measured(claims, naive=(0.2,), d3=(0.4,)))
    assert some.verdict == "holds as far as tested"
    untimed = judged(claims, "is_faster", measured(claims, tree=(0.2,), graph=(0.2,), d3=(0.4,)))
    assert untimed.verdict == "not tested"


def test_the_papers_own_table_is_held_against_its_claims(modules):
    claims, table = modules["_claims"], modules["_paper"].TABLE_1
    same = dict.fromkeys((*RIVALS, "d1", "d2", "d3"), (0.3, 1.0))
    against = {
        data: {
            name: {(one.first, one.second, one.metric) for one in found.against_itself}
            for name in ("beats_all", "grows_with_depth", "is_faster", "raptor_is_below")
            for found in [judged(claims, name, measured(claims, paper, **same))]
        }
        for data, paper in table.items()
    }
    assert against["AA-LCR"]["beats_all"] == {
        ("bridge d=3", rival, "rouge2") for rival in ("raptor", "tree")
    }
    assert ("bridge d=3", "bridge d=2", "bertscore") in against["AA-LCR"]["grows_with_depth"]
    assert against["MedQA"]["beats_all"] == set()
    assert not any(found["is_faster"] for found in against.values())


def test_the_papers_numbers_are_those_of_its_text(modules):
    """Section 4.5 gives ratios of the table's cells: a slip of ours would break them."""
    lcr, medqa = (modules["_paper"].TABLE_1[name] for name in ("AA-LCR", "MedQA"))

    def gain(table, other, metric):
        return round(100 * (table["bridge d=3"][metric] / table[other][metric] - 1), 1)

    assert (gain(lcr, "tree", "bleu"), gain(lcr, "graph", "bleu")) == (44.0, 63.7)
    assert (gain(lcr, "naive", "rougeL"), gain(lcr, "naive", "bleu")) == (78.7, 141.0)
    assert (gain(medqa, "tree", "rougeL"), gain(medqa, "graph", "bleu")) == (9.8, 17.2)
    assert (gain(medqa, "naive", "rougeL"), gain(medqa, "raptor", "rougeL")) == (24.8, 18.0)
    speed = [
        t[m]["seconds"] / t["bridge d=3"]["seconds"]
        for t in (lcr, medqa)
        for m in ("tree", "graph")
    ]
    assert [round(ratio, 2) for ratio in speed] == [1.67, 1.77, 1.72, 1.91]


def test_the_page_says_what_it_compares_and_what_was_not_run(modules, tmp_path):
    data = load_dataset(write_corpus(tmp_path / "islands"), limit=4)
    run = evaluate(
        data,
        tmp_path / "run",
        methods=("bridge", "naive"),
        depths=(1, 2, 3),
        repetitions=2,
        settings=Settings(embedding="none"),
    )
    part = modules["_paper_page"].Part(
        "AA-LCR", run, "islands", modules["_claims"].CLAIMS, modules["_paper"].TABLE_1["AA-LCR"]
    )
    page = modules["_paper_page"].page([part])
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line[:1] == "|"}
    assert "/ 0.1522 |" in rows["bridge d=3"]
    assert " – / 0.1294 |" in rows["raptor"]
    assert "Doubao Seed 1.6" in page
    assert "Not run: raptor." in page
    assert "The same chunks as bridge d=3, of 4 questions: naive " in page
    form = modules["_paper_page"].form(part)
    json.dumps(form, allow_nan=False)
    assert [claim["verdict"] for claim in form["claims"]][5] == "not tested"


def test_every_study_can_be_asked_for_by_its_name(modules):
    for name in modules["study"].STUDIES:
        assert callable(importlib.import_module(f"benchmarks.studies.{name}").study)


def test_a_setting_is_compared_with_the_usual_one_question_by_question(modules):
    measure = modules["studies._measure"]
    random = np.random.default_rng(5)
    usual, noise = random.random(QUESTIONS), random.normal(0, 0.01, QUESTIONS)
    found = {
        setting: measure.Measured(quality, *np.full((2, QUESTIONS), 0.5), 1.0)
        for setting, quality in ((1, usual - 0.2), (2, usual), (3, usual + noise), (4, usual + 0.1))
    }
    found[1].quality[0] = nan  # cannot be judged
    rows = measure.rows("toy", "recall@5", "depth", found, 2)
    assert [row["verdict"] for row in rows] == ["worse", "usual", "tie", "better"]
    assert [row["questions"] for row in rows] == [QUESTIONS - 1, *[QUESTIONS] * 3]
    assert rows[3]["difference"] == pytest.approx(10)
