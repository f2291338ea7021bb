"""Signs of the call strip: one per memory call the agent requested (docs/metrics.md).

The strip that is stored holds these alone. The budget bar and the closing sign depend on B and on the
judge, so they are added where the strip is shown.
"""

from __future__ import annotations

COMPLETE = "◆"
"""With this call every gold unit is in view, for the first time."""
NEW_EVIDENCE = "◈"
"""New evidence, not all of it yet."""
NO_EVIDENCE = "◇"
"""New blocks, none of the evidence among what is new."""
NOTHING_NEW = "·"
"""Nothing the model had not seen already: empty, or repeats only."""
REFUSED = "×"
"""Refused, invalid or failed: nothing came back."""
UNKNOWN = "○"
"""New blocks; coverage is n/a, so nothing can be said about the evidence."""

BUDGET_BAR = "│"
