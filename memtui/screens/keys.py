"""Every key of the app with its id, what it does and where it works: for help, palette and configuration."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from textual.binding import Binding
from textual.dom import DOMNode
from textual.keys import _character_to_key, format_key

SCOPES: tuple[tuple[str, str], ...] = (
    ("lists", "memtui.widgets.virtual_list.VirtualList"),
    ("runs", "memtui.screens.runs.RunsScreen"),
    ("overview", "memtui.screens.overview.OverviewScreen"),
    ("overview", "memtui.widgets.heat_table.HeatTable"),
    ("replay", "memtui.screens.replay.ReplayScreen"),
    ("episodes", "memtui.screens.episodes.EpisodesScreen"),
    ("trajectory", "memtui.screens.trajectory.TrajectoryScreen"),
    ("ladder", "memtui.screens.ladder.LadderScreen"),
    ("ladder", "memtui.widgets.ladder_grid.LadderGrid"),
    ("compare", "memtui.screens.compare.CompareScreen"),
    ("pair", "memtui.screens.pair.PairScreen"),
)
"""Where keys work, beside everywhere, and the class that binds them."""
EVERYWHERE = "everywhere"
ON_SCREENS = ("runs", "overview", "replay", "episodes", "trajectory", "ladder", "compare", "pair")
DIALOGS: tuple[tuple[str, str], ...] = (
    ("dialogs", "memtui.screens.dialogs.Dialog"),
    ("export", "memtui.screens.export.ExportDialog"),
    ("bookmark, note, flag", "memtui.screens.annotate.Annotate"),
    ("saved views", "memtui.screens.saved_views.SavedViews"),
    ("start a run", "memtui.screens.start_run.StartRun"),
    ("stop a run", "memtui.screens.dialogs.StopQuestion"),
    ("name a run", "memtui.screens.annotate_run.AnnotateRun"),
    ("quit", "memtui.screens.dialogs.QuitQuestion"),
    ("help", "memtui.screens.help.HelpScreen"),
)
"""As `SCOPES`, of dialogs: each shows its own keys, and no other key works in it."""
SIGNS = {
    "minus": "-", "escape": "Esc", "enter": "Enter", "tab": "Tab", "shift+tab": "S-Tab",
    "space": "Space", "pagedown": "PgDn", "pageup": "PgUp", "home": "Home", "end": "End",
    "up": "↑", "down": "↓", "left": "←", "right": "→", "f1": "F1",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Key:
    """One thing a key does."""

    id: str
    scope: str
    """`everywhere`, `lists` or the name of a screen."""
    keys: tuple[str, ...]
    """Textual's names of the keys, the first one shown."""
    what: str


def keys_of(node: type[DOMNode] | DOMNode, scope: str) -> Iterator[Key]:
    """What a class binds under ids of ours, in the order of its declaration."""
    found: dict[str, list[Binding]] = {}
    maker = node if isinstance(node, type) else type(node)
    merged = maker._merged_bindings
    for binding in () if merged is None else [b for _, b in merged]:
        if binding.id is not None:
            found.setdefault(binding.id, []).append(binding)
    for name, bindings in found.items():
        keys = tuple(one.key for one in bindings)
        yield Key(name, scope, keys, bindings[0].description)


def all_keys(app: type[DOMNode]) -> list[Key]:
    """Every key, those of `app` first; imports every screen."""
    found = {(key.id, key.scope): key for key in keys_of(app, EVERYWHERE)}
    of_lists: set[str] = set()
    for scope, where in SCOPES:
        module, _, name = where.rpartition(".")
        for key in keys_of(getattr(importlib.import_module(module), name), scope):
            if scope == "lists":
                of_lists.add(key.id)
            if scope == "lists" or key.id not in of_lists:
                found.setdefault((key.id, key.scope), key)
    return [*found.values()]


def dialog_keys() -> list[Key]:
    """Every key of the dialogs, those of all of them first; imports them."""
    found: dict[str, Key] = {}
    for scope, where in DIALOGS:
        module, _, name = where.rpartition(".")
        for key in keys_of(getattr(importlib.import_module(module), name), scope):
            found.setdefault(key.id, key)
    return [*found.values()]


def with_keymap(keys: Iterable[Key], keymap: Mapping[str, str]) -> list[Key]:
    """The same keys as the reader's configuration binds them."""
    return [
        Key(key.id, key.scope, tuple(keymap[key.id].split(",")), key.what)
        if key.id in keymap
        else key
        for key in keys
    ]


def renamed_on(screen: str, app: type[DOMNode], keymap: Mapping[str, str]) -> dict[str, str]:
    """{a key of ours as it is shown: what stands for it now} on a screen, its own keys before others."""
    found: dict[str, str] = {}
    for scope in (EVERYWHERE, "lists", screen):
        for key in all_keys(app):
            if key.scope == scope:
                now = first_of(keymap[key.id].split(",")) if key.id in keymap else ""
                for one in key.keys:
                    found[shown(one)] = now or shown(one)
    return {ours: now for ours, now in found.items() if ours != now}


def shown(key: str) -> str:
    """A key as help and hints write it: `-`, `Enter`, `^d`."""
    if key in SIGNS:
        return SIGNS[key]
    *modifiers, last = key.split("+")
    if not last:  # the plus sign itself
        return "+"
    name = SIGNS.get(last, format_key(last))
    before = "".join("^" if one == "ctrl" else f"{one[:1].upper()}-" for one in modifiers)
    return before + name


def key_named(sign: str) -> str:
    """Textual's name of a key that is written as `shown` writes it."""
    for name, written in SIGNS.items():
        if written == sign:
            return name
    if sign.startswith("^"):
        return f"ctrl+{key_named(sign[1:])}"
    return _character_to_key(sign) if len(sign) == 1 else sign.lower()


def first_of(keys: Iterable[str]) -> str:
    """The key to show of several: a letter or sign that is typed, else the first one."""
    written = [shown(key) for key in keys]
    typed = [sign for sign in written if len(sign) == 1 and sign.isascii()]
    return (typed or written)[0]
