"""Index documents with the package LightRAG; run by an interpreter that has it.

    PYTHON benchmarks/_lightrag_run.py DOCUMENTS.json URL FOLDER

Nothing of bridgerag is imported. The package's defaults hold, with three stand-ins: the model at
URL, a tokenizer of four characters a token (its own comes over the network), and vectors by hash.
"""

from __future__ import annotations

import asyncio
import json
import sys
import urllib.request
import zlib
from pathlib import Path

import numpy as np

_DIM = 16


class FourCharacters:
    """A token is four characters; decoding gives the text again."""

    def encode(self, content: str) -> list[int]:
        letters = [ord(letter) for letter in content]
        return [_packed(letters[i : i + 4]) for i in range(0, len(letters), 4)]

    def decode(self, tokens: list[int]) -> str:
        return "".join(_unpacked(token) for token in tokens)


def _packed(letters: list[int]) -> int:
    return sum(letter << (21 * place) for place, letter in enumerate(letters))


def _unpacked(token: int) -> str:
    letters = []
    while token:
        letters.append(chr(token & 0x1FFFFF))
        token >>= 21
    return "".join(letters)


async def embed(texts: list[str]) -> np.ndarray:
    rows = [np.random.default_rng(zlib.crc32(t.encode())).normal(size=_DIM) for t in texts]
    return np.array(rows, np.float32)


def model(url: str):
    """Return the function by which the package asks its model."""

    def ask(messages: list[dict]) -> str:
        body = json.dumps({"model": "stub", "messages": messages}).encode()
        request = urllib.request.Request(f"{url}/chat/completions", body)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]

    async def complete(prompt, system_prompt=None, history_messages=None, **_):
        system = [{"role": "system", "content": system_prompt}] if system_prompt else []
        messages = [*system, *(history_messages or []), {"role": "user", "content": prompt}]
        return await asyncio.to_thread(ask, messages)

    return complete


async def main(documents: Path, url: str, folder: str) -> None:
    from lightrag import LightRAG, __version__
    from lightrag.utils import EmbeddingFunc, Tokenizer

    rag = LightRAG(
        working_dir=folder,
        llm_model_func=model(url),
        embedding_func=EmbeddingFunc(embedding_dim=_DIM, max_token_size=8192, func=embed),
        tokenizer=Tokenizer("four", FourCharacters()),
    )
    await rag.initialize_storages()
    texts = json.loads(documents.read_text())
    await rag.ainsert(list(texts.values()), ids=list(texts), file_paths=list(texts))
    states = await rag.doc_status.get_status_counts()
    chunks = json.loads(next(Path(folder).glob("kv_store_text_chunks.json")).read_text())
    entities = await rag.chunk_entity_relation_graph.get_all_labels()
    await rag.finalize_storages()
    done = {key: value for key, value in states.items() if value}
    print(json.dumps({"version": __version__, "states": done, "chunks": len(chunks),
                      "entities": len(entities)}))  # fmt: skip


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
