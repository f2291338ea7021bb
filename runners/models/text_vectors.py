"""Vectors of short texts by all-MiniLM-L6-v2: what was embedded once on this machine is read from disk.

Memory systems embed a session's facts or passages together, and the same ones again for another system,
run or scale. A list of texts is therefore kept as a whole, under the hash of its texts; single texts, which
are mostly queries, are kept in this process alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from runners.models.embedder import minilm
from runners.models.folders import cache_folder
from runners.models.minilm import DIMENSIONS, Floats
from runners.models.vectors import VectorCache, Vectors
from runners.models.weights import KNOWN


def text_vectors(texts: Sequence[str]) -> Floats:
    """Unit vectors, shape (len(texts), 384), each text cut to what the model reads (254 word pieces).

    UserError when the weights are absent and the vectors are not on disk.
    """
    if len(texts) == 1:
        return _single(texts[0])
    if not texts:
        return np.empty((0, DIMENSIONS), np.float32)
    model = KNOWN["minilm"].files[0].sha256[:16]
    cache = VectorCache(cache_folder() / "vectors" / f"minilm-{model}" / "texts")
    key = hashlib.sha256(json.dumps(list(texts)).encode("ascii")).hexdigest()
    kept = cache.get(key)
    if kept is not None and kept.rows.shape == (len(texts), DIMENSIONS):
        return kept.rows
    distinct = list(dict.fromkeys(texts))
    rows = minilm().embed(distinct)
    if len(distinct) < len(texts):
        place = {text: number for number, text in enumerate(distinct)}
        rows = rows[[place[text] for text in texts]]
    cache.put(key, Vectors(rows, {}))
    return rows


@lru_cache(maxsize=4096)
def _single(text: str) -> Floats:
    rows = minilm().embed([text])
    rows.flags.writeable = False
    return rows
