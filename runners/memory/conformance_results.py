"""Conformance rules about what a system says of itself and what comes back from it."""

from __future__ import annotations

import json
import re
from collections import Counter

from runners.memory import conformance_material as material
from runners.memory.conformance_bench import Answer, Bench, RuleBroken, RuleNotApplicable
from runners.memory.conformance_demands import check_refs, require, searched, traced
from runners.memory.conformance_material import haystack
from runners.memory.contract import Counted
from runners.sessions import count_tokens

INTERFACES = ("flat", "planar", "hierarchical", "context", "agentic", "procedural")
PHASES = ("prepare", "open", "call", "context", "rank")


async def declares_itself(bench: Bench) -> str:
    """Name, class, provenance and configuration are there, in the contract's words, and stable."""
    info = bench.info
    require(bool(info.name) and bool(info.version), "name and version must not be empty")
    for what, value, allowed in (
        ("interface", info.interface, INTERFACES),
        ("mode", info.mode, ("loop", "single_shot")),
        ("provenance", info.provenance, ("full", "partial", "none")),
        ("form", info.form, ("verbatim", "derived")),
    ):
        require(value in allowed, f"{what} {value!r} is not one of {', '.join(allowed)}")
    unknown = set(info.uses_door) - set(PHASES)
    require(not unknown, f"uses_door names {sorted(unknown)}; phases are {', '.join(PHASES)}")
    try:
        config = json.dumps(info.config, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise RuleBroken(f"config cannot be stored as JSON: {error}") from error
    again = bench.factory().info
    require(
        json.dumps(again.config, sort_keys=True) == config and again.name == info.name,
        "two systems of the same configuration declare different ones",
    )
    return f"{info.interface}, provenance {info.provenance}, {info.form}"


async def tools_are_usable(bench: Bench) -> str:
    """Retrieval systems offer at least one tool with a JSON schema; context systems none."""
    if bench.info.context:
        require(not bench.tools, "a context system has R = 0: it must not offer tools")
        return "no tools"
    require(bool(bench.tools), "no tool: then `context` must be declared")
    for tool in bench.tools:
        require(
            re.fullmatch(r"[A-Za-z0-9_-]{1,64}", tool.name) is not None,
            f"tool name {tool.name!r} is not one that model providers accept",
        )
        require(bool(tool.description), f"tool {tool.name} has no description")
        schema = tool.parameters
        require(schema.get("type") == "object", f"parameters of {tool.name} are not an object")
        require(
            set(schema.get("required", [])) <= set(schema.get("properties", {})),
            f"{tool.name} requires fields it does not declare",
        )
    require(len({tool.name for tool in bench.tools}) == len(bench.tools), "two tools of one name")
    return ", ".join(tool.name for tool in bench.tools)


async def memory_is_filled(bench: Bench) -> str:
    """What was put in is there: counted where the view counts, found where hits can be traced."""
    sessions = material.topical()
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    if isinstance(view, Counted):
        require(view.stored == len(sessions), f"{view.stored} of {len(sessions)} sessions stored")
    traced(bench)
    found = 0
    for position, text in zip(hay.positions, material.TOPICS, strict=True):
        found += position.token in (await bench.ask(view, text)).refs()
    require(found > 0, f"asked in their own words, 0 of {len(sessions)} sessions came back")
    return f"{found} of {len(sessions)} sessions found by their own words"


async def ids_come_back(bench: Bench) -> str:
    """Hits name sessions by the tokens of this haystack, with turns in range, no block twice."""
    sessions = material.topical()
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    turns = {p.token: len(s.turns) for p, s in zip(hay.positions, sessions, strict=True)}
    for query in material.TOPICS:
        answer = await bench.ask(view, query)
        check_refs(answer, hay, bench)
        for hit in answer.hits:
            if hit.ref in turns and hit.last is not None:
                require(hit.last < turns[hit.ref], f"turn {hit.last} of {turns[hit.ref]}")
        twice = [place for place, n in Counter(answer.places()).items() if n > 1]
        require(not twice, f"the same block twice in one result: {twice[:1]}")
    return ""


async def tokens_are_not_remembered(bench: Bench) -> str:
    """A prepared session serves every haystack under the token it has *there*."""
    sessions = material.topical()
    artifacts = await bench.prepare(sessions)
    for salt in ("a", "b"):
        hay = haystack(sessions, salt=salt)
        view = await bench.open(sessions, hay=hay, artifacts=artifacts)
        answer = await bench.ask(view, material.TOPICS[0])
        check_refs(answer, hay, bench)
    return ""


async def k_is_respected(bench: Bench) -> str:
    """No more hits than asked for; a `k` that is not followed is reported in `k_effective`."""
    searched(bench)
    sessions = material.topical() + material.others(20)
    view = await bench.open(sessions)
    seen = []
    for k in (1, 3, None, 1000):
        answer = await bench.ask(view, material.TOPICS[1], k)
        limit = answer.k_effective if answer.k_effective is not None else k
        require(
            limit is None or len(answer.hits) <= limit,
            f"{len(answer.hits)} hits for k={k} (k_effective {answer.k_effective})",
        )
        seen.append(f"{'default' if k is None else k}: {len(answer.hits)}")
    return "hits for k " + ", ".join(seen)


async def scratch_equivalence(bench: Bench) -> str:
    """Shared preparation gives what a build from scratch on this haystack gives.

    The shared system has prepared other sessions (some of them twice), opened other haystacks before
    and between, and been searched there. The other one has seen nothing but this haystack.
    """
    inside, outside = material.topical(), material.others()
    queries = (*material.TOPICS, "the new one moved last year", TIES_QUERY, "nothing of the kind")
    artifacts = await bench.prepare(outside[:6] + inside + outside)
    await bench.prepare(inside)
    everything = await bench.open(outside + inside, artifacts=artifacts)
    for query in queries:
        await bench.ask(everything, query)
    for size in (1, 3, len(inside)):
        part = inside[:size]
        shared = await bench.open(part, artifacts=artifacts)
        scratch_system = bench.factory()
        scratch = await bench.open(part, system=scratch_system)
        larger = await bench.open(part + outside, artifacts=artifacts)
        for query in queries:
            await bench.ask(larger, query)
            ours, theirs = await bench.ask(shared, query), await bench.ask(scratch, query)
            require(
                ours.same_as(theirs),
                f"with {size} of {len(inside)} sessions, {query[:30]!r} gives "
                f"{_brief(ours)} after other haystacks and {_brief(theirs)} from scratch",
            )
    return f"3 haystacks x {len(queries)} queries"


TIES_QUERY = "quokka walrus"


def _brief(answer: Answer) -> str:
    return str([(h.ref[:4], h.first, h.score) for h in answer.hits[:3]])


async def same_question_same_answer(bench: Bench) -> str:
    """Two systems built alike answer alike; so does one asked twice, unless searching writes."""
    sessions = material.topical()
    first = await bench.open(sessions)
    second = await bench.open(sessions, system=bench.factory())
    for query in material.TOPICS[:3]:
        answer = await bench.ask(first, query)
        require(
            answer.same_as(await bench.ask(second, query)), f"{query[:30]!r} on a second system"
        )
        if not bench.info.writes_on_search:
            require(answer.same_as(await bench.ask(first, query)), f"{query[:30]!r} asked again")
    return ""


async def ties_keep_position(bench: Bench) -> str:
    """Blocks of equal score come in the order of the haystack."""
    searched(bench)
    sessions = [material.session(text) for text in material.TIES]
    hay = haystack(sessions)
    places = {position.token: i for i, position in enumerate(hay.positions)}
    answer = await bench.ask(await bench.open(sessions, hay=hay), TIES_QUERY)
    if any(hit.score is None or hit.ref not in places for hit in answer.hits):
        raise RuleNotApplicable("hits without scores, or not of one session")
    scores = [hit.score for hit in answer.hits if hit.score is not None]
    require(scores == sorted(scores, reverse=True), f"scores {scores} are not best first")
    keys = [(-(hit.score or 0.0), places[hit.ref], hit.first or 0) for hit in answer.hits]
    require(keys == sorted(keys), "blocks of equal score are not in the order of the haystack")
    return f"{len(scores) - len(set(scores))} ties"


async def rank_agrees(bench: Bench) -> str:
    """A ranking names sessions of the haystack once, changes nothing, and agrees with the search."""
    sessions = material.topical()
    hay = haystack(sessions)
    view = await bench.open(sessions, hay=hay)
    query = material.TOPICS[5]
    before = await bench.ask(view, query)
    ranking = await bench.rank(view, query, 5)
    if ranking is None:
        raise RuleNotApplicable("cannot say how it ranks")
    require(len(ranking) <= 5, f"{len(ranking)} sessions for a depth of 5")
    require(len(set(ranking)) == len(ranking), "a session twice in one ranking")
    foreign = set(ranking) - {position.token for position in hay.positions}
    require(not foreign, f"ranks {sorted(foreign)}, which is not in this haystack")
    require(before.same_as(await bench.ask(view, query)), "ranking changed what a search finds")
    found = list(dict.fromkeys(before.refs()))[: len(ranking)]
    require(found == list(ranking)[: len(found)], f"ranks {ranking}, finds {found}")
    return f"{len(ranking)} sessions"


async def context_fits(bench: Bench) -> str:
    """A context keeps its limit, says what it holds, and cuts without losing count."""
    if not bench.info.context:
        raise RuleNotApplicable("no context system")
    sessions = material.topical()
    view = await bench.open(sessions)
    for limit in (0, 1, 60, 100_000):
        context = await view.context("q", limit)
        require(
            max(context.tokens, count_tokens(context.text)) <= limit,
            f"{context.tokens} declared, {count_tokens(context.text)} counted, {limit} allowed",
        )
        shown = [hit for hit in context.hits if hit.shown]
        require(bool(shown) == bool(context.text), "text and shown hits do not agree")
    return ""
