"""What a fact of the synthetic set is: a kind of statement, its wording, the things it is about."""

from __future__ import annotations

from dataclasses import dataclass

_PARTS = ("things", "values", "say", "new", "ask", "other", "aside")


@dataclass(frozen=True, slots=True)
class Thing:
    """What a fact is about. `alias` is another word for it that the evidence may use instead."""

    name: str
    alias: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fact: who states it how, how it is asked, and what merely looks like it.

    Templates know `{thing}`, `{a}` (the thing with its article), `{value}`, `{who}` (somebody else, at
    the start of a sentence) and, where a kind is about a person, `{person}`.
    """

    name: str
    topic: str
    """Topic in which such a remark comes up naturally."""
    things: tuple[Thing, ...]
    values: tuple[str, ...]
    say: tuple[str, ...]
    """The statement itself; for a fact that changes, its older form."""
    new: tuple[str, ...]
    """The newer form of a fact that changes; empty for facts that do not."""
    ask: tuple[str, ...]
    other: tuple[str, ...]
    """Near miss: the same thing and attribute, of somebody else."""
    aside: tuple[str, ...]
    """Near miss: the user's own thing, without this attribute."""
    speaker: str = "user"
    trend: str = ""
    """Whether the newer value of a fact `rises` or `falls`; empty where either may be."""

    @classmethod
    def parse(
        cls, name: str, topic: str, text: str, *, speaker: str = "user", trend: str = ""
    ) -> Kind:
        """Read a kind from lines `part: text`; `things` and `values` are separated by `;`.

        A thing may carry an alias: `floor lamp=standing light`.
        """
        parts: dict[str, list[str]] = {part: [] for part in _PARTS}
        for line in filter(None, map(str.strip, text.splitlines())):
            part, _, rest = line.partition(": ")
            parts[part].append(rest.strip())
        return cls(
            name=name,
            topic=topic,
            things=tuple(
                Thing(*map(str.strip, entry.split("=")))
                for line in parts["things"]
                for entry in line.split(";")
            ),
            values=tuple(entry.strip() for line in parts["values"] for entry in line.split(";")),
            say=tuple(parts["say"]),
            new=tuple(parts["new"]),
            ask=tuple(parts["ask"]),
            other=tuple(parts["other"]),
            aside=tuple(parts["aside"]),
            speaker=speaker,
            trend=trend,
        )


@dataclass(frozen=True, slots=True)
class Joint:
    """Wording of questions over two facts: `ask` may use `{thing}`, `{second}`, `{value}`."""

    bridge: tuple[str, ...]
    total: tuple[str, ...]
    names: tuple[str, ...]
    order: tuple[str, ...]
    between: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    """Animals of which the user has two: singular, plural."""
    pair_say: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Wish:
    """A preference: what the user mentions, what is asked later, and the rubric of a good answer."""

    topic: str
    say: str
    ask: str
    rubric: str


@dataclass(frozen=True, slots=True)
class Wording:
    """Everything one split says: no text, thing, value or person is shared between two splits."""

    kinds: dict[str, Kind]
    joint: Joint
    wishes: tuple[Wish, ...]
    kin: tuple[str, ...]
    """Other people by relation, at the start of a sentence; `{person}` is a first name."""
    people: tuple[str, ...]


def article(thing: str) -> str:
    """`thing` with a or an."""
    return f"an {thing}" if thing[:1].lower() in "aeiou" else f"a {thing}"


def names(text: str) -> tuple[str, ...]:
    """First names separated by white space."""
    return tuple(text.split())
