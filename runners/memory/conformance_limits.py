"""Conformance rules about odd input, missing things, and what a system does beside answering."""

from __future__ import annotations

from collections import Counter

from runners.memory import child_processes
from runners.memory import conformance_material as material
from runners.memory.conformance_bench import Bench, RuleBroken, RuleNotApplicable
from runners.memory.conformance_demands import check_refs, require, traced
from runners.memory.conformance_material import haystack
from runners.memory.contract import (
    Artifact,
    Calls,
    Cloneable,
    Closing,
    Foretelling,
    SessionText,
)
from runners.memory.network_guard import no_network

LEAVE_S = 5.0
"""Seconds that processes get to be gone after a system was closed."""


async def empty_haystack(bench: Bench) -> str:
    """Nothing to find is no fault."""
    view = await bench.open([])
    answer = await bench.ask(view, "anything at all")
    require(not answer.hits, f"{len(answer.hits)} hits out of nothing")
    return ""


async def empty_query(bench: Bench) -> str:
    """Nothing asked is no fault."""
    sessions = material.topical()
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    for query in ("", "   ", "\n"):
        check_refs(await bench.ask(view, query), hay, bench)
    return ""


async def hostile_queries(bench: Bench) -> str:
    """A query is text: quotes, operators, wildcards and control bytes mean themselves."""
    sessions = material.topical()
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    for query in material.HOSTILE:
        try:
            check_refs(await bench.ask(view, query), hay, bench)
        except RuleBroken:
            raise
        except Exception as error:
            raise RuleBroken(f"{query[:30]!r} raises {type(error).__name__}: {error}") from error
    return f"{len(material.HOSTILE)} queries"


async def scripts_without_spaces(bench: Bench) -> str:
    """A Chinese session can be stored and asked for."""
    sessions = [*material.topical()[:3], material.session(material.CJK)]
    hay = haystack(sessions)
    answer = await bench.ask(await bench.open(sessions, hay=hay), "京都的拉面")
    check_refs(answer, hay, bench)
    traced(bench)
    require(hay.positions[-1].token in answer.refs(), "the session that holds the words is no hit")
    return ""


async def large_session(bench: Bench) -> str:
    """A session of 200 kB is prepared, stored and searched beside small ones."""
    big = material.large()
    size = sum(len(turn.text) for turn in big.turns)
    sessions = [*material.topical()[:2], big]
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    check_refs(await bench.ask(view, "decision about bridge number 405"), hay, bench)
    return f"{size:,} characters"


async def empty_turns(bench: Bench) -> str:
    """Sessions without turns, and turns without text, are stored without a fault."""
    sessions: list[SessionText] = [
        material.session(),
        material.session(""),
        material.session("", "two words"),
        material.session(material.TOPICS[0]),
    ]
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    check_refs(await bench.ask(view, material.TOPICS[0]), hay, bench)
    only = await bench.open(sessions[:1])
    await bench.ask(only, "two words")
    return ""


async def same_content_twice(bench: Bench) -> str:
    """A haystack that holds one content at two places is searched without mixing them up."""
    sessions = material.topical()[:3]
    repeated = [sessions[0], sessions[1], sessions[0], sessions[2]]
    hay = haystack(repeated)
    answer = await bench.ask(await bench.open(repeated, hay=hay), material.TOPICS[0])
    check_refs(answer, hay, bench)
    twice = [place for place, n in Counter(answer.places()).items() if n > 1]
    require(not twice, f"the same block twice in one result: {twice[:1]}")
    return ""


async def unprepared_session_is_refused(bench: Bench) -> str:
    """A partly prepared haystack is an error that says so, never a silently smaller memory."""
    sessions = material.topical()
    artifacts = await bench.prepare(sessions[:-1])
    try:
        view = await bench.open(sessions, artifacts=artifacts)
        await bench.ask(view, material.TOPICS[-1])
    except Exception as error:  # any clear refusal will do
        return str(error)[:80]
    raise RuleBroken("a haystack with one session that was never prepared opened without a word")


async def now_is_accepted(bench: Bench) -> str:
    """The question's date may be known, unknown or before everything; so may the sessions' dates."""
    sessions = material.topical()
    for hay in (haystack(sessions), haystack(sessions, dated=False)):
        for now in ("2024-06-01T12:00", "1999-01-01", None):
            view = await bench.open(sessions, hay=hay, now=now)
            check_refs(await bench.ask(view, material.TOPICS[2]), hay, bench)
    return ""


async def clone_is_independent(bench: Bench) -> str:
    """What happens to a copy is not felt by the original."""
    sessions = material.topical()
    view = await bench.open(sessions)
    if not isinstance(view, Cloneable):
        raise RuleNotApplicable("views cannot be cloned")
    before = await bench.ask(view, material.TOPICS[3])
    copy = await view.clone()
    require(copy is not view, "clone() returned the view itself")
    require(before.same_as(await bench.ask(copy, material.TOPICS[3])), "the copy answers otherwise")
    await bench.ask(copy, material.TOPICS[4])
    await copy.close()
    after = await bench.ask(view, material.TOPICS[3])
    require(before.same_as(after), "the original answers otherwise after its copy was used")
    return ""


async def close_twice(bench: Bench) -> str:
    """Closing is final and may be repeated; other views of the system live on."""
    sessions = material.topical()
    artifacts = await bench.prepare(sessions)
    one = await bench.open(sessions, artifacts=artifacts)
    other = await bench.open(sessions, artifacts=artifacts)
    before = await bench.ask(other, material.TOPICS[6])
    await one.close()
    await one.close()
    require(before.same_as(await bench.ask(other, material.TOPICS[6])), "another view suffered")
    return ""


async def closing_gives_back(bench: Bench) -> str:
    """A system that is closed leaves no process behind, may be closed again and opened afterwards."""
    system = bench.system
    if not isinstance(system, Closing):
        raise RuleNotApplicable("has nothing to close")
    before = child_processes.descendants()
    sessions = material.topical()
    artifacts = await bench.prepare(sessions)
    view = await bench.open(sessions, artifacts=artifacts)
    answer = await bench.ask(view, material.TOPICS[5])
    await view.close()
    now = child_processes.descendants()
    started = {process: name for process, name in now.items() if process not in before}
    await system.close()
    await system.close()
    left = await child_processes.left_over(started, LEAVE_S)
    require(not left, f"still there after it was closed: {', '.join(left[:3])}")
    again = await bench.open(sessions, artifacts=artifacts)
    require(
        answer.same_as(await bench.ask(again, material.TOPICS[5])),
        "answers otherwise when it is opened again after it was closed",
    )
    await again.close()
    await system.close()
    if not child_processes.observable():
        return "whether processes are left cannot be seen on this machine"
    return f"processes started: {len(started)}, all gone" if started else ""


async def door_calls_are_declared(bench: Bench) -> str:
    """The door is used in the phases that `uses_door` names, and in no other."""
    sessions = material.topical()
    view = await bench.open(sessions)
    await bench.ask(view, material.TOPICS[0])
    await bench.rank(view, material.TOPICS[0], 3)
    declared, observed = set(bench.info.uses_door), set(bench.door.calls)
    require(observed <= declared, f"calls in {sorted(observed - declared)} were not declared")
    require(declared <= observed, f"declared calls in {sorted(declared - observed)} never came")
    return str(bench.door.calls) if bench.door.calls else "no calls"


async def declared_numbers_of_calls(bench: Bench) -> str:
    """A session prepared, a haystack opened and a search made ask as often as `calls` says."""
    if not bench.info.calls:
        raise RuleNotApplicable("declares no numbers")
    sessions = material.topical()
    artifacts: dict[str, Artifact] = {}
    for one in sessions:
        before = bench.door.counts.copy()
        artifacts |= await bench.prepare([one])
        _expected(bench, "prepare", bench.door.counts - before)
    before = bench.door.counts.copy()
    view = await bench.open(sessions, artifacts=artifacts)
    _expected(bench, "open", bench.door.counts - before, len(sessions))
    before = bench.door.counts.copy()
    await bench.ask(view, material.TOPICS[0])
    _expected(bench, "call", bench.door.counts - before)
    if isinstance(bench.system, Foretelling):
        # Several exchanges: what a plan adds up has to hold for sessions of any length.
        long = material.session(*material.TOPICS)
        before = bench.door.counts.copy()
        await bench.prepare([long])
        _expected(
            bench, "prepare", bench.door.counts - before, calls=bench.system.expected_calls(long)
        )
    return f"{sum(bench.door.counts.values())} calls for {len(sessions)} sessions and a search"


def _expected(
    bench: Bench,
    phase: str,
    seen: Counter[tuple[str, str]],
    units: int = 1,
    calls: Calls | None = None,
) -> None:
    declared = (bench.info.calls if calls is None else calls).get(phase, {})
    for kind in ("complete", "embed"):
        least, most = declared.get(kind, (0, 0))
        made = sum(n for (_, of), n in seen.items() if of == kind)
        require(
            least * units <= made and (most is None or made <= most * units),
            f"{made} calls of {kind} in {phase}, declared {least} to {most} for each of {units}",
        )


async def no_network_beyond_the_door(bench: Bench) -> str:
    """Nothing is connected to or looked up in any phase."""
    sessions = material.topical()
    with no_network() as tried:
        view = await bench.open(sessions)
        await bench.ask(view, material.TOPICS[0])
        await bench.rank(view, material.TOPICS[0], 3)
        await view.close()
    require(not tried, f"tried: {', '.join(tried[:3])}")
    return ""
