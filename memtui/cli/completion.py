"""`memtui completion SHELL`: the words of every verb, option and choice, taken from the parsers."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

HELP = "print the completion script of a shell"
SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"{', '.join(SHELLS)}")


def run(args: argparse.Namespace) -> int:
    """Print the script; docs/command-line.md says where each shell wants it."""
    from memtui.cli.printing import print_text

    script = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[args.shell]
    print_text(script(commands()))
    return 0


@dataclass(frozen=True, slots=True)
class Command:
    """What can follow a verb, or a verb and its action; the empty name is `memtui` itself."""

    name: str
    words: dict[str, str]
    """Verbs, actions and choices of an argument, with their help."""
    options: dict[str, str]
    takes: dict[str, tuple[str, ...]]
    """Options that take a value, with its choices; () is anything, a file for instance."""


def commands() -> list[Command]:
    """Every command of the program, `memtui` itself first."""
    from memtui.cli import OPEN, VERBS
    from memtui.cli.parsing import build_parser, parsers_in

    found = []
    for verb in (OPEN, *VERBS):
        for action, parser in parsers_in(build_parser(verb)):
            name = f"{verb} {action}".rstrip()
            found.append(_command("" if verb == OPEN else name, parser))
    found[0].words.update(VERBS)
    return found


def _command(name: str, parser: argparse.ArgumentParser) -> Command:
    from memtui.cli.parsing import arguments_of, parsers_in

    words = {action: str(one.description) for action, one in parsers_in(parser) if action}
    options = {"--help": "show this help"}
    takes: dict[str, tuple[str, ...]] = {}
    for argument in arguments_of(parser):
        choices = tuple(str(choice) for choice in argument.choices or ())
        if not argument.option_strings:
            words.update(dict.fromkeys(choices, str(argument.help)))
        for option in argument.option_strings:
            options[option] = str(argument.help)
            if argument.nargs != 0:
                takes[option] = choices
    return Command(name, words, options, takes)


def _values(found: list[Command], line: str, anything: str) -> Iterator[str]:
    """Cases of `COMMAND PREVIOUS`: choices by `line` (with `{}` for the words), else `anything`.

    `memtui` itself comes last: beside a path there is no verb, so its cases match whatever is left.
    """
    for command in [*found[1:], found[0]]:
        free = []
        for option, choices in command.takes.items():
            case = f'"{command.name} {option}"' if command.name else f'*" {option}"'
            if choices:
                yield f"        {case}) {line.format(' '.join(choices))} ;;"
            else:
                free.append(case)
        if free:
            yield f"        {'|'.join(free)}) {anything} ;;"


def bash_script(found: list[Command]) -> str:
    """For bash 3.2 and later; what is no word of ours is completed as a file name."""
    nested = "|".join(dict.fromkeys(c.name.split()[0] for c in found if " " in c.name))
    lines = [
        "_memtui() {",
        '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"',
        '    local command="" words="" options=""',
        '    COMPREPLY=(); [ "$COMP_CWORD" -gt 1 ] && command="${COMP_WORDS[1]}"',
        f'    case "$command" in {nested})',
        '        [ "$COMP_CWORD" -gt 2 ] && command="$command ${COMP_WORDS[2]}" ;;',
        "    esac",
        '    case "$command $previous" in',
        *_values(found, 'COMPREPLY=($(compgen -W "{}" -- "$current")); return', "return"),
        "    esac",
        '    case "$command" in',
        *(
            f'        "{c.name}") words="{" ".join(c.words)}" options="{" ".join(c.options)}" ;;'
            for c in found
        ),
        f'        *) options="{" ".join(found[0].options)}" ;;',
        "    esac",
        '    case "$current" in -*) words="$options" ;; esac',
        '    COMPREPLY=($(compgen -W "$words" -- "$current"))',
        "}",
        "complete -o default -F _memtui memtui",
    ]
    return "\n".join(lines) + "\n"


def zsh_script(found: list[Command]) -> str:
    """For a folder of `$fpath` (as `_memtui`), or to be sourced after compinit."""
    nested = "|".join(dict.fromkeys(c.name.split()[0] for c in found if " " in c.name))
    lines = [
        "#compdef memtui",
        "_memtui() {",
        '    local command="" previous="${words[CURRENT-1]}"; local -a plain options',
        '    (( CURRENT > 2 )) && command="${words[2]}"',
        f'    case "$command" in ({nested}) (( CURRENT > 3 )) && command="$command ${{words[3]}}" ;; esac',
        '    case "$command $previous" in',
        *_values(found, "compadd -- {}; return", "_files; return"),
        "    esac",
        '    case "$command" in',
        *(
            f'        "{c.name}") plain=({_described(c.words)}) options=({_described(c.options)}) ;;'
            for c in found
        ),
        f"        *) options=({_described(found[0].options)}) ;;",
        "    esac",
        '    if [[ "$PREFIX" == -* ]]; then _describe option options; return; fi',
        "    (( $#plain )) && _describe command plain",
        '    [[ -z "$command" || $#plain -eq 0 ]] && _files',
        "}",
        'if [[ "$zsh_eval_context[-1]" == loadautofunc ]]; then _memtui "$@"; else compdef _memtui memtui; fi',
    ]
    return "\n".join(lines) + "\n"


def _described(words: dict[str, str]) -> str:
    return " ".join(shlex.quote(f"{word}:{text}") for word, text in words.items())


def fish_script(found: list[Command]) -> str:
    """For `~/.config/fish/completions/memtui.fish`."""
    verbs = [c.name for c in found if c.name and " " not in c.name]
    lines = []
    for command in found:
        verb, _, action = command.name.partition(" ")
        when = f"__fish_seen_subcommand_from {verb}"
        if not verb:
            when = f"not __fish_seen_subcommand_from {' '.join(verbs)}"
        elif action:
            when += f"; and __fish_seen_subcommand_from {action}"
        elif command.words:
            when += f"; and not __fish_seen_subcommand_from {' '.join(command.words)}"
        start = f"complete -c memtui -n {_fish(when)}"
        lines += [f"{start} -a {w} -d {_fish(text)}" for w, text in command.words.items()]
        for option, text in command.options.items():
            name = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            choices = command.takes.get(option)
            value = "" if choices is None else f" -x -a '{' '.join(choices)}'" if choices else " -r"
            lines.append(f"{start} {name}{value} -d {_fish(text)}")
    return "\n".join(lines) + "\n"


def _fish(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
