"""The dock of a run that goes on: progress, what went wrong, limits, what is in flight, latest endings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.text import Text

from memtui.metrics.alarm import Alarm
from memtui.state.live import QUIET_AFTER, Dock, InFlight, ModelLoad
from memtui.state.run_header import Header
from memtui.store.records import EpisodeRow
from memtui.views.bars import share_bar
from memtui.views.flow import flow
from memtui.views.look import Look
from memtui.views.numbers import UNKNOWN, compact, count, duration, money, scale
from memtui.views.sentences import sentence
from memtui.views.styled import styled
from memtui.views.text_door import clean_line, fit
from memtui.views.wrapping import wrap

StripOf = Callable[[EpisodeRow], Text]
LATE = 2.0
"""Seconds of delay of the driver's own loop from which they are said."""
SIDE_BY_SIDE = 100
"""Columns from which in flight and latest stand beside each other."""
BODY = 3
"""Lines that the work in flight and the latest endings keep: what can wait gives way first."""
MOST_ALARMS = 2
AROUND, FEWEST_FACTS, ROOM = 6, 2, 6
"""Rows of title, tabs, headings, a gap and hints; the least facts of a cell; rows the dock would have."""
DOING = 18
"""Cells of what an episode is doing."""
STRIP = 12
"""Cells of a strip in the list of the latest endings."""
ARM = 26
"""Cells of the arm of an episode in flight, in a list."""
ROOMY = 66
"""Columns from which the age and the question of an episode in flight are named too."""


def dock_lines(dock: Dock, strip_of: StripOf, width: int, height: int, look: Look) -> list[Text]:
    """At most `height` lines: progress and alarms first, then limits and troubles, then the work."""
    lines = [_progress(dock, width, look), *alarm_lines(dock, width, look)]
    limits = [] if dock.quiet else _limits(dock, width, look)  # they hold for a second or two
    for more in (limits, _troubles(dock, width, look)):
        if len(lines) + len(more) + BODY <= height:
            lines += more
    return [*lines, *work_lines(dock, strip_of, width, height - len(lines), look)][:height]


def work_lines(dock: Dock, strip_of: StripOf, width: int, height: int, look: Look) -> list[Text]:
    """In flight and latest endings, side by side where there is room, in at most `height` lines."""
    if height < 1:
        return []
    if width >= SIDE_BY_SIDE and height >= 6:
        half = (width - 3) // 2
        left = _flights(dock, half, height - 1, look)
        right = _feed(dock, strip_of, half, height - 1, look)
        lines = [Text(end="")]
        for y in range(max(len(left), len(right))):
            line = Text(end="", no_wrap=True)
            one = left[y] if y < len(left) else Text(end="")
            line.append_text(one)
            line.append(" " * max(0, half + 2 - one.cell_len))
            if y < len(right):
                line.append_text(right[y])
            lines.append(line)
        return lines
    flights = [_longest_flight(dock, width, look)] if dock.in_flight else []
    feed = _feed(dock, strip_of, width, height - len(flights) + 1, look)[1:]
    return [*flights, *feed][:height]


def trouble_lines(dock: Dock, width: int, height: int, look: Look) -> list[Text]:
    """What was wrong with a run that has ended: alarms, then retries and errors."""
    lines = [*_gone(dock, width, look), *alarm_lines(dock, width, look)]
    return [*lines, *_troubles(dock, width, look, height - len(lines))]


def _gone(dock: Dock, width: int, look: Look) -> list[Text]:
    """One line where the driver stopped without a word, none where it said that it ends."""
    if dock.age is None:
        return []
    many = dock.in_flight_total
    words = f"its driver is gone: last sign of life {duration(dock.age * 1000)} ago"
    if many:
        words += f", {many} {'episode' if many == 1 else 'episodes'} in flight"
    words += "; run it again to continue"
    return [styled(f" {sentence(words, width - 1)}", look.missing)]


def alarm_lines(dock: Dock, width: int, look: Look) -> list[Text]:
    """A line per abnormal mix of endings and per provider that is down; none for a sound run."""
    lines = []
    for outage in dock.outages:
        if outage.given_up:
            said = "keeps failing: its episodes stay pending until the run is continued"
        else:
            again = "" if outage.wait_s is None else f" for {duration(outage.wait_s * 1000)}"
            said = f"keeps failing: nothing is sent to it{again}"
        lines.append(_alarm("DOWN", f"{outage.name} {said}", width, look))
    alarms: Sequence[Alarm] = dock.troubles.alarms
    shown = alarms if len(alarms) <= MOST_ALARMS else alarms[: MOST_ALARMS - 1]
    lines += [_alarm("ALARM", str(alarm), width, look) for alarm in shown]
    if len(alarms) > len(shown):
        rest = f"{len(alarms) - len(shown)} more: memtui report prints them all"
        lines.append(_alarm("ALARM", rest, width, look))
    return lines


def _alarm(word: str, text: str, width: int, look: Look) -> Text:
    line = Text(" ", end="", no_wrap=True)
    line.append(f"{word} ", look.strong + look.bad)
    line.append(sentence(text, max(8, width - line.cell_len)))
    return line


def _longest_flight(dock: Dock, width: int, look: Look) -> Text:
    """Where there is room for one line only: how many, and the one that has been at it longest."""
    many = dock.in_flight_total
    then = "were in flight" if dock.quiet else "in flight"
    line = styled(f" {many} {then}, longest ", look.muted)
    longest = dock.longest_first[0]
    line.append_text(_flight(longest, width - line.cell_len, look, padded=False))
    return line


def _progress(dock: Dock, width: int, look: Look) -> Text:
    quiet = dock.quiet
    facts = [f"{count(dock.done)} of {count(dock.planned)}"]
    if quiet and dock.age is not None:
        facts.append(f"no sign of life for {duration(dock.age * 1000)}")
    else:
        facts += _rates(dock)
    word = dock.state
    line = Text(f" ▸ {word} ", end="", no_wrap=True)
    line.stylize(look.accent if word == "running" else look.budget)
    while len(facts) > 1 and cell_len("   ".join(facts)) > width - line.cell_len - 14:
        facts.pop()
    tail = "   ".join(facts)
    bar = max(8, min(40, width - line.cell_len - cell_len(tail) - 6))
    line.append_text(share_bar(dock.done, dock.planned, bar, look))
    line.append(f"  {facts[0]}")
    line.append(tail[len(facts[0]) :], look.missing if quiet else "")
    return line


def _rates(dock: Dock) -> list[str]:
    """How fast it goes and what it used, most wanted first."""
    facts = []
    if not dock.done and dock.doing not in ("", "running"):
        facts.append(clean_line(dock.doing, width=24))
    if dock.per_minute is not None:
        facts.append(f"{dock.per_minute:.0f}/min")
    if dock.eta_seconds is not None and dock.done < dock.planned:
        facts.append(f"about {duration(dock.eta_seconds * 1000)} left")
    if dock.paced is not None:
        facts.append(f"paced to {dock.paced:g}/s")
    if dock.cost is not None:
        facts.append(money(dock.cost))
    elif dock.known_cost is not None:
        facts.append(money(dock.known_cost, partial=True))
    if dock.tokens is not None:
        facts.append(f"{compact(dock.tokens)} tokens")
    return facts


def _limits(dock: Dock, width: int, look: Look) -> list[Text]:
    """One line, or none: how much of each limit is used, and what waits for it."""
    parts: list[Text] = []
    for load in dock.models:
        parts += _load(load, look)
    for limit in dock.limits:
        if limit.used is not None and limit.limit is not None:
            parts.append(
                _pair(
                    limit.name, f"{limit.used:g}/{limit.limit:g}", look, limit.used >= limit.limit
                )
            )
    if not parts:
        return []
    return flow(parts, width)[:1]


def _load(load: ModelLoad, look: Look) -> list[Text]:
    """A model's limits; one that is full, and what waits for it, in the colour of a budget."""
    limited = load.concurrency is not None or load.rpm is not None or load.tpm is not None
    busy = load.calling or load.waiting or load.retrying or load.paused_s
    if not (limited or busy):
        return []
    most = load.concurrency
    parts = [
        _pair(
            load.name,
            (UNKNOWN if load.calling is None else str(load.calling))
            + ("" if most is None else f"/{most}"),
            look,
            most is not None and load.calling is not None and load.calling >= most,
        )
    ]
    for name, pair in (("rpm", load.rpm), ("tpm", load.tpm)):
        if pair is not None:
            used, limit = pair
            said = f"{compact(used)}/{compact(limit)}"
            parts.append(_pair(name, said, look, used is not None and used >= limit))
    if load.waiting:
        parts.append(styled(f"{load.waiting} waiting", look.budget))
    if load.paused_s:
        parts.append(styled(f"paused {duration(load.paused_s * 1000)}", look.budget))
    return parts


def _pair(name: str, value: str, look: Look, full: bool) -> Text:
    """``rpm 58/60``, the value in the colour of a budget where the limit is reached."""
    text = Text(end="", no_wrap=True)
    text.append(f"{clean_line(name, width=24)} ", look.muted)
    text.append(value, look.budget if full else "")
    return text


def _troubles(dock: Dock, width: int, look: Look, height: int = 1) -> list[Text]:
    """One line, or none: retries, exclusions by cause, errors and warnings by kind, the latest in words,
    which go into lines of their own where they need them and `height` has them."""
    parts: list[Text] = []
    for retry in dock.retrying:
        soon = "" if retry.soonest_s is None else f" in {duration(retry.soonest_s * 1000)}"
        parts.append(
            styled(f"{retry.count} again{soon} ({clean_line(retry.reason, width=16)})", look.budget)
        )
    if dock.retries:
        parts.append(styled(f"{dock.retries} retries", look.muted))
    if dock.troubles.excluded:
        total = sum(many for _, many in dock.troubles.excluded)
        causes = ", ".join(f"{count(many)} {cause}" for cause, many in dock.troubles.excluded[:3])
        parts.append(styled(f"! {count(total)} excluded ({clean_line(causes)})", look.missing))
    for kind, many in dock.errors[:3]:
        parts.append(styled(f"{many} × {clean_line(kind, width=24)}", look.missing))
    if dock.late is not None and dock.late > LATE:
        parts.append(styled(f"driver late by {duration(dock.late * 1000)}", look.budget))
    if not parts and dock.last_log is None:
        return []
    line = flow(parts, width)[0]
    if dock.last_log is None:
        return [line]
    said, room = clean_line(dock.last_log.text), width - line.cell_len - 3
    below = [styled(f" {part}", look.muted) for part in wrap(said, width - 2)]
    if cell_len(said) > room and 1 + len(below) <= height:
        return [line, *below]
    if room > 12:
        line.append("   " + sentence(said, room), look.muted)
    return [line]


def _elapsed(seconds: float) -> str:
    """A driver says tenths of a second at best."""
    return f"{seconds:.1f} s" if seconds < 9.95 else duration(seconds * 1000)


def _flights(dock: Dock, width: int, height: int, look: Look) -> list[Text]:
    many = dock.in_flight_total
    flights = dock.longest_first[: height - 1]
    then = "were in flight" if dock.quiet else "in flight"
    head = Text.assemble(" ", (then, look.muted), f" {many}", end="", no_wrap=True)
    if many > len(flights):
        head.append(", longest first", look.muted)
    return [head, *(_flight(flight, width, look, padded=True) for flight in flights)]


def _flight(flight: InFlight, width: int, look: Look, *, padded: bool) -> Text:
    """``1.5 s searching  call 2 of 12 s  bm25/once +100 q1``: this piece of work, then the episode's age."""
    line = Text(" " if padded else "", end="", no_wrap=True)
    seconds = "" if flight.seconds is None else _elapsed(flight.seconds)
    line.append(seconds.rjust(7) if padded else seconds, look.muted)
    line.append("  " if padded else " ")
    doing = clean_line(flight.held or flight.doing or "working", width=DOING)
    line.append(fit(doing, DOING) if padded else doing, look.budget if flight.held else look.accent)
    calls = "" if not flight.calls else f"call {flight.calls}"
    line.append(f" {calls.ljust(7) if padded else calls}", look.muted)
    if flight.age is not None and flight.age != flight.seconds and width >= ROOMY:
        age = f"of {_elapsed(flight.age)}"
        line.append(f" {age.ljust(10) if padded else age}", look.muted)
    rung, item = scale(flight.scale).rjust(5), clean_line(flight.item, width=24)
    room = max(8, width - line.cell_len - cell_len(rung) - 3)
    if width < ROOMY:
        arm = fit(flight.arm, room) if padded else clean_line(flight.arm, width=room)
        line.append(f" {arm} {rung if padded else rung.strip()}")
    else:
        room = max(8, room - cell_len(item) - 1)
        arm = fit(flight.arm, min(room, ARM)) if padded else clean_line(flight.arm, width=room)
        line.append(f" {arm} {rung}")
        line.append(f" {item}", look.muted)
    return line


def _feed(dock: Dock, strip_of: StripOf, width: int, height: int, look: Look) -> list[Text]:
    if height < 2:
        return []
    lines = [styled(" latest", look.muted)]
    for row in dock.feed[: height - 1]:
        line = Text(" ", end="", no_wrap=True)
        strip = strip_of(row)
        line.append_text(strip)
        line.append(" " * max(1, STRIP + 1 - strip.cell_len))
        line.append(fit(row.arm, min(24, width // 3)), look.muted)
        line.append(f" {scale(row.scale):>5}  ", look.muted)
        line.append(clean_line(row.question, width=max(8, width - line.cell_len)))
        lines.append(line)
    return lines


def facts_beside_dock(keep: int, rows: int, arms: int) -> int:
    """Lines of the facts of a cell, at most `keep`, on a screen of `rows` with a table of `arms`: where
    room is short, what goes on comes before what the table says already."""
    left = rows - arms - AROUND - keep
    return max(FEWEST_FACTS, keep - max(0, ROOM - left))


def dock_stamp(header: Header) -> object:
    """Everything the dock depends on but the episodes: equal means that it need not be drawn."""
    heartbeat, events = header.heartbeat, header.events
    quiet = header.age is not None and header.age > QUIET_AFTER
    return (
        header.state,
        None if heartbeat is None else heartbeat.at,
        events[-1].id if events else 0,
        int(header.age or 0) if quiet else None,
    )
