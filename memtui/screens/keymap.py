"""The keys of the reader's configuration: known ids, known keys, and nothing that takes another's key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from textual.dom import DOMNode
from textual.keys import KEY_NAME_REPLACEMENTS, Keys, _character_to_key, key_to_character

from memtui.errors import did_you_mean
from memtui.screens.keys import (
    DIALOGS,
    EVERYWHERE,
    ON_SCREENS,
    Key,
    all_keys,
    dialog_keys,
    shown,
    with_keymap,
)
from memtui.state.configuration import Binding, Configuration

MODIFIERS = ("ctrl", "alt", "shift", "super", "meta", "hyper")
OTHER_NAMES = {
    "esc": "escape", "return": "enter", "pgdn": "pagedown", "pgup": "pageup", "del": "delete",
    "plus": "plus", "comma": "comma",
}  # fmt: skip
NAMED = frozenset(key.value for key in Keys) | frozenset(KEY_NAME_REPLACEMENTS.values())


def key_name(written: str) -> str | None:
    """Textual's name of a key as a person writes it (`e`, `?`, `ctrl+x`, `PgDn`); None for no key."""
    if len(written) == 1:
        return _character_to_key(written) if written.isprintable() else None
    *modifiers, last = written.split("+")
    if any(one.lower() not in MODIFIERS for one in modifiers):
        return None
    if len(last) > 1:
        last = OTHER_NAMES.get(last.lower(), last.lower())
        if last not in NAMED and key_to_character(last) is None:
            return None
    elif last:
        last = _character_to_key(last)
    else:
        return None
    return "+".join([*(one.lower() for one in modifiers), last])


def keymap_of(configuration: Configuration, app: type[DOMNode]) -> tuple[dict[str, str], list[str]]:
    """(keys by id as Textual's `set_keymap` takes them, one line for each that cannot be used)."""
    if not configuration.keys:
        return {}, []
    keys = [*all_keys(app), *dialog_keys()]
    known = {key.id for key in keys}
    problems: list[str] = []
    wanted: dict[str, tuple[Binding, str]] = {}

    def wrong(binding: Binding, what: str) -> None:
        problems.append(f"{configuration.path}:{binding.line}: {what}")

    for binding in configuration.keys:
        if binding.id not in known:
            wrong(binding, f"nothing is called {binding.id!r}: {did_you_mean(binding.id, known)}")
            continue
        names = [key_name(one) for one in binding.keys]
        bad = [one for one, name in zip(binding.keys, names, strict=True) if name is None]
        if bad:
            wrong(binding, f"{bad[0]!r} is no key; keys are written e, E, ?, f5, ctrl+x, pagedown")
            continue
        wanted[binding.id] = (binding, ",".join(name for name in names if name is not None))
    while True:
        keymap = {name: names for name, (_, names) in wanted.items()}
        clash = _first_clash(keys, keymap)
        if clash is None:
            return keymap, problems
        name, other, key, where = clash
        wrong(
            wanted[name][0], f"{shown(key)} is {other} already, {where}: {name} keeps its own key"
        )
        del wanted[name]


def _first_clash(
    keys: Iterable[Key], keymap: Mapping[str, str]
) -> tuple[str, str, str, str] | None:
    """(id that was changed, the other id, key, where) of two that share a key and did not before."""
    before, after = [*keys], with_keymap(keys, keymap)
    on_screens = [(one, (EVERYWHERE, "lists", one)) for one in ON_SCREENS]
    in_dialogs = [(one, (DIALOGS[0][0], one)) for one, _ in DIALOGS]
    for screen, scopes in [*on_screens, *in_dialogs]:
        shared = {frozenset(pair) for pair, _ in _pairs(before, scopes)}
        for (one, other), key in _pairs(after, scopes):
            if frozenset((one, other)) in shared:
                continue
            where = "everywhere" if {one, other} <= _ids(after, EVERYWHERE) else f"on {screen}"
            return (one, other, key, where) if one in keymap else (other, one, key, where)
    return None


def _ids(keys: Iterable[Key], scope: str) -> set[str]:
    return {key.id for key in keys if key.scope == scope}


def _pairs(keys: Iterable[Key], scopes: tuple[str, ...]) -> list[tuple[tuple[str, str], str]]:
    """Every two ids of these scopes that share a key, with the key."""
    users: dict[str, list[str]] = {}
    for one in keys:
        if one.scope in scopes:
            for key in one.keys:
                users.setdefault(key, []).append(one.id)
    return [
        ((ids[a], ids[b]), key)
        for key, ids in users.items()
        for a in range(len(ids))
        for b in range(a + 1, len(ids))
        if ids[a] != ids[b]
    ]
