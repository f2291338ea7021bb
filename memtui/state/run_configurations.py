"""Configurations at hand for a workspace, what a run of one would be, and where it would be written.

Nothing of a runner is imported: `memtui run CONFIG --plan --json` says it, as a child process.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from memtui.errors import UserError
from memtui.state.child_run import error_line
from memtui.state.new_file import typed_path
from memtui.state.run_list import RunLine
from memtui.store.new_name import first_free
from memtui.store.reader import RunReader
from memtui.store.workspace import SUFFIX

PLACES = ("", "configs", "experiments")
"""Folders below the workspace, the working folder and the workspace's parent in which it is looked."""
SECTIONS = frozenset({"data", "ladder", "budget", "matrix", "arms", "judges", "protocol"})
"""A TOML file with two of these keys is taken for an experiment; others (pyproject.toml) are not shown."""
LARGEST = 256 * 1024
"""Bytes of a file that is looked at."""
LONGEST_NAME = 120
"""Bytes of a name that a file is named after; file systems take 255 with all that is added."""
MOST = 200
"""Files that are offered."""


@dataclass(frozen=True, slots=True)
class RunConfiguration:
    """A file that looks like an experiment. `name` is outside text."""

    path: Path
    name: str
    problem: str = ""
    """Why it is no configuration at all, in one line."""


def configurations(workspace: Path) -> list[RunConfiguration]:
    """Experiments in the usual places of a workspace, nearest first, each file once."""
    found: dict[Path, RunConfiguration] = {}
    for folder in _folders(workspace):
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix == ".toml")
        except OSError:
            continue
        for path in paths:
            real = path.resolve()
            if real not in found and (one := _looked_at(path)) is not None:
                found[real] = one
                if len(found) == MOST:
                    return list(found.values())
    return list(found.values())


def _folders(workspace: Path) -> Iterator[Path]:
    seen = set()
    for base in (workspace, Path(), workspace.absolute().parent):
        for place in PLACES:
            folder = base / place
            if (real := folder.resolve()) not in seen:
                seen.add(real)
                yield folder


def _looked_at(path: Path) -> RunConfiguration | None:
    """The file as a configuration; None where it is something else."""
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            return None
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        return RunConfiguration(path, path.stem, f"is not TOML: {error}")
    except OSError:
        return None
    if len(SECTIONS & read.keys()) < 2:
        return None
    name = read.get("name", path.stem)
    return RunConfiguration(path, name if isinstance(name, str) else path.stem)


def typed_configuration(line: str) -> tuple[Path, tuple[str, ...]]:
    """File and options of ``CONFIG [--limit N]`` as it was typed; UserError for anything else."""
    try:
        words = shlex.split(line.replace("--limit=", "--limit "))
    except ValueError:
        raise UserError("a quotation mark is not closed") from None
    if not words:
        raise UserError(
            "type the path of a configuration, such as experiments/mine.toml --limit 20"
        )
    path, options = typed_path(words[0]), words[1:]
    if not path.is_file():
        raise UserError(f"there is no file {path}")
    whole = len(options) == 2 and options[1].isascii() and options[1].isdigit()
    if options and not (options[0] == "--limit" and whole and int(options[1])):
        raise UserError("after the path there may stand --limit N, the number of questions to ask")
    return path, tuple(options)


class BegunWith(NamedTuple):
    """What the command line of a run said beside its configuration."""

    options: tuple[str, ...] = ()
    """Options of `memtui run`: its limit, and where its data was while that is still there. Without them it
    would be another run."""
    lost_data: str = ""
    """Where its data was and is no more."""


def begun_with(run: Path) -> BegunWith:
    """How a run was begun; UserError where its file is not there or cannot be read."""
    with RunReader(run) as reader:
        row = reader.run()
    try:
        requested = row.config["requested"]["data"]
        limit, path = requested.get("limit"), requested.get("path")
    except (KeyError, TypeError, AttributeError):
        return BegunWith()
    options, lost = [], ""
    if isinstance(path, str) and path and "\0" not in path:
        if os.path.lexists(path):
            options += ["--data", path]
        else:
            lost = path
    if isinstance(limit, int) and limit > 0:
        options += ["--limit", str(limit)]
    return BegunWith(tuple(options), lost)


# --- the plan -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """What `memtui run CONFIG --plan --json` says, as far as the screen shows it."""

    name: str
    config_hash: str
    items: int
    episodes: int
    arms: tuple[str, ...]
    scales: tuple[str, ...]
    prompt_tokens: int | None
    cost: float | None
    hours: float | None
    missing_parts: tuple[str, ...]
    missing_rungs: int
    warnings: tuple[str, ...]
    prompt_tokens_most: int | None = 0
    """With all that memory systems may ask; None: nobody knows beforehand."""


async def ask_for_plan(config: Path, options: Sequence[str] = ()) -> Plan:
    """The plan of a configuration under options of `memtui run`; cancelling ends the child.

    UserError with the one line the command said.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "memtui", "run", str(config), "--plan", "--json", *options),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise UserError(f"no plan can be asked for ({error.strerror})") from None
    try:
        out, err = await process.communicate()
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode:
        raise UserError(error_line(err.decode(errors="replace")) or "the plan could not be made")
    try:
        return _plan(orjson.loads(out))
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        raise UserError("the plan could not be read") from None


def _plan(found: Mapping[str, Any]) -> Plan:
    cells = found["cells"]
    return Plan(
        name=str(found["name"]),
        config_hash=str(found["config_hash"]),
        items=int(found["items"]),
        episodes=int(found["episodes"]),
        arms=tuple(dict.fromkeys(str(cell["arm"]) for cell in cells)),
        scales=tuple(dict.fromkeys(str(cell["scale"]) for cell in cells)),
        prompt_tokens=found.get("prompt_tokens"),
        cost=found.get("cost_usd"),
        hours=found.get("hours"),
        missing_parts=tuple(map(str, found.get("missing_parts", ()))),
        missing_rungs=len(found.get("missing_rungs", ())),
        warnings=tuple(map(str, found.get("warnings", ()))),
        prompt_tokens_most=found.get("prompt_tokens_most", 0),
    )


# --- where it goes ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Target:
    """The file a run would be written to. `sentence` says why that one; `ready` whether it may start."""

    out: Path
    sentence: str
    ready: bool = True


def target_of(workspace: Path, plan: Plan, lines: Sequence[RunLine]) -> Target:
    """Where a run of the plan goes: on in the file that has begun it, else a file of its own."""
    raw = plan.name.replace("/", "-").replace("\0", "").encode("utf-8", "replace")
    name = raw[:LONGEST_NAME].decode("utf-8", "ignore") or "run"
    for line in lines:
        run = line.summary
        if run.config_hash != plan.config_hash or run.state == "unusable":
            continue
        if run.live:
            return Target(line.path, f"{line.path.name} is running with these very settings", False)
        if run.state in ("interrupted", "unknown") or (
            run.progress and run.progress.done < run.progress.planned
        ):
            return Target(line.path, f"goes on in {line.path.name}{_so_far(line)}")
    out = first_free(workspace, name, SUFFIX)
    other = out.name != f"{name}{SUFFIX}"
    why = f"; {name}{SUFFIX} is there already and stays as it is" if other else ""
    return Target(out, f"writes {out.name}{why}")


def target_for(line: RunLine, plan: Plan) -> Target:
    """Whether a configuration is the one that an interrupted run was begun with."""
    if line.summary.config_hash == plan.config_hash:
        return Target(line.path, f"goes on in {line.path.name}{_so_far(line)}")
    other = f"these are not the settings that {line.path.name} was begun with"
    more = "memtui run CONFIG --out FILE, with the options of then, says what differs"
    return Target(line.path, f"{other}, and results of two are not mixed: {more}", False)


def _so_far(line: RunLine) -> str:
    progress = line.summary.progress
    return "" if progress is None else f", {progress.done} of {progress.planned} episodes are done"
