"""The dock of a run that goes on: progress, what is in flight, the latest endings, what went wrong."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text

from memtui.screens.overview_parts import flow
from memtui.state.live import Dock, InFlight
from memtui.store.records import EpisodeRow
from memtui.views.bars import share_bar
from memtui.views.look import Look
from memtui.views.numbers import compact, duration, money, scale
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, fit

StripOf = Callable[[EpisodeRow], Text]
QUIET_AFTER = 5.0
"""Seconds without a heartbeat from which its age is shown as a warning."""


def dock_lines(dock: Dock, strip_of: StripOf, width: int, height: int, look: Look) -> list[Text]:
    """At most `height` lines: progress first, then in flight and feed side by side or one by one."""
    lines = [_progress(dock, width, look), *trouble_lines(dock, width, look)]
    room = height - len(lines) - 1
    if room <= 1:
        return lines[:height]
    if width >= 100 and room >= 6:
        half = (width - 3) // 2
        left = _flights(dock, half, room, look)
        right = _feed(dock, strip_of, half, room, look)
        lines.append(Text(end=""))
        for y in range(max(len(left), len(right))):
            line = Text(end="", no_wrap=True)
            one = left[y] if y < len(left) else Text(end="")
            line.append_text(one)
            line.append(" " * max(0, half + 2 - one.cell_len))
            if y < len(right):
                line.append_text(right[y])
            lines.append(line)
        return lines[:height]
    flights = [_longest_flight(dock, width, look)] if dock.in_flight else []
    feed = _feed(dock, strip_of, width, room - len(flights) + 1, look)[1:]
    return [*lines, *flights, *feed][:height]


def _longest_flight(dock: Dock, width: int, look: Look) -> Text:
    """Where there is room for one line only: how many, and the one that has been at it longest."""
    count = max(dock.in_flight_total, len(dock.in_flight))
    line = styled(f" {count} in flight, longest ", look.muted)
    flight = max(dock.in_flight, key=lambda one: one.seconds or 0.0)
    line.append_text(_flight(flight, width - line.cell_len, look))
    return line


def _progress(dock: Dock, width: int, look: Look) -> Text:
    facts = [f"{dock.done} of {dock.planned}"]
    if dock.per_minute:
        facts.append(f"{dock.per_minute:.0f}/min")
    if dock.eta_seconds is not None and dock.done < dock.planned:
        facts.append(f"about {duration(dock.eta_seconds * 1000)} left")
    if dock.paced is not None:
        facts.append(f"paced to {dock.paced:g}/s")
    if dock.cost:
        facts.append(money(dock.cost))
    elif dock.known_cost:
        facts.append(money(dock.known_cost, partial=True))
    if dock.tokens:
        facts.append(f"{compact(dock.tokens)} tokens")
    while len(facts) > 1 and len("   ".join(facts)) > width - 30:
        facts.pop()
    tail = "   ".join(facts)
    line = Text(" ", end="", no_wrap=True)
    word = dock.state
    line.append(f"▸ {word} ", look.accent if word == "running" else look.budget)
    bar = max(8, min(40, width - line.cell_len - len(tail) - 16))
    line.append_text(share_bar(dock.done, dock.planned, bar, look))
    line.append(f"  {tail}")
    if dock.age is not None and dock.age > QUIET_AFTER:
        line.append(f"   silent for {duration(dock.age * 1000)}", look.missing)
    return line


def trouble_lines(dock: Dock, width: int, look: Look) -> list[Text]:
    """One line, or none: limits in use, retries, errors and warnings by kind, the latest one in words."""
    parts = [
        Text.assemble(
            (f"{limit.name} ", look.muted), (f"{limit.used:g}/{limit.limit:g}", ""), end=""
        )
        for limit in dock.limits
        if limit.used is not None and limit.limit is not None
    ]
    if dock.retries:
        parts.append(styled(f"{dock.retries} retries", look.muted))
    for kind, count in dock.errors[:3]:
        parts.append(
            Text.assemble(
                (f"{count} × ", look.missing), (clean_line(kind, width=24), look.missing), end=""
            )
        )
    if not parts and dock.last_log is None:
        return []
    line = flow(parts, width)[0]
    if dock.last_log is not None:
        room = width - line.cell_len - 3
        if room > 12:
            line.append("   " + clean_line(dock.last_log.text, width=room), look.muted)
    return [line]


def _flights(dock: Dock, width: int, height: int, look: Look) -> list[Text]:
    lines = [
        Text.assemble(
            " ",
            ("in flight", look.muted),
            f" {max(dock.in_flight_total, len(dock.in_flight))}",
            end="",
        )
    ]
    flights = sorted(dock.in_flight, key=lambda one: -(one.seconds or 0.0))
    for flight in flights[: height - 1]:
        lines.append(_flight(flight, width, look))
    return lines


def _flight(flight: InFlight, width: int, look: Look) -> Text:
    line = Text(" ", end="", no_wrap=True)
    seconds = None if flight.seconds is None else flight.seconds * 1000
    line.append(duration(seconds).rjust(7), look.muted)
    line.append("  ")
    line.append(clean_line(flight.doing or "working", width=18), look.accent)
    if flight.calls:
        line.append(f" call {flight.calls}", look.muted)
    room = width - line.cell_len - 2
    where = f"{flight.arm} {scale(flight.scale)} {flight.item}"
    line.append("  " + clean_line(where, width=max(8, room)))
    return line


def _feed(dock: Dock, strip_of: StripOf, width: int, height: int, look: Look) -> list[Text]:
    if height < 2:
        return []
    lines = [styled(" latest", look.muted)]
    for row in dock.feed[: height - 1]:
        line = Text(" ", end="", no_wrap=True)
        strip = strip_of(row)
        line.append_text(strip)
        line.append(" " * max(1, 12 - strip.cell_len))
        line.append(fit(row.arm, min(24, width // 3)), look.muted)
        line.append(f" {scale(row.scale):>5}  ", look.muted)
        line.append(clean_line(row.question, width=max(8, width - line.cell_len)))
        lines.append(line)
    return lines
