"""Finding data sets by name or by file: our own, and those of other packages.

Another package adds a data set with an entry point in the group `memtui.datasets`: a function that
takes `path` (or none, if it needs no file) and options as keywords, and returns a `DataSet`
(docs/adding-a-benchmark.md).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from memtui.errors import UserError, did_you_mean
from runners.datasets.contract import DataSet
from runners.datasets.gold import SPAN_ANSWERABLE, count_declared, with_declared_subset
from runners.datasets.shapes import shape_of
from runners.plug_ins import Catalogue, options_of

OWN = {
    "synthetic": "runners.datasets.synthetic:load",
    "locomo": "runners.datasets.locomo:load_locomo",
    "longmemeval": "runners.datasets.longmemeval:load_longmemeval",
    "longmemeval-s": "runners.datasets.longmemeval:load_longmemeval",
    "longmemeval-m": "runners.datasets.longmemeval:load_longmemeval",
    "longmemeval-109": "runners.datasets.longmemeval_109:load_longmemeval_109",
    "jsonl": "runners.datasets.jsonl:load_jsonl",
}
"""Name -> `module:loader`; imported only when asked for."""

PATH_OPTIONS = frozenset({"path", "pool", "sessions", "audit"})
"""Options that name files: text is taken as a path, beside the data set's own file where it is there."""

_DATA_SETS = Catalogue("data set", "memtui.datasets", OWN)


def names() -> tuple[str, ...]:
    """Every known name, our own first."""
    return _DATA_SETS.names()


def load(name_or_path: str | Path, path: str | Path | None = None, **options: Any) -> DataSet:
    """Loads a data set by name (with the file it needs) or by file alone, its shape told by content.

    Without `path`, a name that needs a file is looked for where `memtui data get` puts it. Every data
    set comes back with the declared subset `span_answerable` marked and counted. Raises UserError for
    unknown names and options (with the nearest known one) and for a file that is absent or of another
    shape.
    """
    name = str(name_or_path)
    if isinstance(name_or_path, Path) or (name not in names() and _is_file(name)):
        if path is not None:
            raise UserError(f"{name}: a file is given twice; give the data set's name and one file")
        path, name = Path(name_or_path), shape_of(Path(name_or_path))
    if name not in names():
        raise UserError(f"there is no data set and no file {name!r}; {did_you_mean(name, names())}")
    loader = _DATA_SETS.factory(name)
    given: dict[str, Any] = dict(options)
    known = options_of(loader)
    _DATA_SETS.check_options(name, given, options_of(loader, "path"))
    if known is None or "path" in known:
        given["path"] = Path(path).expanduser() if path is not None else _fetched(name)
    elif path is not None:
        raise UserError(f"data set {name!r} is generated and takes no file")
    for option in (PATH_OPTIONS & given.keys()) - {"path"}:
        if isinstance(given[option], str):
            given[option] = _beside(given.get("path"), Path(given[option]).expanduser())
    return declared(loader(**given))


def declared(dataset: DataSet) -> DataSet:
    """The data set with its declared subset marked and counted, whoever loaded it."""
    if SPAN_ANSWERABLE in dataset.counts:
        return dataset
    items = with_declared_subset(dataset.items, dataset.sessions)
    counts = {**count_declared(items), "sessions": len(dataset.sessions), **dataset.counts}
    return replace(dataset, items=items, counts=counts)


def _beside(path: Path | None, second: Path) -> Path:
    """A further file of a data set: looked for beside its first file, then from where we run."""
    if path is None or second.is_absolute():
        return second
    beside = (path if path.is_dir() else path.parent) / second
    return beside if beside.exists() else second


def _fetched(name: str) -> Path:
    """Where `memtui data get` put the file of a data set; UserError saying how to get it."""
    from runners.datasets.download import SOURCES, place_of

    if name not in SOURCES:
        raise UserError(f"data set {name!r} needs a file: give its path")
    path = place_of(SOURCES[name])
    if not path.is_file():
        raise UserError(
            f"data set {name!r}: no file given and none at {path}; "
            f"`memtui data get {name}` fetches it, or give its path"
        )
    return path


def _is_file(name: str) -> bool:
    """Whether the text names an existing file."""
    try:
        return Path(name).expanduser().is_file()
    except (OSError, ValueError):
        return False
