"""Facts of one episode, counted call by call on the scorer's side (docs/metrics.md, "Coverage").

Everything here is independent of the budget, the judge and any filter: it is what a run file stores.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from memtui.metrics import glyphs
from memtui.model import Evidence, EvidenceStatus, Facts, Hit

LEVELS = ("finest", "turn", "session")
"""`finest`: turns where annotated, else the session (default). `turn`: n/a unless every reference has
an annotated turn. `session`: sessions only."""
REACHES = ("shown", "returned")
"""`shown`: what the model saw (default). `returned`: cut blocks count too."""
DEFAULT_VIEW = "finest/shown"


@dataclass(frozen=True, slots=True)
class CallFacts:
    """What one call brought, at the default view of coverage.

    `gold_ranks` holds (gold unit, 1-based rank) for every gold block returned, cut ones included;
    `gold_new` and `gold_cum` are None where coverage is n/a; `new_hits` counts blocks the model had not
    seen before, duplicates once; `glyph` is the call's sign in the strip.
    """

    gold_ranks: tuple[tuple[str, int], ...]
    gold_new: int | None
    gold_cum: int | None
    new_hits: int
    glyph: str


class _Progress:
    """First and complete call of one view, over a bit mask with one bit per gold unit."""

    __slots__ = ("first_hit", "full", "mask", "t_star")

    def __init__(self, units: int) -> None:
        self.full = (1 << units) - 1
        self.mask = 0
        self.first_hit: int | None = None
        self.t_star: int | None = None

    def add(self, mask: int, call: int) -> None:
        if not mask & ~self.mask:
            return
        self.mask |= mask
        if self.first_hit is None:
            self.first_hit = call
        if self.mask == self.full:
            self.t_star = call

    def view(self) -> list[int | None]:
        return [self.first_hit, self.t_star, self.full.bit_length(), self.mask.bit_count()]


class FactTracker:
    """Follows an episode's calls in order and counts what they brought against the evidence.

    Feed `context` (context systems, call 0) or `call` (one per requested call, refused ones too).
    A gold *unit* is `token` (session) or `token:turn`; a session reference is dropped where the same
    session has annotated turns. A session unit is covered by any block of that session, a turn unit by
    a block whose range includes the turn or that has no range. Derived blocks count through `sources`, as
    whole sessions unless they name a range.

    Coverage is n/a (None, never 0) when there is no resolved evidence, when any reference dangles, when
    `provenance` is `none`, and, with `partial` provenance, from the first untraceable block that
    arrives before the evidence is complete. A block is untraceable when it names no sources and its
    `ref` is not in `known` (the haystack's tokens; without `known`, when it carries its own text).
    """

    def __init__(
        self,
        evidence: Sequence[Evidence],
        provenance: str = "full",
        known: Container[str] | None = None,
    ) -> None:
        self._keys: list[str] = []
        self._turns: dict[str, list[tuple[int, int]]] = {}
        self._whole: dict[str, int] = {}
        self._session_bit: dict[str, int] = {}
        dangling = False
        for ref in evidence:
            if ref.session is None or ref.status is EvidenceStatus.DANGLING:
                dangling = True
                continue
            self._session_bit.setdefault(ref.session, 1 << len(self._session_bit))
            if ref.turn is not None:
                turns = self._turns.setdefault(ref.session, [])
                if all(turn != ref.turn for turn, _ in turns):
                    turns.append((ref.turn, 1 << len(self._keys)))
                    self._keys.append(f"{ref.session}:{ref.turn}")
        unannotated = [token for token in self._session_bit if token not in self._turns]
        for token in unannotated:
            self._whole[token] = 1 << len(self._keys)
            self._keys.append(token)
        self._counted = bool(self._keys) and not dangling and provenance != "none"
        self._strict_turn = not unannotated
        self._partial = provenance == "partial"
        self._known = known
        self._finest = {reach: _Progress(len(self._keys)) for reach in REACHES}
        self._session = {reach: _Progress(len(self._session_bit)) for reach in REACHES}
        self._seen: set[tuple[str, int | None, int | None]] = set()
        self._requested = 0
        self._executed = 0
        self._redundant = 0
        self._zero_yield = 0
        self._coverage: list[int] = [0]
        self._strip: list[str] = []

    @property
    def gold_sessions(self) -> tuple[str, ...]:
        """Tokens of the sessions that hold evidence."""
        return tuple(self._session_bit)

    @property
    def strip(self) -> str:
        """One glyph per requested call, in order."""
        return "".join(self._strip)

    def context(self, hits: Sequence[Hit]) -> CallFacts:
        """Take what a context system put in front of the model before any call (call 0)."""
        facts = self._take(hits, 0)
        self._coverage[0] = self._finest["shown"].mask.bit_count()
        return facts

    def call(self, hits: Sequence[Hit], status: str = "ok", executed: bool = True) -> CallFacts:
        """Take one requested call; `executed` is False for refused and invalid ones."""
        self._requested += 1
        if executed:
            self._executed += 1
        failed = status != "ok" or not executed
        facts = self._take(hits if executed else (), self._requested)
        if failed:
            facts = CallFacts(
                facts.gold_ranks, facts.gold_new, facts.gold_cum, facts.new_hits, glyphs.REFUSED
            )
        elif not hits:
            self._zero_yield += 1
        elif not facts.new_hits:
            self._redundant += 1
        self._coverage.append(self._finest["shown"].mask.bit_count())
        self._strip.append(facts.glyph)
        return facts

    def facts(self) -> Facts:
        """The episode's facts so far, at the default view of coverage."""
        first_hit, t_star, total, found = self._view("finest", "shown")
        return Facts(
            requested=self._requested,
            executed=self._executed,
            first_hit=first_hit,
            t_star=t_star,
            gold_total=total,
            gold_found=found,
            redundant=self._redundant,
            zero_yield=self._zero_yield,
            coverage=tuple(self._coverage) if self._counted else (),
        )

    def views(self) -> dict[str, list[int | None]]:
        """Every view `level/reach` as [first_hit, t_star, gold_total, gold_found]; all None for n/a."""
        return {
            f"{level}/{reach}": self._view(level, reach) for level in LEVELS for reach in REACHES
        }

    def _view(self, level: str, reach: str) -> list[int | None]:
        if not self._counted or (level == "turn" and not self._strict_turn):
            return [None, None, None, None]
        return (self._session if level == "session" else self._finest)[reach].view()

    def _take(self, hits: Sequence[Hit], call: int) -> CallFacts:
        seen = self._seen
        gold = self._session_bit
        new_hits = 0
        ranks: list[tuple[str, int]] = []
        shown_units = returned_units = shown_sessions = returned_sessions = 0
        untraceable = False
        for rank, hit in enumerate(hits, 1):
            shown = hit.shown
            if shown:
                block = (hit.ref, hit.first, hit.last)
                if block not in seen:
                    seen.add(block)
                    new_hits += 1
            tokens: tuple[str, ...]
            if hit.sources:
                tokens = hit.sources
            elif hit.ref in gold:
                tokens = (hit.ref,)
            else:
                if self._partial and self._is_untraceable(hit):
                    untraceable = True
                continue
            units = sessions = 0
            for token in tokens:
                if token in gold:
                    sessions |= gold[token]
                    units |= self._units(token, hit)
            returned_sessions |= sessions
            returned_units |= units
            if shown:
                shown_sessions |= sessions
                shown_units |= units
            while units:
                low = units & -units
                ranks.append((self._keys[low.bit_length() - 1], rank))
                units ^= low
        progress = self._finest["shown"]
        if untraceable and progress.t_star is None:
            self._counted = False
        before = progress.mask
        complete_before = progress.t_star is not None
        if returned_sessions:
            progress.add(shown_units, call)
            self._finest["returned"].add(returned_units, call)
            self._session["shown"].add(shown_sessions, call)
            self._session["returned"].add(returned_sessions, call)
        gold_new = (progress.mask & ~before).bit_count()
        if not new_hits and not gold_new:
            glyph = glyphs.NOTHING_NEW
        elif not self._counted:
            glyph = glyphs.UNKNOWN
        elif progress.t_star is not None and not complete_before:
            glyph = glyphs.COMPLETE
        elif gold_new:
            glyph = glyphs.NEW_EVIDENCE
        else:
            glyph = glyphs.NO_EVIDENCE
        if not self._counted:
            return CallFacts(tuple(ranks), None, None, new_hits, glyph)
        return CallFacts(tuple(ranks), gold_new, progress.mask.bit_count(), new_hits, glyph)

    def _units(self, token: str, hit: Hit) -> int:
        whole = self._whole.get(token)
        if whole is not None:
            return whole
        first = hit.first
        last = hit.last
        units = 0
        for turn, bit in self._turns[token]:
            if (first is None or first <= turn) and (last is None or turn <= last):
                units |= bit
        return units

    def _is_untraceable(self, hit: Hit) -> bool:
        if self._known is not None:
            return hit.ref not in self._known
        return hit.text is not None
