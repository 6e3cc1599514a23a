"""``bridgerag tree [DOC]``: the documents of a store, or the tree of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgerag.cli.options import json_option, store_option
from bridgerag.cli.passages import document_name
from bridgerag.cli.terminal import emit, fit, printable, width
from bridgerag.serialize import listing_json, tree_json

if TYPE_CHECKING:
    from bridgerag.types import DocumentRef, TreeNode

__all__ = ["tree"]


@click.command()
@click.argument("name", required=False, metavar="[DOC]")
@store_option
@json_option
def tree(name: str | None, store: Path, as_json: bool) -> None:
    """List the documents, or draw one's tree.

    The tree shows each abstract of DOC with its level, its chunks and its summary.
    DOC is a document's id, or the path of the file it came from.
    """
    import bridgerag  # noqa: PLC0415 - heavy, and --help does not need it

    with bridgerag.open(store) as bridge:
        if name is None:
            documents = bridge.documents()
            form, lines = listing_json("documents", documents), _listing(documents)
        else:
            root = bridge.tree(name)
            form, lines = tree_json(root), _drawing(root, width())
    if as_json:
        emit(form)
        return
    for line in lines:
        click.echo(line)


def _listing(documents: Iterable[DocumentRef]) -> Iterator[str]:
    for document in documents:
        yield f"{document_name(document)}  {printable(document.title)}"


def _drawing(node: TreeNode, columns: int, lead: str = "", below: str = "") -> Iterator[str]:
    """Yield one line an abstract, its children under it; the recursion is as deep as the tree."""
    head = f"{lead}level {node.level}, chunks {node.first}-{node.first + node.count - 1}: "
    yield head + fit(node.summary, max(columns - len(head), 10))
    for child in node.children:
        last = child is node.children[-1]
        yield from _drawing(
            child,
            columns,
            below + ("└── " if last else "├── "),
            below + ("    " if last else "│   "),
        )
