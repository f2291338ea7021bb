"""What is fixed before an episode begins: the rules of its loop, and which attempt it is."""

from __future__ import annotations

from dataclasses import dataclass

from memtui.model import BudgetMode, EpisodeId


@dataclass(frozen=True, slots=True)
class EpisodeSettings:
    """Rules of the loop, the same for every arm of a run.

    Times are seconds; None or 0 switches a limit off. `budget` refuses calls in hard mode and only
    measures in post-hoc mode. `call_cap` ends runaways: R is censored there.
    """

    k: int = 12
    budget: int = 2
    mode: BudgetMode = BudgetMode.POST_HOC
    forced_final_answer: bool = True
    step_cap: int = 20
    call_cap: int = 20
    observation_tokens: int | None = None
    block_tokens: int | None = None
    """Tokens that one block of an observation is cut to."""
    rank_depth: int = 200
    """Sessions of a system's own ranking in which evidence is looked for after a call; 0: none."""
    context_tokens: int = 128_000
    max_tokens: int | None = None
    """Tokens one episode may use (`budget_tokens`)."""
    max_cost: float | None = None
    """US dollars one episode may cost (`cost_cap`)."""
    open_s: float | None = 120.0
    memory_s: float | None = 60.0
    agent_s: float | None = 900.0
    judge_s: float | None = 120.0
    episode_s: float | None = 3600.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt of an episode: its identity in the record, and the seed the agent gets."""

    id: EpisodeId
    uid: str
    haystack: str | None
    scale: float
    seed: int = 0
