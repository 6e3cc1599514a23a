"""Table 1 of the Bridge-RAG paper and our own numbers side by side, and which claims hold.

    python -m benchmarks.paper_table --stores stores       extractive answers, no language model
    python -m benchmarks.paper_table --generator MODEL@URL --out paper_table_llm
    python -m benchmarks.paper_table --medqa-corpus textbooks/

Writes ``paper_table.md`` and ``paper_table.json``. The runs are kept beside them: what was stopped
goes on where it was.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import bridgerag
from benchmarks._claims import CLAIMS, Claim, Measured, beats_none, is_faster, pools_pay
from benchmarks._data import data_folder
from benchmarks._paper import TABLE_1
from benchmarks._paper_page import Part, form, page
from bridgerag.cli.progress import progress_bars
from bridgerag.evaluation import Dataset, evaluate, load_dataset
from bridgerag.evaluation.records import Run
from bridgerag.evaluation.token_models import MiniLMTokens
from bridgerag.evaluation.variants import every_method

METHODS = (
    *("none", "naive", "raptor", "tree", "tree-ann", "graph", "bridge"),  # the paper's
    *("cft", "bm25", "hybrid"),
)
_MEDQA_QUESTIONS = 200
_SEED = 0


def main(arguments: Sequence[str] | None = None) -> None:
    args = _parser().parse_args(arguments)
    parts = [_aa_lcr(args), _medqa(args)]
    text = page(parts)
    print(text)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "paper_table.md").write_text(text, encoding="utf-8")
    whole = json.dumps([form(part) for part in parts], indent=1, allow_nan=False)
    (args.out / "paper_table.json").write_text(whole + "\n", encoding="utf-8")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stores", type=Path, help="keep the stores here and use them again")
    parser.add_argument("--out", type=Path, default=Path("paper_table"), help="results and runs")
    parser.add_argument("--limit", type=int, help="at most so many questions a data set")
    parser.add_argument("--medqa-corpus", type=Path, help="your own textbooks for MedQA")
    parser.add_argument("--generator", default="extractive", help="or MODEL@URL")
    parser.add_argument("-k", type=int, default=20, help="chunks to find")
    parser.add_argument("--budget", type=int, default=3000, help="tokens of a prompt")
    parser.add_argument("--repetitions", type=int, default=100, help="for the time; 0 leaves it")
    return parser


def _aa_lcr(args: argparse.Namespace) -> Part:
    data = load_dataset(data_folder("aa_lcr"), limit=args.limit, seed=_SEED, scope="gold")
    return Part(
        title="AA-LCR",
        run=_run(args, data, "aa_lcr", shared=True),
        corpus="each question is searched in its own set of documents; where the paper searches is "
        "not said. Questions are our development part, the paper samples 100",
        claims=_telling(args, CLAIMS),
        paper=TABLE_1["AA-LCR"],
    )


def _medqa(args: argparse.Namespace) -> Part:
    """Run MedQA on the user's books, or on abstracts that stand in for them."""
    own: Path | None = args.medqa_corpus
    documents = own or data_folder("pubmedqa")
    asked = data_folder("medqa") / "questions.jsonl.gz"
    limit = min(_MEDQA_QUESTIONS, args.limit or _MEDQA_QUESTIONS)
    data = load_dataset(documents, asked, limit=limit, seed=_SEED)
    if own:
        return Part(
            title="MedQA",
            run=_run(args, data, "medqa", shared=False),
            corpus=f"documents of your own ({own.name}); the paper's are not published. Questions "
            "are a sample of our development part, the paper samples 1,000",
            claims=_telling(args, CLAIMS),
            paper=TABLE_1["MedQA"],
        )
    return Part(
        title="MedQA questions over PubMedQA abstracts: A STAND-IN CORPUS",
        run=_run(args, data, "pubmedqa", shared=True),
        corpus="MedQA's textbooks are commercial and not here. 1,000 abstracts of PubMedQA stand "
        "in, most of which have nothing to do with the questions: quality here says little; "
        "`--medqa-corpus FOLDER` takes books that you may use",
        claims=_telling(args, (beats_none, is_faster, pools_pay)),
        paper=TABLE_1["MedQA"],
    )


def _telling(
    args: argparse.Namespace, claims: Sequence[Callable[[Measured], Claim]]
) -> list[Callable[[Measured], Claim]]:
    """Return the claims that can fail: an extractive answer from nothing is empty, and loses."""
    return [claim for claim in claims if claim is not beats_none or args.generator != "extractive"]


def _run(args: argparse.Namespace, data: Dataset, name: str, shared: bool) -> Run:
    """Return the run; a store of ``shared`` data is kept for other benchmarks too."""
    store = args.stores / f"{name}-minilm" if shared and args.stores else None
    with progress_bars() as progress:
        if store:
            with bridgerag.open(store) as bridge:
                bridge.add(data.documents, ignore=data.ignore, progress=progress)
        return evaluate(
            data,
            args.out / "runs" / name,
            methods=[name for name in METHODS if name in every_method()],
            depths=(1, 2, 3),
            k=args.k,
            budget_tokens=args.budget,
            generator=args.generator,
            repetitions=args.repetitions,
            seed=_SEED,
            store=store,
            token_model=MiniLMTokens(),
            progress=progress,
        )


if __name__ == "__main__":
    main()
