"""A plan as text for people."""

from __future__ import annotations

from memtui.metrics.scales import scale_label
from runners.engine import estimate
from runners.engine.memory_calls import UNITS, Bounds, sum_of
from runners.engine.plan import PlanReport


def plan_text(report: PlanReport) -> str:
    """The plan, line by line; ends with a line feed."""
    experiment = report.experiment
    config = experiment.config
    budget = config.budget
    lines = [
        f"plan of {config.name} (nothing was run)",
        f"  data      {experiment.data.get('name')}: {len(experiment.plan.items())} items, sha256"
        f" {str(experiment.data.get('sha256'))[:12]}",
        f"  ladder    scales {', '.join(map(scale_label, config.ladder.scales))}; seeds"
        f" {', '.join(map(str, config.ladder.seeds))}; dates {config.ladder.date_policy}; repeats"
        f" {config.repeats}",
        f"  budget    B = {budget.calls} ({budget.mode}), forced final answer"
        f" {'yes' if budget.forced_final_answer else 'no'}, k = {config.k}, cap {budget.call_cap} calls",
        f"  judges    {', '.join(judge.id for judge in experiment.judges)}",
        f"  hash      {experiment.hash[:16]}",
        "",
        f"  episodes  {report.episodes:,}",
        *_tokens(report),
        f"  cost      {_cost(report)}",
        f"  time      about {_hours(report.hours)} with {config.limits.workers} workers",
        "",
        f"  {'scale':>8}  {'sessions':>9}  {'tokens':>11}   mean of a history",
    ]
    for scale, size in sorted(report.sizes.items()):
        lines.append(f"  {scale_label(scale):>8}  {size.sessions:>9.1f}  {size.tokens:>11,.0f}")
    width = max([len(row.arm) for row in report.rows] or [3])
    lines += [
        "",
        f"  {'arm':<{width}}  {'scale':>6}  {'episodes':>8}  {'prompt':>9}  {'window':>9}  cost",
    ]
    for row in report.rows:
        window = "-" if row.model is None else f"{row.context:,}" if row.context else "unknown"
        prompt = "-" if row.model is None else f"{row.prompt:,}"
        mark = "" if row.fits is not False else "  does not fit"
        lines.append(
            f"  {row.arm:<{width}}  {scale_label(row.scale):>6}  {row.episodes:>8,}  {prompt:>9}"
            f"  {window:>9}  {_dollars(row.cost)}{mark}"
        )
    lines += _section(
        "model judges",
        [
            f"{j.model}: {j.calls:,} answers, about {j.prompt_tokens:,} tokens, {_dollars(j.cost)}"
            for j in report.judges
        ],
    )
    lines += _section(
        "memory systems that ask a model: least to most, in tokens and cost above",
        _asking(report),
    )
    lines += _section(
        "missing rungs (their episodes are not planned)",
        [
            f"scale {scale_label(m.scale)}: {m.histories} of {m.of} histories, e.g. {m.example}"
            for m in report.missing
        ],
    )
    lines += _section("missing parts (needed before the first episode)", report.missing_parts)
    lines += _section("data", tuple(experiment.data.get("notes", ())))
    lines += _section("warnings", report.warnings)
    lines += _section("assumed", estimate.assumptions(config))
    return "\n".join(lines) + "\n"


def _asking(report: PlanReport) -> list[str]:
    """Of systems that ask a model, phase by phase: units, calls, text that goes through the model.

    What systems without a model embed is in the JSON alone: it costs nothing but this machine's time.
    """
    lines = []
    asking = {one.memory for one in report.memories if one.model is not None}
    for one in report.memories:
        if one.memory not in asking:
            continue
        calls = []
        if one.complete.most != 0:
            calls.append(f"{_bounds(one.complete)} completions by {one.model}")
        if one.embed.most != 0:
            calls.append(f"{_bounds(one.embed)} embeddings")
        if one.model is not None:
            calls.append(f"about {_bounds(one.prompt_tokens)} tokens in")
            calls.append(f"{_bounds(one.completion_tokens)} out")
            calls += [_between(one.cost, one.cost_most)] if one.cost else []
        if calls:
            name = f"{one.memory} {one.phase}"
            lines.append(f"{name}: {one.units:,} {UNITS[one.phase]}: {', '.join(calls)}")
    return lines


def _bounds(bounds: Bounds) -> str:
    if bounds.most is None:
        return f"{bounds.least:,} or more"
    if bounds.most == bounds.least:
        return f"{bounds.least:,}"
    return f"{bounds.least:,} to {bounds.most:,}"


def _section(title: str, entries: list[str] | tuple[str, ...]) -> list[str]:
    return ["", f"  {title}", *(f"    {entry}" for entry in entries)] if entries else []


def _tokens(report: PlanReport) -> list[str]:
    """All tokens; below them, where memory systems ask, whose they are."""
    if report.prompt_tokens.most == 0 and report.completion_tokens.most == 0:
        return ["  tokens    none: no arm asks a language model"]
    lines = [f"  tokens    {_in_and_out(report.prompt_tokens, report.completion_tokens)}"]
    if report.asking:
        prompts = sum(part.prompt_tokens for part in report.parts)
        replies = sum(part.completion_tokens for part in report.parts)
        mine = Bounds(prompts, prompts), Bounds(replies, replies)
        theirs = (
            sum_of(Bounds(), (one.prompt_tokens for one in report.asking)),
            sum_of(Bounds(), (one.completion_tokens for one in report.asking)),
        )
        lines.append(f"            {_in_and_out(*mine)} for agents and judges")
        lines.append(f"            {_in_and_out(*theirs)} for memory systems")
    return lines


def _in_and_out(prompts: Bounds, replies: Bounds) -> str:
    return f"about {_bounds(prompts)} in, {_bounds(replies)} out"


def _cost(report: PlanReport) -> str:
    parts = (*report.parts, *report.asking)
    unknown = sorted({part.model or "" for part in parts if part.cost is None})
    if not unknown:
        return _between(report.cost, report.cost_most)
    known = sum(part.cost for part in parts if part.cost is not None)
    return f"unknown: no price for {', '.join(unknown)}" + (
        f"; the rest {_dollars(known)}" if known else ""
    )


def _between(least: float | None, most: float | None) -> str:
    """A cost from least to most; without a most, what it is at least."""
    if least is None or most == least:
        return _dollars(least)
    if most is None:
        return f"at least {least:,.2f} USD"
    return f"about {least:,.2f} to {most:,.2f} USD"


def _dollars(cost: float | None) -> str:
    if cost is None:
        return "unknown"
    return "0 USD" if cost == 0 else f"about {cost:,.2f} USD"


def _hours(hours: float) -> str:
    if hours < 1 / 60:
        return f"{hours * 3600:.0f} s"
    return f"{hours * 60:.0f} min" if hours < 2 else f"{hours:,.1f} h"
