"""A report as one JSON document with a stable schema (docs/command-line.md).

Counts are integers, rates are not repeated as floats beside them, intervals have objects of their own,
what is undefined is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from memtui.metrics.cost import PhaseCost, Spent
from memtui.metrics.intervals import Interval
from memtui.metrics.p90r import Quantile
from memtui.metrics.rates import Rate, Tally
from memtui.metrics.regime import OUTCOME_OF
from memtui.metrics.scales import scale_value
from memtui.metrics.stopping import Stopping
from memtui.metrics.usable_scale import UsableScale
from memtui.model import Usage
from memtui.report.model import Arm, Cell, Costs, Report
from memtui.report.ranks import BINS, NEVER

SCHEMA = "memtui-report-1"


def to_json(document: object) -> str:
    """JSON text, indented, with a final line end; bytes of a file name that are no UTF-8 as `\\udcff`."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS | orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(document, option=options).decode()
    except orjson.JSONEncodeError:
        return orjson.dumps(_spelt_out(document), option=options).decode()


def _spelt_out(value: Any) -> Any:
    """The same with what no UTF-8 can hold spelt out, as lines of text have it."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {_spelt_out(key): _spelt_out(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_spelt_out(one) for one in value]
    return value


def report_document(report: Report) -> dict[str, Any]:
    """The document."""
    return {
        "schema": SCHEMA,
        "file": report.file,
        "run": {
            "uid": report.run.uid,
            "name": report.run.name,
            "protocol": report.run.protocol,
            "state": report.state,
            "config_hash": report.run.config_hash,
            "dataset": report.run.dataset,
            "versions": report.run.versions,
            "seeds": report.run.seeds,
            "planned": report.progress.planned,
            "done": report.progress.done,
            "running": report.progress.running,
            "until": report.until,
        },
        "budget": report.budget,
        "alpha": report.alpha,
        "mode": report.run.mode,
        "judge": report.judge,
        "judges": list(report.judges),
        "filter": report.filter,
        "filtered": report.filtered,
        "conditional_on": list(report.conditional),
        "call_cap": report.call_cap,
        "coverage": report.coverage,
        "totals": counts_document(report.totals),
        "cells": [cell_document(cell) for cell in report.cells],
        "arms": [_arm(arm) for arm in report.arms],
        "unanswerable": [cell_document(cell) for cell in report.unanswerable],
        "groups": [
            {
                "by": group.by,
                "value": group.value,
                "cells": [cell_document(cell) for cell in group.cells],
            }
            for group in report.groups
        ],
        "rungs": [
            {
                "scale": scale_value(rung.scale),
                "histories": rung.histories,
                "unavailable": rung.unavailable,
                "seeds": rung.seeds,
                "tokens": rung.tokens,
                "tokenizer": rung.tokenizer,
                "mean_sessions": rung.mean_sessions,
                "smallest": rung.smallest,
                "evidence_age": rung.evidence_age,
                "borrowed": rung.borrowed,
                "contaminated": rung.contaminated,
                "date_policy": rung.date_policy,
            }
            for rung in report.rungs
        ],
        "ladder_items": report.ladder_items,
        "judges_differ": [
            {
                "judge": pair.judge,
                "other": pair.other,
                "both": pair.both,
                "right_right": pair.right_right,
                "right_wrong": pair.right_wrong,
                "wrong_right": pair.wrong_right,
                "undecided": pair.undecided,
                "alone": pair.alone,
                "kappa": pair.kappa,
                "wilson": _interval(pair.interval),
            }
            for pair in report.judging
        ],
        "costs": costs_document(report.costs),
        "questions": {
            "asked": report.asked,
            "defective": report.defective,
            "flagged": len(report.flagged),
            "flagged_left_out": report.left_out,
        },
        "alarms": [{"what": a.what, "k": a.k, "n": a.n} for a in report.alarms],
        "notes": list(report.notes),
    }


def cell_document(cell: Cell) -> dict[str, Any]:
    """One cell: counts, then what refines them."""
    counts = cell.counts
    document: dict[str, Any] = {
        "arm": cell.arm,
        "scale": scale_value(cell.scale),
        "conditions": cell.conditions,
        **counts_document(counts),
        "p90r": cell.p90r.value,
        "p90r_censored": cell.p90r.censored,
        "intervals": {
            **{name: _intervals(rate) for name, rate in cell.rates.items()},
            "covered_at_b": _intervals(cell.covered),
            "p90r": _quantile(cell.p90r),
        },
        "policies": {
            name: {"pass": passed, "n": n} for name, (passed, n) in counts.policies.items()
        },
        "regimes": {regime.value: counts.regimes[regime] for regime in OUTCOME_OF},
        "calls": [
            {"requested": requested, "censored": censored, "episodes": episodes}
            for (requested, censored), episodes in sorted(counts.calls.items())
        ],
        "stopping": _stopping(cell.stopping),
    }
    for name, interval in cell.bootstrap.items():
        document["intervals"][name]["bootstrap"] = _interval(interval)
    if cell.group is not None:
        document["group"] = cell.group
    if cell.clean is not None:
        document["without_known_defects"] = counts_document(cell.clean)
    if cell.repeats is not None:
        document["repeats"] = {
            "questions": cell.repeats.questions,
            "mean": cell.repeats.mean,
            "pass_hat": [
                {"k": k, "value": value, "questions": n}
                for k, (value, n) in cell.repeats.pass_hat.items()
            ],
        }
    if cell.agreement is not None:
        document["judged_by_several"] = {"n": cell.agreement.n, "differ": cell.agreement.differ}
    if cell.ranks is not None:
        document["stopping"]["evidence_ranks"] = {
            name: cell.ranks.get(name, 0) for name in (*(name for name, _ in BINS), NEVER)
        }
    if cell.tokens_after is not None:
        tokens, episodes, unknown = cell.tokens_after
        document["stopping"]["tokens_after"] = {
            "tokens": tokens,
            "episodes": episodes,
            "unknown_steps": unknown,
        }
    return document


def counts_document(counts: Tally) -> dict[str, Any]:
    """The integer counts of a tally."""
    return {
        "n": counts.n,
        "pass": counts.passed,
        "exhausted": counts.exhausted,
        "wrong": counts.wrong,
        "excluded": counts.n_excluded,
        "excluded_by": dict(sorted(counts.excluded.items())),
        "pending": counts.pending,
        "right": counts.right,
        "exhausted_right": counts.exhausted_right,
        "system_failed": counts.system_failed,
        "no_answer": counts.no_answer,
        "abstained": counts.flags["abstained"],
        "covered_at_b": counts.covered_at_b,
        "covered_end": counts.covered_end,
        "coverage_n": counts.coverage_n,
    }


def costs_document(costs: Costs) -> dict[str, Any]:
    """Sums of the ledger by cell, arm and memory system."""
    return {
        "cells": [
            {
                "arm": one.arm,
                "scale": scale_value(one.scale),
                "conditions": one.conditions,
                "episodes": one.episodes,
                "right": one.right,
                "phases": [phase_document(phase) for phase in one.phases],
            }
            for one in costs.cells
        ],
        "arms": [
            {
                "arm": one.arm,
                "memory": one.memory,
                "episodes": one.episodes,
                "right": one.right,
                "phases": [phase_document(phase) for phase in one.phases],
            }
            for one in costs.arms
        ],
        "ingest": [
            {"memory": one.memory, "arms": list(one.arms), **phase_document(one.cost)}
            for one in costs.ingests
        ],
    }


def phase_document(cost: PhaseCost) -> dict[str, Any]:
    """One phase: sums of what is known (null: nothing is), and of how many lines it is not."""
    return {
        "phase": cost.phase,
        "paid": _spent(cost.paid),
        "cold": _spent(cost.cold),
        "wall_ms": cost.wall.value,
        "wall_unknown": cost.wall.unknown,
    }


def _spent(spent: Spent) -> dict[str, Any]:
    tokens = spent.tokens.value
    return {
        "calls": spent.calls,
        "lines": spent.tokens.lines,
        "tokens": None if tokens is None else int(tokens),
        "tokens_unknown": spent.tokens.unknown,
        "cost_usd": spent.dollars.value,
        "cost_unknown": spent.dollars.unknown,
    }


def usage_document(usage: Usage | None) -> dict[str, Any] | None:
    """Tokens and cost of model calls; null is unknown, never 0."""
    if usage is None:
        return None
    return {
        "calls": usage.calls,
        "attempts": usage.attempts,
        "prompt_tokens": usage.prompt,
        "cached_tokens": usage.cached,
        "completion_tokens": usage.completion,
        "reasoning_tokens": usage.reasoning,
        "cost_usd": usage.cost,
    }


def s_star_value(found: UsableScale) -> float | int | str | None:
    """s* as a number where it is exact, as text such as `> 400` otherwise; null when undefined."""
    if found.kind == "undefined":
        return None
    return scale_value(found.value) if found.kind == "exact" else str(found)


def _arm(arm: Arm) -> dict[str, Any]:
    found = arm.s_star
    document: dict[str, Any] = {
        "arm": arm.key,
        "agent": arm.agent,
        "memory": arm.memory,
        "form": arm.form,
        "provenance": arm.provenance,
        "note": arm.note,
        "context": arm.context,
        "s_star": s_star_value(found),
        "s_star_detail": {
            "kind": found.kind,
            "value": scale_value(found.value),
            "missing": [scale_value(scale) for scale in found.missing],
            "none_failed": found.open or found.kind == "above",
            "interval_below_alpha": None if found.open or found.kind == "above" else found.sure,
            "sure": None if found.n is None else not found.unsure,
            "n": found.n,
            "excluded_share": found.excluded_share,
        },
        "s_star_distribution": None,
        "drop": None,
        "p90r": arm.p90r.value,
        "p90r_censored": arm.p90r.censored,
    }
    if arm.distribution is not None:
        spread = arm.distribution
        document["s_star_distribution"] = {
            "shares": spread.shares,
            "low": spread.low,
            "high": spread.high,
            "resamples": spread.resamples,
            "clusters": spread.clusters,
            "seed": spread.seed,
        }
    if arm.drop is not None:
        document["drop"] = {
            "from": scale_value(arm.drop.low_scale),
            "to": scale_value(arm.drop.high_scale),
            "difference": arm.drop.difference,
            "bootstrap": _interval(arm.drop.interval),
        }
    return document


def _intervals(rate: Rate) -> dict[str, Any]:
    document: dict[str, Any] = {
        "shown": rate.method,
        "wilson": _interval(rate.wilson),
        "clustered": None,
    }
    if rate.method == "wilson-questions":
        document["wilson_questions"] = _interval(rate.interval)
    if rate.clustered is not None:
        robust = rate.clustered
        document["clustered"] = {
            "interval": _interval(robust.interval),
            "se": robust.se,
            "naive_se": robust.naive_se,
            "clusters": robust.clusters,
            "icc": robust.icc,
            "design_effect": robust.design_effect,
        }
    return document


def _interval(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"low": interval.low, "high": interval.high}


def _quantile(found: Quantile) -> dict[str, Any]:
    if found.interval is None:
        return {"order_statistic": None}
    return {
        "order_statistic": {
            "low": found.interval.low,
            "high": found.interval.high,
            "low_rank": found.interval.low_rank,
            "high_rank": found.interval.high_rank,
        }
    }


def _stopping(found: Stopping) -> dict[str, Any]:
    return {
        "covered": found.covered,
        "right_covered": found.right_covered,
        "overshoot": [
            {"calls": bucket.overshoot, "n": bucket.n, "right": bucket.right}
            for bucket in found.buckets
        ],
        "mean_overshoot": found.mean_overshoot,
        "t_star": [{"call": call, "n": n} for call, n in found.t_star],
        "searches": [
            {"t_star": complete, "requested": requested, "episodes": n}
            for complete, requested, n in found.searches
        ],
        "redundant": found.redundant,
        "gave_up_early": found.gave_up_early,
    }
