"""The one embedder of a process: loaded when first needed, shared by every system that needs it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from memtui.errors import UserError
from runners.models import weights
from runners.models.blas import one_thread_per_product
from runners.models.minilm import MiniLM

INSTALL = "run `memtui models install minilm`"


def minilm() -> MiniLM:
    """all-MiniLM-L6-v2 from this machine's weights.

    UserError, saying what to do, when they are absent or are not the official bytes.
    """
    model = weights.weights("minilm")
    found = weights.state(model)
    if found != "installed":
        raise UserError(f"the weights of all-MiniLM-L6-v2 are {found}: {INSTALL}")
    return _load(weights.folder_of(model))


@lru_cache(maxsize=1)
def _load(folder: Path) -> MiniLM:
    one_thread_per_product()
    loaded = MiniLM.load(folder)
    official = weights.KNOWN["minilm"].files[0].sha256
    if loaded.sha256 != official:
        raise UserError(
            f"{folder} does not hold the official weights (SHA-256 {loaded.sha256}): {INSTALL}"
        )
    return loaded
