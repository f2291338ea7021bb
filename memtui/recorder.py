"""Three lines for any other harness to stream its own agent loop into a run file.

    with Recorder("my.memtui", name="my run", arm="mymem/gpt", budget=2) as rec:
        with rec.episode(question="...", gold="...", evidence=["s1"], scale=100) as ep:
            ep.memory_call("search", "when did she move", hits=["s1", "s9"], k=12)
            ep.answer("in May", right=True)

`with` and `async with` both work; the calls in between are the same (docs/recording-your-own-harness.md).
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from memtui import recorded_values as told
from memtui.errors import UserError
from memtui.model import BudgetMode, EpisodeId, Item, RunState
from memtui.recorded_episode import EpisodeRecord
from memtui.recorded_run import RecordedRun, Spec, moment
from memtui.recorded_values import EvidenceLike, TurnLike
from memtui.store.events import (
    ArmEvent,
    HaystackEvent,
    ItemEvent,
    LogEvent,
    RunEvent,
    RunStateEvent,
    SessionEvent,
)


class Recorder(RecordedRun):
    """Writes one run file for a harness of your own; call it from any thread.

    `arm` is `memory/agent`, the default for all episodes. `judge` names who said `right=`. `planned` is
    the number of episodes to come, counted as they start when you do not know it. `errors` says which of
    your exceptions mean what (exception class -> end reason, e.g. `{openai.APIError:
    "provider_error"}`); others count as `memory_error`, a failure of the system under test. An existing
    file is continued when `config`, `budget`, `mode` and `judge` are the same, else StoreError.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        name: str = "",
        arm: str = "memory/agent",
        budget: int = 2,
        mode: str = "post_hoc",
        alpha: float = 0.7,
        judge: str = "harness",
        planned: int | None = None,
        scales: Sequence[float] = (),
        config: Mapping[str, Any] | None = None,
        dataset: Mapping[str, Any] | None = None,
        versions: Mapping[str, str] | None = None,
        provenance: str = "full",
        form: str = "verbatim",
        errors: Mapping[type[Any], str] | None = None,
        durable: bool = False,
    ) -> None:
        planned = None if planned is None else told.whole("planned", planned)
        super().__init__(
            Path(path), told.text("judge", judge), told.errors(errors), planned, durable=durable
        )
        budget, alpha = told.whole("budget", budget), told.rate("alpha", alpha)
        mode = told.one_of("mode", mode, [m.value for m in BudgetMode])
        self._name = name or self.path.stem
        self._arm = arm
        self._mode = BudgetMode(mode)
        self._form, self._provenance = form, provenance
        settings = {"budget": budget, "mode": mode, "judge": judge, "config": dict(config or {})}
        self._opening = RunEvent(
            uid="",
            name=self._name,
            protocol="recorded",
            config=dict(config or {}),
            config_hash=_digest(settings, 16),
            mode=self._mode.value,
            budget=budget,
            alpha=alpha,
            judge=judge,
            planned=planned or 0,
            created_at=moment(),
            scales=tuple(told.scale(s) for s in scales),
            dataset=dict(dataset or {}),
            versions=dict(versions or {}),
        )
        self._arms: dict[str, str] = {}

    # -- opening and closing ---------------------------------------------------------------------

    def start(self) -> Recorder:
        """Open the file and the run; returns self."""
        self._writer.start()
        try:
            self._keys.update(self._writer.known_keys())
            opening = replace(
                self._opening,
                uid=self._writer.run_uid or uuid.uuid4().hex,
                planned=len(self._keys) if self._planned is None else self._planned,
                created_at=moment(),
            )
            self.put(opening)
        except BaseException:
            self._writer.close_sync()
            raise
        self.arm(self._arm, form=self._form, provenance=self._provenance)
        return self

    def __enter__(self) -> Recorder:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._end(error)
        finally:
            self._writer.close_sync()

    async def __aenter__(self) -> Recorder:
        return self.start()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._end(error)
        finally:
            await self._writer.close()

    def _end(self, error: BaseException | None) -> None:
        state = RunState.FINISHED if error is None else RunState.INTERRUPTED
        note = "" if error is None else type(error).__name__
        self.put(RunStateEvent(state.value, moment(), note))

    # -- what episodes refer to ------------------------------------------------------------------

    def arm(
        self,
        key: str,
        *,
        config: Mapping[str, Any] | None = None,
        form: str = "verbatim",
        provenance: str = "full",
        note: str = "",
    ) -> None:
        """Declare an arm `memory/agent` with what it was configured with."""
        memory, _, agent = key.partition("/")
        if not memory or not agent:
            raise UserError(f"an arm is written memory/agent, got {key!r}")
        told.one_of("form", form, ("verbatim", "derived"))
        told.one_of("provenance", provenance, ("full", "partial", "none"))
        self.put(ArmEvent(key, agent, memory, dict(config or {}), form, provenance, note))
        self._arms[key] = provenance

    def session(
        self,
        id: str,
        turns: Iterable[TurnLike],
        *,
        date: str | None = None,
        tokens: int | None = None,
    ) -> None:
        """Store a session's text once, so that hits can be read against it.

        `tokens` defaults to the number of words; `date` is ISO 8601, as your data has it.
        """
        made = tuple(told.turn(t) for t in turns)
        digest = _digest([[t.role, t.text, t.caption] for t in made], 64)
        words = sum(len(t.text.split()) for t in made) if tokens is None else tokens
        self.put(SessionEvent(id, digest, made, words, source=id, date=date))
        self._tokens[id] = words

    def log(self, text: str, *, level: str = "info", kind: str = "note", **data: Any) -> None:
        """Leave a line in the run's log."""
        self.put(LogEvent(moment(), level, kind, text, data))

    # -- episodes --------------------------------------------------------------------------------

    def episode(
        self,
        *,
        question: str,
        gold: str | None = None,
        evidence: Sequence[EvidenceLike] = (),
        scale: float = 0,
        arm: str | None = None,
        item: str | None = None,
        qtype: str = "",
        cluster: str | None = None,
        answerable: bool = True,
        question_date: str | None = None,
        haystack: Sequence[str] | None = None,
        conditions: Mapping[str, object] | None = None,
        seed: int | None = None,
        repeat: int = 0,
        at: datetime | None = None,
    ) -> EpisodeRecord:
        """One question over one haystack, to be entered with `with`.

        `item` names the question over scales and arms; without it a hash of question and gold does.
        `cluster` names the history it shares with others (intervals are clustered by it). `haystack`
        lists the session ids the agent can reach. `seed` is the ladder seed.
        """
        chosen = arm or self._arm
        if chosen not in self._arms:
            self.arm(chosen, form=self._form, provenance=self._provenance)
        scale, repeat = told.scale(scale), told.whole("repeat", repeat)
        seed = None if seed is None else told.whole("seed", seed)
        digest = _digest([told.text("question", question), gold], 12)
        key = told.text("item", item or f"q-{digest}")
        made = Item(
            key=key,
            question=question,
            gold=told.gold(gold),
            qtype=qtype,
            cluster=cluster or key,
            answerable=answerable,
            question_date=question_date,
            evidence=told.evidence(evidence),
            gold_raw=gold,
        )
        self.put(ItemEvent(made))
        named = {"scale": _number(scale), **told.conditions(conditions)}
        reach = None if haystack is None else told.ids("haystack", haystack)
        where = None if reach is None else self._haystack(made, reach, scale, seed or 0)
        if seed is not None:
            named["seed"] = str(seed)
        id_ = EpisodeId(chosen, key, "|".join(f"{k}={v}" for k, v in named.items()), repeat, 1)
        spec = Spec(
            id=EpisodeId(
                id_.arm, id_.item, id_.conditions, repeat, self._writer.next_attempt(id_.key)
            ),
            uid=uuid.uuid4().hex,
            haystack=where,
            scale=scale,
            started=moment(at),
            evidence=made.evidence,
            provenance=self._arms[chosen],
        )
        return EpisodeRecord(self, spec)

    def _haystack(self, item: Item, sessions: Sequence[str], scale: float, seed: int) -> str:
        gold = {e.session for e in item.evidence}
        key = _digest([item.key, scale, seed, list(sessions)], 16)
        self.put(
            HaystackEvent(
                key=key,
                item=item.key,
                scale=float(scale),
                ladder_seed=seed,
                date_policy="as_recorded",
                positions=tuple((s, None, "evidence" if s in gold else "filler") for s in sessions),
                tokens=sum(self._tokens.get(s, 0) for s in sessions),
                tokenizer="words",
                n_irrelevant=sum(s not in gold for s in sessions),
            )
        )
        return key


def _digest(value: object, digits: int) -> str:
    """Hex digits of a content hash; escapes what UTF-8 cannot hold, so any text has one."""
    text = json.dumps(value, sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()[:digits]


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() else str(value)
