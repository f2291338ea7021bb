"""LongMemEval-109: the 109 questions whose evidence sessions are known in full, over a filler pool.

`oracle_full.json` in LongMemEval's native format, and `session_pool.jsonl` beside it: 566 distinct
sessions, so every question has at least 560 foreign ones and the rungs up to 400 work on real text.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.errors import UserError
from runners.datasets.contract import DataSet
from runners.datasets.longmemeval import load_longmemeval

ORACLE, POOL = "oracle_full.json", "session_pool.jsonl"


def load_longmemeval_109(path: Path, *, pool: Path | None = None) -> DataSet:
    """Reads the folder that holds both files, or the oracle file with its pool beside it.

    Raises UserError when one of the two is absent.
    """
    oracle = path / ORACLE if path.is_dir() else path
    fillers = pool if pool is not None else oracle.with_name(POOL)
    for file in (oracle, fillers):
        if not file.is_file():
            raise UserError(f"{file}: not there; LongMemEval-109 needs {ORACLE} and {POOL}")
    return replace(load_longmemeval(oracle, pool=fillers), name="longmemeval-109")
