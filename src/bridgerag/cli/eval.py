"""``bridgerag eval DATA``: every method side by side, on questions of your own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgerag.cli.options import json_option
from bridgerag.cli.progress import progress_bars
from bridgerag.cli.terminal import emit, note, shown_path

if TYPE_CHECKING:
    from bridgerag.evaluation.records import Run
    from bridgerag.evaluation.token_models import TokenModel

__all__ = ["eval_command"]

_BUNDLED = "minilm"


def _names(ctx: click.Context, param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [name.strip() for name in value.split(",") if name.strip()]


def _numbers(ctx: click.Context, param: click.Parameter, value: str) -> list[int]:
    try:
        return [int(number) for number in value.split(",")]
    except ValueError as error:
        usage = f"{param.opts[0]} is {value!r}; it must be whole numbers with commas between them"
        raise click.UsageError(usage, ctx) from error


@click.command("eval")
@click.argument("data", type=click.Path(path_type=Path), metavar="DATA")
@click.option(
    "--questions",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The questions, as JSON Lines, CSV or TSV. [default: the questions.jsonl in DATA]",
)
@click.option("--limit", type=int, metavar="N", help="Draw N of the questions by lot.")
@click.option(
    "--scope",
    type=click.Choice(["all", "gold"]),
    default="all",
    show_default=True,
    help="gold: gold_ids are the documents that a question belongs to; search among those only.",
)
@click.option(
    "--methods",
    callback=_names,
    metavar="NAMES",
    help="What to compare, with commas between them. [default: all that can run]",
)
@click.option(
    "--depths",
    callback=_numbers,
    default="0,1,2,3",
    show_default=True,
    metavar="NUMBERS",
    help="Depths to run bridge at.",
)
@click.option("-k", type=int, default=20, show_default=True, help="How many passages to find.")
@click.option(
    "--budget",
    "--budget-tokens",
    "budget_tokens",
    type=int,
    default=3000,
    show_default=True,
    metavar="TOKENS",
    help="Length of the prompt, which is the same for every method.",
)
@click.option(
    "--generator",
    default="extractive",
    show_default=True,
    metavar="NAME",
    help="What writes the answers: extractive, none, or a model as MODEL or MODEL@URL.",
)
@click.option(
    "--bertscore",
    metavar="MODEL",
    help="Also measure BERTScore, which takes time: by minilm, or a folder with an ONNX model.",
)
@click.option(
    "--repetitions",
    type=int,
    default=100,
    show_default=True,
    metavar="N",
    help="How often to repeat a search for its latency; 0 leaves latency out.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of what is drawn by lot.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder of the results; a run that is there is gone on with. [default: bridge.eval/NAME]",
)
@click.option(
    "--store",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Search this store, which holds the documents; without it, one is built in the results.",
)
@click.option(
    "--embedding",
    metavar="NAME",
    help="New store: minilm, minilm-fast, none, or MODEL@URL. [default: minilm]",
)
@json_option
def eval_command(
    *,
    data: Path,
    questions: Path | None,
    limit: int | None,
    scope: str,
    methods: Sequence[str] | None,
    depths: Sequence[int],
    k: int,
    budget_tokens: int,
    generator: str,
    bertscore: str | None,
    repetitions: int,
    seed: int,
    out: Path | None,
    store: Path | None,
    embedding: str | None,
    as_json: bool,
) -> None:
    """Compare the methods on the questions about DATA.

    DATA is a folder with corpus.jsonl and questions.jsonl, or any file or folder of documents.
    What was answered is kept: the same command goes on where it was stopped.
    """
    from bridgerag.evaluation.dataset import load_dataset  # noqa: PLC0415 - heavy
    from bridgerag.evaluation.run import evaluate  # noqa: PLC0415

    dataset = load_dataset(data, questions, limit, seed, scope)  # type: ignore[arg-type]
    with progress_bars() as progress:
        run = evaluate(
            dataset,
            out or Path("bridge.eval") / dataset.name,
            methods=methods,
            depths=depths,
            k=k,
            budget_tokens=budget_tokens,
            generator=generator,
            repetitions=repetitions,
            seed=seed,
            store=store,
            settings={"embedding": embedding} if embedding else None,
            token_model=_token_model(bertscore),
            progress=progress,
        )
    _show(run, as_json)


def _token_model(name: str | None) -> TokenModel | None:
    from bridgerag.evaluation.token_models import MiniLMTokens, OnnxTokens  # noqa: PLC0415

    if name is None:
        return None
    return MiniLMTokens() if name == _BUNDLED else OnnxTokens(Path(name))


def _show(run: Run, as_json: bool) -> None:
    """Write the reports into the run's folder, and print the table."""
    from rich.console import Console  # noqa: PLC0415 - slow to import

    from bridgerag.evaluation import report  # noqa: PLC0415
    from bridgerag.evaluation.summary import summarize, summary_form  # noqa: PLC0415

    summary = summarize(run)
    made = report.make_report(run, summary)
    forms = {"html": report.html, "md": report.markdown, "csv": report.csv_table}
    for suffix, form in forms.items():
        (run.folder / f"report.{suffix}").write_text(form([made]), encoding="utf-8")
    if as_json:
        emit({"folder": str(run.folder), **summary_form(summary)})
        return
    report.print_report(made, Console())
    note(f"the report is {shown_path(str(run.folder / 'report.html'))}")
