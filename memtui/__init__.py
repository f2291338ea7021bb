"""memtui: find out where, at which scale, and why an agent's memory stopped being usable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memtui.recorder import Recorder as Recorder

__version__ = "0.1.0"
__all__ = ["Recorder", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the recorder only when asked for: `import memtui` stays cheap for the viewer."""
    if name == "Recorder":
        from memtui.recorder import Recorder

        return Recorder
    raise AttributeError(name)
