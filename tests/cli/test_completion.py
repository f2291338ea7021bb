"""The completion scripts, asked by the shells they are for where these are installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memtui import cli
from memtui.cli import OPEN, VERBS
from memtui.cli.completion import SHELLS, commands
from memtui.cli.parsing import build_parser, options_of, parsers_in

ASK_BASH = """
source "$1"; shift
COMP_WORDS=(memtui "$@"); COMP_CWORD=$#; _memtui; printf '%s\\n' "${COMPREPLY[@]}"
"""
ASK_ZSH = """
compdef() { :; }
_describe() { local one; for one in "${(@P)2}"; do print -r -- "${one%%:*}"; done; }
_files() { print -r -- FILES; }
compadd() { shift; print -rl -- "$@"; }
source "$1"; shift
words=(memtui "$@"); CURRENT=$#words; PREFIX="$words[-1]"; _memtui
"""
ASK_FISH = 'source $argv[1]; complete -C "$argv[2..]"'


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest) -> str:
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not on this machine")
    name: str = request.param
    return name


def offered(
    shell: str, words: list[str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> set[str]:
    """What the shell offers for `memtui WORDS`, the last word being under the cursor."""
    capfd.readouterr()
    assert cli.main(["completion", shell]) == 0
    script = folder / f"memtui.{shell}"
    script.write_text(capfd.readouterr().out, encoding="utf-8")
    command = {
        "bash": ["bash", "-c", ASK_BASH, "bash", str(script), *words],
        "zsh": ["zsh", "-f", "-c", ASK_ZSH, "zsh", str(script), *words],
        "fish": ["fish", "--no-config", "-c", ASK_FISH, str(script), " ".join(["memtui", *words])],
    }[shell]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.stderr == ""
    return {line.split("\t")[0] for line in done.stdout.split("\n") if line}


@pytest.mark.parametrize(
    ("words", "some", "never"),
    [
        (["rep"], {"report"}, {"--budget", "lint"}),
        (["report", "x.memtui", "--b"], {"--budget", "--by"}, {"report", "--screen"}),
        (["x.memtui", "--s"], {"--screen"}, {"--sessions"}),
        (["--theme", ""], {"dark", "light", "blue-orange"}, {"report"}),
        (["data", ""], {"lint", "get", "convert", "list"}, {"report"}),
        (["data", "lint", "--f"], {"--fail"}, {"--folder"}),
        (["data", "lint", "x", "--fail", ""], {"error", "warning", "info"}, {"report"}),
        (["completion", ""], set(SHELLS), {"report"}),
    ],
)
def test_a_shell_offers_what_can_come_next(
    shell: str,
    words: list[str],
    some: set[str],
    never: set[str],
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    found = offered(shell, words, tmp_path, capfd)
    assert some <= found and not never & found


def test_every_verb_action_and_option_is_in_the_scripts() -> None:
    found = {command.name: command for command in commands()}
    assert set(VERBS) <= set(found[""].words)
    for verb in (OPEN, *VERBS):
        for action, parser in parsers_in(build_parser(verb)):
            name = "" if verb == OPEN else f"{verb} {action}".rstrip()
            assert set(options_of(parser)) < set(found[name].options)


def test_another_shell_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["completion", "tcsh"])
    assert ended.value.code == 2
    assert "bash" in capsys.readouterr().err
