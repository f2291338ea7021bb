"""The trajectory says under which ladder seed its history was filled, where a run has several."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.generated_run import ARMS, RunFile
from tests.ui.driving import opened, press, screen_text


@pytest.mark.parametrize("seeds", [[1], [1, 2]])
async def test_the_head_names_the_seed_where_there_are_several(
    seeds: list[int], tmp_path: Path
) -> None:
    run = RunFile(tmp_path / "seeds.memtui", seeds={"ladder": seeds})
    run.item("q0")
    for seed in seeds:
        run.add(ARMS[0], "q0", 100.0, [["x"]], "wrong", seed=seed)
    async with opened(run.write(), (80, 24)) as (app, pilot):
        await press(pilot, "3", "enter")
        head = next(line for line in screen_text(app).splitlines() if line.startswith(" episode"))
        assert ("seed" in head) == (len(seeds) > 1)
        if len(seeds) > 1:
            assert f"+100  seed {seeds[-1]}  " in head
            await press(pilot, "L")
            assert f"+100  seed {seeds[0]}  " in screen_text(app)
