"""`memtui demo`: the embedded benchmark, offline, watched while it runs."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from memtui.errors import UserError

HELP = "run the embedded benchmark (no key, no network) and watch it live"

PACE = 30.0
"""Episodes per second while somebody watches: the whole demo then takes a good two minutes."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--full-speed",
        action="store_true",
        help=f"do not pace the run (default {PACE:g} episodes/s)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=Path("runs"),
        metavar="DIR",
        help="where the run file goes (default ./runs)",
    )
    parser.add_argument(
        "--local",
        action="store_true",
        help="a few episodes with a real language model on this machine (`memtui models install"
        " qwen2.5-coder-1.5b` first)",
    )
    parser.add_argument(
        "--plain", action="store_true", help="no app: progress on stderr, the report on stdout"
    )
    parser.add_argument(
        "--json", action="store_true", help="no app: one JSON document, as of `memtui run`"
    )


def run(args: argparse.Namespace) -> int:
    """Start the run and open the app on it; without a terminal, run it here and print the report."""
    from memtui.store.new_name import first_free
    from memtui.store.workspace import SUFFIX

    watch = not (args.plain or args.json) and sys.stdin.isatty() and sys.stdout.isatty()
    args.folder.mkdir(parents=True, exist_ok=True)
    name = "demo-local" if args.local else "demo"
    text, left_out = _config_text(name)
    if args.local:
        _require_local_model()
    out = first_free(args.folder, name, SUFFIX)  # a finished demo is never written over
    config = out.with_suffix(".toml")
    config.write_text(text, encoding="utf-8")
    for line in left_out:
        print(line, file=sys.stderr)
    if watch:
        return _watch(config, out, paced=not (args.full_speed or args.local))
    from memtui import cli

    command = ["run", str(config), "--out", str(out), "--full-speed"]
    return cli.main([*command, "--json"] if args.json else command)


def _require_local_model() -> None:
    """UserError, saying what to do, before a run file is begun that no model would fill."""
    from runners.engine.profiles import LOCAL_MODEL
    from runners.models.local_server import problem

    if (line := problem(LOCAL_MODEL)) is not None:
        raise UserError(line)


def _config_text(name: str) -> tuple[str, list[str]]:
    """The demo's configuration with only the memory systems that can run here, and what was left out."""
    import re
    from importlib.resources import files

    from memtui.cli.printing import program
    from runners.memory import registry

    text = files("runners.engine").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    left_out = []
    for status in registry.available():
        if status.state == "ready" or f'"{status.name}"' not in text:
            continue
        advice = status.advice.replace("`memtui ", f"`{program()} ")
        left_out.append(f"memtui demo: without {status.name} ({advice})")
        text = re.sub(rf'(, )?"{re.escape(status.name)}"', "", text, count=1)
    return text, left_out


def _watch(config: Path, out: Path, *, paced: bool) -> int:
    """Run the benchmark as a child that outlives the app if the reader wants it to."""
    from memtui.cli.open import say_parting_words, say_what_goes_on, theme_of
    from memtui.state.child_run import start_run
    from memtui.state.configuration import read_configuration

    child = start_run(config, out, ["--pace", f"{PACE:g}"] if paced else ["--full-speed"])
    child.wait_for_file(out, seconds=60)
    from memtui.app import MemtuiApp

    try:
        configuration = read_configuration()
        if configuration.no_color:
            os.environ.setdefault("NO_COLOR", "1")
        app = MemtuiApp(
            out,
            child=child,
            theme=theme_of(None, configuration.theme),
            ascii_only=configuration.ascii,
            configuration=configuration,
        )
        app.run()
    except OSError as error:
        child.stop()
        raise UserError(f"the terminal was lost: {error}", exit_code=1) from error
    say_parting_words(app.parting)
    print(_last_line(config, out, running=child.running), file=sys.stderr)
    say_what_goes_on(apart_from=out)
    return 0


def _last_line(config: Path, out: Path, *, running: bool) -> str:
    """What became of the run, and the command to type next."""
    from memtui.cli.printing import program
    from memtui.store.workspace import summarise

    if running:
        return f"the run goes on; look at it again with: {program()} {out}"
    if summarise(out).state == "finished":
        return f"the run is finished; look at it again with: {program()} {out}"
    return f"the run is not finished; go on with: {program()} run {config} --out {out}"
