"""The reader's configuration: what it may say, and one line with its place for everything it may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtui.state.configuration import configuration_path, read_configuration


def test_a_missing_file_says_nothing(tmp_path: Path) -> None:
    found = read_configuration(tmp_path / "none.toml")
    assert not found.found and not found.problems and found.theme is None and found.keys == ()


def test_it_is_looked_for_where_configurations_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert configuration_path({"XDG_CONFIG_HOME": "/c"}) == Path("/c/memtui/config.toml")
    monkeypatch.setenv("HOME", "/home/x")
    for wrong in ({}, {"XDG_CONFIG_HOME": ""}, {"XDG_CONFIG_HOME": "relative"}):
        assert configuration_path(wrong) == Path("/home/x/.config/memtui/config.toml")


def test_everything_it_may_say(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(
        'theme = "light"\nno_color = true\nascii = true\nalpha = 0.8\njudge = "strict"\n'
        '[keys]\n"app.quit" = "Q"\napp.copy = ["Y", "ctrl+y"]\n'
    )
    found = read_configuration(path)
    assert (found.theme, found.no_color, found.ascii) == ("light", True, True)
    assert (found.alpha, found.judge, found.problems) == (0.8, "strict", ())
    assert [(one.id, one.keys, one.line) for one in found.keys] == [
        ("app.quit", ("Q",), 7),
        ("app.copy", ("Y", "ctrl+y"), 8),
    ]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('\nthmee = "dark"', 2, "did you mean theme"),
        ('theme = "drak"', 1, "did you mean dark"),
        ("theme = 3", 1, "one of dark, light, blue-orange"),
        ("# first\n\nalpha = 2", 3, "at most 1"),
        ("alpha = true", 1, "a rate"),
        ('ascii = "yes"', 1, "true or false"),
        ('keys = "x"', 1, "[keys]"),
        ('[keys]\n"app.quit" = 3', 2, "app.quit is a key"),
        ('[keys]\n"app.quit" = []', 2, "app.quit is a key"),
        ('[keys.app]\nback = "b"\nquit = [1]', 3, "app.quit is a key"),
        ('theme = "dark"\nalpha = = 3', 2, "invalid value"),
        ('[keys]\n"app.quit" = "q"\n"app.quit" = "w"', 3, "overwrite"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(
    text: str, line: int, says: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    found = read_configuration(path)
    assert len(found.problems) == 1 and found.found
    assert found.problems[0].startswith(f"{path}:{line}: ") and says in found.problems[0]
    assert "\n" not in found.problems[0]


def test_the_rest_of_a_file_with_a_mistake_holds(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('theme = "drak"\nalpha = 0.5\n[keys]\n"app.quit" = 3\n"app.copy" = "Y"')
    found = read_configuration(path)
    assert found.alpha == 0.5 and len(found.keys) == 1 and len(found.problems) == 2


@pytest.mark.parametrize("content", [b"\xff\xfe", b"theme = \x00"])
def test_what_is_no_text_is_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(content)
    assert len(read_configuration(path).problems) == 1
    assert len(read_configuration(tmp_path).problems) == 1
