"""The commented configuration that `memtui run --example` prints; it runs as it stands."""

from __future__ import annotations

from importlib.resources import files


def example_text() -> str:
    """The text of example.toml."""
    return files("runners.engine").joinpath("example.toml").read_text(encoding="utf-8")
