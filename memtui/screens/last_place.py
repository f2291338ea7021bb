"""Where the reader stands, and going back there when the file is opened again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from memtui.errors import UserError
from memtui.screens.base import MemtuiScreen
from memtui.screens.navigation import NavigatingApp
from memtui.state.compare_marks import Mark
from memtui.state.configuration import Configuration
from memtui.state.places import (
    Place,
    Places,
    choices_at,
    episode_at,
    own_choices,
    with_choices,
)
from memtui.state.session import RunSession
from memtui.state.settings import Settings
from memtui.state.start import SCREENS, Start


class RememberingApp(NavigatingApp):
    """An app that opens a run where it was left."""

    def __init__(
        self, folder: Path | None, places: Places | None, configuration: Configuration | None
    ) -> None:
        """Without `places` nothing is remembered."""
        super().__init__(folder, configuration)
        self._places = places

    def go_to_last_place(self) -> None:
        """Go to where the reader left this run, if that is known."""
        session, places = self._session, self._places
        if session is None or places is None:
            return
        place = places.of(session.header.run.uid)
        if places.problem:
            self.say(places.problem, error=True)
        if place is not None:
            go_to(self, place)

    def keep_place(self) -> None:
        """Remember where the reader is; what hinders it is said when the app has ended."""
        session, places = self._session, self._places
        if session is None or places is None or not self._current:
            return
        try:
            own = own_choices(session, self._configuration)
            place = place_now(self._current, self._made, session, own)
        except UserError:
            return  # the file cannot be read any more: the place of before stays
        said = places.keep(session.header.run.uid, place)
        if said and said not in self.parting:
            self.parting.append(said)


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
    if shown == "compare":
        from memtui.screens.compare import CompareScreen

        if isinstance(screen, CompareScreen) and screen.sides is not None:
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
        at = int(step) if step.isdecimal() else None
        app.start_at(Start("trajectory", episode, step=at))
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
    here = str(session.path.absolute())
    moved = all(file != here for file, _ in place.sides or ())
    for file, arm in place.sides or ():
        # Two runs in two folders may well have one name: it tells our side only where the file was moved.
        own = file == here or (moved and Path(file).name == session.path.name) or not _there(file)
        path = session.path if own else Path(file)
        if path == session.path and arm not in arms:
            said.append(f"there is no arm {arm}")
            break
        marks.append(Mark(path, arm))
    if len(marks) == 2 and marks[0] != marks[1] and session.path in {mark.path for mark in marks}:
        app.compare(marks[0], marks[1])
    else:
        app.go("compare")


def _there(file: str) -> bool:
    """Whether a file is there and may be seen."""
    try:
        return Path(file).exists()
    except OSError:
        return False


def _by_screen(words: dict[str, str]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for name, value in words.items():
        screen, _, key = name.partition(".")
        if screen in SCREENS and key:
            found.setdefault(screen, {})[key] = value
    return found
