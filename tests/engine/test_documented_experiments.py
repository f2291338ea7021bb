"""The experiments of docs/experiments: each validates and plans, on its own data where that is at hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runners.engine.build import build
from runners.engine.config import ExperimentConfig, load_config
from runners.engine.plan import PlanReport, make_plan
from runners.engine.plan_text import plan_text

FOLDER = Path(__file__).parents[2] / "docs" / "experiments"
FILES = sorted(FOLDER.glob("*.toml"))


def planned(config: ExperimentConfig) -> PlanReport:
    built = build(config)
    return make_plan(built.experiment, built.models)


def on_synthetic_data(config: ExperimentConfig) -> ExperimentConfig:
    """The same experiment over the data set that is always there."""
    kept: dict[str, Any] = {"path": None, "name": "synthetic", "subset": "answerable", "limit": 3}
    ladder = config.ladder.model_copy(
        update={"scales": tuple(s for s in config.ladder.scales if s in range(101))}
    )
    data = config.data.model_copy(update=kept)
    return config.model_copy(update={"data": data, "ladder": ladder})


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_plans(path: Path) -> None:
    config = load_config(path)
    assert config.name == path.stem
    report = planned(on_synthetic_data(config))
    assert report.episodes == 3 * len(report.experiment.arms) * len(report.sizes) * len(
        config.ladder.seeds
    )
    assert report.missing == () and f"plan of {path.stem}" in plan_text(report)


ON_REAL_DATA = {"longmemeval-109": "longmemeval", "locomo": "locomo/locomo10.json"}
"""The data sets that are not generated, and where the folder of real data has them."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [path for path in FILES if load_config(path).data.name != "synthetic"],
    ids=lambda path: path.stem,
)
def test_it_plans_on_its_own_data(path: Path, shared_data: Path) -> None:
    config = load_config(path)
    place = str(shared_data / ON_REAL_DATA[config.data.name])
    config = config.model_copy(update={"data": config.data.model_copy(update={"path": place})})
    report = planned(config)
    assert report.episodes > 0 and not any(row.fits is False for row in report.rows)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if load_config(path).data.name == "synthetic"],
    ids=lambda path: path.stem,
)
def test_it_plans_on_generated_data(path: Path) -> None:
    report = planned(load_config(path))
    assert report.episodes > 0 and not any(row.fits is False for row in report.rows)


PACKAGE = ("pkg:mem0-2", "open")


def test_the_large_experiment_on_memory_systems() -> None:
    config = load_config(FOLDER / "memory-systems-longmemeval.toml")
    local = load_config(FOLDER / "memory-systems-local.toml")
    assert config.k == 12 and config.caps.cost and config.caps.tokens
    assert config.budget.tokens is not None
    ours = {arm.memory.name for arm in local.all_arms()}
    assert ours <= {arm.memory.name for arm in config.all_arms()}
    report = planned(on_synthetic_data(config))
    asked = {one.memory for one in report.memories if one.model is not None}
    assert asked == {arm.memory.key for arm in config.all_arms()} - {"openclaw"}
    assert not any("does not fit" in line or "safety cap" in line for line in report.warnings)
    (packages,) = [one for one in report.memories if (one.memory, one.phase) == PACKAGE]
    opened = sum(row.episodes for row in report.rows if row.arm.startswith("pkg:mem0-2/"))
    assert packages.complete.least >= packages.units > opened == 6
