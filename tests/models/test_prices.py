"""Prices: dated, overridable, and unknown where nobody gave one."""

from __future__ import annotations

import json
import re
from importlib.resources import files

from runners.models.prices import context_of, cost, listed, price_of, table
from runners.models.settings import ModelSettings, Price


def test_the_table_is_dated_sourced_and_whole() -> None:
    raw = json.loads((files("runners.models") / "prices.json").read_text())
    assert re.fullmatch(r"20\d\d-\d\d-\d\d", raw["date"]) and raw["source"]
    assert len(table()) >= 20
    for name, line in table().items():
        assert line.price.input is not None and line.price.output is not None, name
        assert 0 <= line.price.input <= line.price.output < 1000, name
        assert raw["date"] in line.price.source


def test_the_configuration_wins_then_the_table_then_litellm() -> None:
    own = Price(1.0, 2.0)
    assert price_of("gpt-4o", ModelSettings(price=own)) == own
    line = listed("openai/gpt-4o")
    assert line is not None and price_of("openai/gpt-4o", ModelSettings()) == line.price
    assert price_of("other/model", ModelSettings()) is None
    assert price_of("other/model", ModelSettings(), lambda _: own) == own


def test_a_local_server_may_call_its_model_anything() -> None:
    local = ModelSettings(api_base="http://127.0.0.1:1/v1")
    assert price_of("openai/gpt-4o", local, lambda _: Price(9, 9)) is None
    assert context_of("openai/gpt-4o", local) is None
    assert context_of("openai/gpt-4o", ModelSettings()) == 128_000
    assert context_of("openai/x", ModelSettings(context=4096)) == 4096


def test_unknown_zero_and_free_are_three_things() -> None:
    assert cost(None, 1, 1, 0) is None
    assert cost(Price(0, 0), None, None, None) == 0.0
    assert cost(Price(0, 0), 100, 5, 90) == 0.0
    assert cost(Price(1, 2), None, 5, None) is None
    assert cost(Price(1, 2), 0, 0, 0) == 0.0
    assert cost(Price(None, 2), 10, 5, 0) is None
    million = 1_000_000
    assert cost(Price(3, 15, 0.3), million, million, million) == 15.3
    assert cost(Price(3, 15), million, million, None) == 18.0
