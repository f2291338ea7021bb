"""Where the reader stands, and going back there when the file is opened again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.state.compare_marks import Mark
from memtui.state.places import SCREENS, Place, choices_at, episode_at, with_choices
from memtui.state.session import RunSession
from memtui.state.settings import Settings

if TYPE_CHECKING:
    from memtui.screens.navigation import NavigatingApp


@runtime_checkable
class HasSides(Protocol):
    """The screen that compares two sides."""

    @property
    def sides(self) -> tuple[tuple[Path, str], tuple[Path, str]] | None: ...


def place_now(
    name: str, made: dict[str, MemtuiScreen], session: RunSession, opened_with: Settings
) -> Place:
    """The place of the reader: `name` is the screen shown, `made` are all that were opened."""
    shown = "compare" if name == "pair" else name if name in SCREENS else "overview"
    screen = made.get(shown)
    words = {
        f"{one}.{key}": value
        for one, kept in made.items()
        for key, value in kept.place_words().items()
    }
    place = Place(screen=shown, words=words)
    at_hand = None if screen is None else screen.episode_id
    rows = {} if at_hand is None else session.pages.episode_rows([at_hand])
    for row in rows.values():
        place = replace(place, episode=row.key, item=row.item, arm=row.arm, scale=row.scale)
    if isinstance(screen, HasSides) and screen.sides is not None:
        (file_a, arm_a), (file_b, arm_b) = screen.sides
        sides = ((str(file_a.absolute()), arm_a), (str(file_b.absolute()), arm_b))
        place = replace(place, sides=sides)
    return with_choices(place, session, opened_with)


def go_to(app: NavigatingApp, place: Place) -> None:
    """Take the reader back to a place, or to the nearest one there still is, which is said."""
    session = app.session
    if session is None:
        return
    settings, said = choices_at(place, session)
    app.change(settings)
    for name, words in _by_screen(place.words).items():
        app.screen_named(name).recall(words)
    try:
        episode, gone = episode_at(place, session)
    except UserError as error:
        episode, gone = None, str(error)
    screen = place.screen
    if gone:
        said.append(gone)
    if screen == "compare":
        _compare(app, place, session, said)
    elif episode is None:
        app.go("episodes" if screen in ("trajectory", "ladder") else screen)
    elif screen == "trajectory":
        step = place.words.get("trajectory.step", "")
        app.start_at("trajectory", episode, None, None, int(step) if step.isdecimal() else None)
    elif screen in ("ladder", "episodes"):
        app.screen_named(screen).show_episode(episode)
        app.go(screen)
    if said:
        app.say(f"not all is as it was: {'; '.join(said)}", error=True)
    elif place != Place(words=place.words):
        app.say("back where you left this run (--fresh starts at the overview)")


def _compare(app: NavigatingApp, place: Place, session: RunSession, said: list[str]) -> None:
    arms = {arm.key for arm in session.header.arms}
    marks = []
    for file, arm in place.sides or ():
        own = Path(file).name == session.path.name or not Path(file).exists()
        path = session.path if own else Path(file)
        if path == session.path and arm not in arms:
            said.append(f"there is no arm {arm}")
            break
        marks.append(Mark(path, arm))
    if len(marks) == 2 and marks[0] != marks[1] and session.path in {mark.path for mark in marks}:
        app.compare(marks[0], marks[1])
    else:
        app.go("compare")


def _by_screen(words: dict[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, value in words.items():
        screen, _, key = name.partition(".")
        if screen in SCREENS and key:
            found.setdefault(screen, {})[key] = value
    return found
