"""What published methods ask a language model for when they index a text, counted, not run.

Each function goes through the calls that a paper's procedure makes, with `_stub_model.facts` in
the model's place, and counts the tokens of texts and answers. Instructions and examples are left
out, and chunks do not overlap: the bills are lower bounds.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmarks._stub_model import Bill, Facts, facts
from bridgerag.retrieval.cluster_tree import grow_levels
from bridgerag.retrieval.summaries import extractive_summary, tokens_in

__all__ = ["SOURCES", "graphrag", "hipporag", "raptor"]

SOURCES: Mapping[str, str] = {
    "HippoRAG": "Gutierrez et al. 2024, offline indexing: names, then triples, of each passage",
    "GraphRAG": "Edge et al. 2024, section 3.1: chunks of 600 tokens, entities and relations, one "
    "gleaning, a summary of each entity in several, a report a community (Louvain, two entities "
    "or more; one of more than ten is divided again)",
    "RAPTOR": "Sarthi et al. 2024, section 3: one summary a cluster, by this package's clusters",
}
_REPORT_TOKENS = 8_000  # that a community's report reads
_LARGE = 10  # entities; a community with more is divided again


def hipporag(passages: Sequence[str]) -> Bill:
    """Count two calls a passage: its names, then the triples that join them."""
    bill = Bill()
    for passage in passages:
        found = facts(passage)
        names = json.dumps(list(found.names))
        triples = json.dumps([[one, "mention", other] for one, other in found.pairs])
        bill.add(tokens_in(passage), tokens_in(names))
        bill.add(tokens_in(passage) + tokens_in(names), tokens_in(triples))
    return bill


def graphrag(chunks: Sequence[str]) -> Bill:
    """Count extraction and gleaning of each chunk, summaries of entities, reports of communities.

    The gleaning reads the chunk and what was found in it again, and adds nothing.
    """
    bill = Bill()
    found = [facts(chunk) for chunk in chunks]
    said: defaultdict[str, list[str]] = defaultdict(list)
    for chunk, here in zip(chunks, found, strict=True):
        written = tokens_in("\n".join(here.rows()))
        bill.add(tokens_in(chunk), written)
        bill.add(tokens_in(chunk) + written, 1)
        for name, text in here.names.items():
            said[name].append(text)
    for texts in said.values():
        if len(texts) > 1:
            bill.add(tokens_in("\n".join(texts)), tokens_in(texts[0]))
    for members in _communities(found):
        told = "\n".join(text for name in members for text in said[name])
        read = min(_REPORT_TOKENS, tokens_in(told))
        bill.add(read, tokens_in(extractive_summary([told[: 4 * read]])))
    return bill


def _communities(found: Sequence[Facts]) -> Iterator[list[str]]:
    """Yield the communities of two names or more, of all levels."""
    import networkx

    graph = networkx.Graph()
    for here in found:
        graph.add_nodes_from(here.names)
        graph.add_edges_from(here.pairs)
    whole = [graph]
    while whole:
        one = whole.pop()
        parts = networkx.community.louvain_communities(one, seed=0)
        for part in parts:
            if len(part) > 1:
                yield sorted(part)
            if _LARGE < len(part) < len(one):
                whole.append(one.subgraph(part))


def raptor(passages: Sequence[str], vectors: np.ndarray) -> Bill:
    """Count one call a cluster, all levels; summaries are the clusters' own best sentences."""
    bill = Bill()

    def summarize(texts: Sequence[str]) -> str:
        written = extractive_summary(texts)
        bill.add(tokens_in("\n\n".join(texts)), tokens_in(written))
        return written

    grow_levels(vectors, passages, summarize)
    return bill
