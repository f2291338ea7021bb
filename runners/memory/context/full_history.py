"""Full history: the whole transcript in the model's context, cut from the oldest turn on if it must be."""

from __future__ import annotations

from runners.memory.context.transcript import TranscriptSystem
from runners.memory.contract import SystemInfo


class FullHistory(TranscriptSystem):
    """No retrieval at all: what remains usable is what the model can read."""

    name = "full-history"

    @property
    def info(self) -> SystemInfo:
        """What the system declares about itself."""
        return SystemInfo(
            name=self.name,
            version="1",
            interface="context",
            mode="single_shot",
            context=True,
            order_dependent=True,
            config={"cut": "oldest turn first"},
        )
