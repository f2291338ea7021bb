"""The verbs report, failures, show, ls, check and compare, through the command line."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from memtui.cli import main
from memtui.model import Usage
from tests.report.generated_run import ARMS, RunFile, anything

BM25, DENSE, FULL = ARMS


@pytest.fixture(scope="module")
def any_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return anything(tmp_path_factory.mktemp("runs") / "any.memtui")


class Output:
    """What a command printed, and its exit code."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd
        self.err = ""

    def __call__(self, *args: object, code: int = 0) -> str:
        self._capfd.readouterr()
        assert main([str(arg) for arg in args]) == code
        out, self.err = self._capfd.readouterr()
        return out


@pytest.fixture
def memtui(capfd: pytest.CaptureFixture[str]) -> Output:
    return Output(capfd)


def two_arms(path: Path) -> RunFile:
    """Ten questions, two scales; dense passes two more than bm25 at 0, one less at 100."""
    run = RunFile(path)
    for number in range(10):
        key = f"q{number}"
        run.item(key)
        for arm, passed in ((BM25, (6, 5)), (DENSE, (8, 4))):
            for scale, bound in zip((0.0, 100.0), passed, strict=True):
                label = "right" if number < bound else "wrong"
                run.add(arm, key, scale, [[f"e-{key}"]], label)
    return run


def test_report_prints_facts_on_stdout_only(memtui: Output, any_file: Path) -> None:
    text = memtui("report", any_file)
    assert "Reliability" in text and memtui.err == ""
    assert json.loads(memtui("report", any_file, "--json"))["cells"]
    assert memtui("report", any_file, "--md").startswith("# ")
    exact = memtui("report", any_file, "--csv", "--no-bootstrap")
    assert exact.startswith("items,group,arm,")
    assert memtui("report", any_file, "--excel", "--no-bootstrap").startswith("\ufeff")


def test_report_takes_budget_alpha_judge_filter_and_by(memtui: Output, any_file: Path) -> None:
    base = json.loads(memtui("report", any_file, "--json", "--no-bootstrap"))
    more = json.loads(
        memtui(
            "report", any_file, "--json", "--no-bootstrap", "--budget", 5, "--alpha", "0.1",
            "--judge", "other-judge", "--filter", "arm:bm25", "--by", "cluster",
        )
    )  # fmt: skip
    assert (more["budget"], more["alpha"], more["judge"]) == (5, 0.1, "other-judge")
    assert {cell["arm"] for cell in more["cells"]} == {BM25}
    assert more["filter"] == "arm:bm25" and more["filtered"] < base["totals"]["n"] * 2
    assert {group["by"] for group in more["groups"]} == {"cluster"}


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["report", "no-such.memtui"], 3, "no run file"),
        (["report", "FILE", "--filter", "regme:x"], 2, "did you mean regime"),
        (["report", "FILE", "--budget", "20"], 2, "choose 19 or less"),
        (["report", "FILE", "--judge", "nobody"], 2, "choose from deterministic-1"),
        (["failures", "FILE", "--limit", "-1"], 2, "--limit"),
        (["failures", "FILE", "--sort=-cots"], 2, "did you mean cost"),
        (["show", "FILE", "q999"], 2, "no episode"),
        (["show", "FILE", "q7"], 2, "episodes ask 'q7'"),
        (["show", "FILE", "q7", "--scale", "big"], 2, "--scale"),
        (["ls", "no-such-folder"], 2, "cannot be listed"),
        (["compare", "FILE::bm25", "::dense"], 2, "--intersect"),
        (["compare", "FILE::bm25", "::bm25"], 2, "the same arm"),
        (["compare", "FILE", "::dense"], 2, "name one as"),
        (["compare", "FILE::zzz", "::dense"], 2, "no arm is called"),
        (["compare", "::bm25", "::dense"], 2, "names no file"),
    ],
)
def test_errors_are_one_line_with_a_documented_code(
    memtui: Output, any_file: Path, args: list[str], code: int, message: str
) -> None:
    given = [arg.replace("FILE", str(any_file)) for arg in args]
    assert memtui(*given, code=code) == ""
    assert message in memtui.err
    assert memtui.err.startswith("memtui: ") and memtui.err.count("\n") == 1


def test_failures_are_what_did_not_pass(memtui: Output, any_file: Path) -> None:
    report = json.loads(memtui("report", any_file, "--json", "--no-bootstrap"))
    found = json.loads(memtui("failures", any_file, "--json", "--limit", 0))
    totals = report["totals"]
    apart = [cell["exhausted"] + cell["wrong"] for cell in report["unanswerable"]]
    assert found["total"] == totals["exhausted"] + totals["wrong"] + sum(apart)
    assert len(found["episodes"]) == found["total"] == sum(found["regimes"].values())
    assert {e["regime"] for e in found["episodes"]} == set(found["regimes"])
    for episode in found["episodes"]:
        assert episode["why"].endswith(".") and episode["strip"]
        exhausted = episode["requested"] > 2
        assert episode["regime"].startswith("exhausted") == exhausted == ("◔" in episode["strip"])
    few = memtui("failures", any_file, "--limit", 3, "--filter", "regime:wrong")
    assert "Episodes (3 of" in few and "more: --limit 0" in few
    rows = list(csv.DictReader(io.StringIO(memtui("failures", any_file, "--csv"), newline="")))
    assert len(rows) == 50 and rows[0]["regime"] == found["episodes"][0]["regime"]
    for row, episode in zip(rows, found["episodes"], strict=False):
        for name in (
            "outcome", "strip", "seed", "redundant", "overshoot", "calls_left", "prompt_tokens",
            "completion_tokens", "cost_usd", "wall_ms", "t_star", "gold_found",
        ):  # fmt: skip
            assert row[name] == ("" if episode[name] is None else str(episode[name])), name
    assert {row["seed"] for row in rows} == {"1", "2"}
    assert {int(row["calls_left"]) == max(0, 2 - int(row["requested"])) for row in rows} == {True}
    assert any("judges_differ" in row["flags"] for row in rows)
    none = memtui("failures", any_file, "--filter", "out:pass")
    assert "0 of" in none and "How they failed" not in none


def test_failures_can_be_sorted_by_fields_of_the_filter(memtui: Output, any_file: Path) -> None:
    found = json.loads(memtui("failures", any_file, "--json", "--limit", 0, "--sort=-calls"))
    plain = json.loads(memtui("failures", any_file, "--json", "--limit", 0))
    calls = [episode["requested"] for episode in found["episodes"]]
    assert calls == sorted(calls, reverse=True) and len(set(calls)) > 1
    assert calls != [episode["requested"] for episode in plain["episodes"]]
    assert found["total"] == plain["total"] == len(calls)
    few = json.loads(memtui("failures", any_file, "--json", "--limit", 3, "--sort=-calls"))
    assert few["episodes"] == found["episodes"][:3]


def test_show_prints_what_each_call_brought(memtui: Output, tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    run.item("q", question="Where [bold]is[/] it?", tempting="Rome")
    run.add(
        DENSE, "q", 100.0, [["x", "y"], ["e-q", "x"], ["y"]], "right", answer="Paris",
        queries=["where is it", "Paris trip", "paris  TRIP"], usage=Usage(cost=0.01),
    )  # fmt: skip
    path = run.write()
    text = memtui("show", path, "q")
    for part in (
        "episode 1 · dense/until-confident · scale 100",
        "question: Where [bold]is[/] it?",
        "tempting: Rome",
        "answer: Paris",
        "judge deterministic-1: right",
        "◇◆│·◔✓",
        "although its evidence was complete after call 2",
        "evidence 1/1 · complete at call 2 · +1 after",
        'call 2  search  "Paris trip"',
        "k 12, returned 2, shown 2, new 1 · evidence 0 → 1 of 1",
        "★+ =",
        "★ q (2026-01-01) at rank 1",
        'search  "paris  TRIP"  (exact 1.00 of an earlier query)',
    ):
        assert part in " ".join(text.split("\n")), part
    at_three = memtui("show", path, 1, "--budget", 3)
    assert "Right within budget (3 of 3 calls)" in at_three and "◇◆·│✓" in at_three
    found = json.loads(memtui("show", path, "episode000000", "--json"))
    assert json.loads(memtui("show", path, found["key"], "--json")) == found
    assert (found["regime"], found["outcome"], found["t_star"]) == (
        "exhausted_covered",
        "exhausted",
        2,
    )
    assert found["tokens_after"] == 110
    calls = [step for step in found["steps"] if step["call_no"]]
    assert [[hit["gold"] for hit in step["hits"]] for step in calls] == [
        [False, False],
        [True, False],
        [False],
    ]
    assert found["item"]["evidence"][0]["session"] == "e-q"


def test_show_chooses_by_arm_scale_seed_and_repeat(memtui: Output, tmp_path: Path) -> None:
    path = two_arms(tmp_path / "a.memtui").write()
    text = memtui("show", path, "q3", "--arm", "DENSE", "--scale", 100)
    assert "dense/until-confident · scale 100" in text
    assert memtui("show", path, "q3", "--arm", "dense", code=2) == ""
    memtui("show", path, "q3", "--arm", "dense", "--scale", 100, "--seed", 2, code=2)


def test_ls_lists_good_files_and_names_bad_ones(memtui: Output, tmp_path: Path) -> None:
    two_arms(tmp_path / "a.memtui").write()
    (tmp_path / "bad.memtui").write_text("not a run file")
    (tmp_path / "other.txt").write_text("")
    text = memtui("ls", tmp_path)
    assert "a.memtui" in text and "40/40" in text and "! bad.memtui" in text
    found = json.loads(memtui("ls", tmp_path, "--json"))
    assert [run["state"] for run in found["runs"]] == ["finished", "unusable"]
    assert found["runs"][0]["done"] == 40


def test_check_tells_whole_files_from_damaged_ones(memtui: Output, tmp_path: Path) -> None:
    path = two_arms(tmp_path / "a.memtui").write()
    assert memtui("check", path) == f"✓ {path}\n"
    damaged = tmp_path / "b.memtui"
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\xff" * (4096 * 3)
    damaged.write_bytes(bytes(content))
    found = json.loads(memtui("check", path, damaged, "--json", code=1))
    assert [entry["ok"] for entry in found["files"]] == [True, False]
    missing = memtui("check", tmp_path / "none.memtui", code=3)
    assert missing.startswith("✗")


def test_compare_two_arms_of_a_file(memtui: Output, tmp_path: Path) -> None:
    path = two_arms(tmp_path / "a.memtui").write()
    found = json.loads(memtui("compare", f"{path}::bm25", "::dense", "--json"))
    assert (found["a"]["arm"], found["b"]["arm"]) == (BM25, DENSE)
    first, second = found["scales"]
    assert (first["scale"], first["pairs"], first["only_a"], first["only_b"]) == (0, 10, 0, 2)
    assert first["difference"] == pytest.approx(0.2)
    assert first["p_value"] == pytest.approx(0.5) and first["p_holm"] == pytest.approx(1.0)
    assert second["difference"] == pytest.approx(-0.1)
    assert first["se"] < first["unpaired_se"]
    text = memtui("compare", f"{path}::bm25", "::dense")
    assert "+20.0" in text and "-10.0" in text and "Holm" in text
    rows = list(
        csv.DictReader(
            io.StringIO(memtui("compare", f"{path}::bm25", "::dense", "--csv"), newline="")
        )
    )
    assert [row["scale"] for row in rows] == ["0", "100"] and float(rows[0]["difference"]) == 0.2


def test_compare_two_runs_names_the_settings_that_differ(memtui: Output, tmp_path: Path) -> None:
    a = two_arms(tmp_path / "a.memtui").write()
    run = two_arms(tmp_path / "b.memtui")
    run.run["config"] = {"budget": {"call_cap": 20, "calls": 2}, "k": 8}
    run.run["uid"] = "v" * 16
    b = run.write()
    found = json.loads(memtui("compare", f"{a}::bm25", f"{b}::bm25", "--json"))
    assert found["differences"] == [{"setting": "config.k", "a": None, "b": 8}]
    assert all(row["difference"] == 0 for row in found["scales"])
    (line,) = [
        line
        for line in memtui("compare", f"{a}::bm25", f"{b}::bm25").splitlines()
        if "config.k" in line
    ]
    assert line.split() == ["config.k", "–", "8"]


def test_compare_refuses_what_does_not_pair(memtui: Output, tmp_path: Path) -> None:
    a = two_arms(tmp_path / "a.memtui").write()
    run = two_arms(tmp_path / "b.memtui")
    run.scripts = [s for s in run.scripts if s.item != "q9"]
    b = run.write()
    memtui("compare", f"{a}::bm25", f"{b}::bm25", code=2)
    assert "9 in common, 1 only A, 0 only B" in memtui.err
    found = json.loads(memtui("compare", f"{a}::bm25", f"{b}::bm25", "--intersect", "--json"))
    assert found["scales"][0]["pairs"] == 9 and found["scales"][0]["only_asked_a"] == 1
    assert found["notes"] == ["only the items in common are compared"]
    for change, message in (
        ({"mode": "hard"}, "never compared"),
        ({"judge": "another"}, "different judges"),
        ({"dataset": {"sha256": "other"}}, "different data"),
    ):
        other = two_arms(tmp_path / f"{next(iter(change))}.memtui")
        other.run |= change
        memtui("compare", f"{a}::bm25", f"{other.write()}::bm25", code=2)
        assert message in memtui.err


def test_compare_leaves_out_pairs_with_an_exclusion(memtui: Output, tmp_path: Path) -> None:
    run = two_arms(tmp_path / "a.memtui")
    run.scripts[0].end, run.scripts[0].label = "provider_error", None
    path = run.write()
    found = json.loads(memtui("compare", f"{path}::bm25", "::dense", "--json"))
    assert (found["scales"][0]["pairs"], found["scales"][0]["dropped"]) == (9, 1)


def test_a_file_name_that_is_no_utf8_is_spelt_out(
    any_file: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    odd = tmp_path / os.fsdecode(b"\xff.memtui")
    shutil.copy(any_file, odd)
    for words in (
        ["report", str(odd), "--no-bootstrap"],
        ["ls", str(tmp_path)],
        ["check", str(odd)],
    ):
        assert main([*words, "--json"]) == 0
        assert rb"\\udcff.memtui" in capfdbinary.readouterr().out
