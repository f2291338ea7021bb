"""`memtui ladder` and what `memtui compare` says of pairs, through the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memtui.cli import main
from tests.report.generated_run import ARMS, RunFile

BM25, DENSE, _ = ARMS


class Output:
    """What a command printed."""

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


def ladder_run(path: Path, **run: object) -> RunFile:
    """bm25 loses q0 at 100, where two sessions push its evidence down; dense never does."""
    file = RunFile(path, **run)
    for key in ("q0", "q1"):
        file.item(key)
        for scale, hits, label in (
            (0.0, [f"e-{key}", "f1"], "right"),
            (100.0, ["f2", "f3", f"e-{key}"], "wrong" if key == "q0" else "right"),
        ):
            positions = tuple(
                (token, f"2026-01-0{n}T10:00:00", "filler") for n, token in enumerate(hits, 1)
            )
            file.haystack(key, scale, 1, positions=positions)
            file.add(BM25, key, scale, [hits], label, queries=["who?"])
            file.add(DENSE, key, scale, [[f"e-{key}"]], "right")
    return file


def test_ladder_prints_strips_flips_ranks_and_what_moved(memtui: Output, tmp_path: Path) -> None:
    path = ladder_run(tmp_path / "a.memtui").write()
    text = memtui("ladder", path, "q0")
    assert "↓◆ │✗" not in text and "↓◆✗" in text and "2 of 2   1 of 2" in text
    assert "evidence #1 → #3; 2 irrelevant sessions moved above it" in " ".join(text.split())
    assert "f2" in text and "2026-01-01" in text and "text of f2" in text
    found = json.loads(memtui("ladder", path, "q0", "--json"))
    assert found["schema"] == "memtui-ladder-1" and found["scales"] == [0, 100, 200]
    line = found["lines"][0]
    assert (line["arm"], line["first_loss"]) == (BM25, 100)
    cell = line["cells"][1]
    assert (cell["change"], cell["outcome"]) == ("lost", "wrong")
    against = cell["against_smaller_scale"]
    assert [moved["session"] for moved in against["moved"]] == ["f2", "f3"]
    assert against["evidence"] == [{"unit": "e-q0", "rank_below": 1, "rank_here": 3}]
    assert line["cells"][2] is None


def test_ladder_follows_budget_filter_and_arm(memtui: Output, tmp_path: Path) -> None:
    path = ladder_run(tmp_path / "a.memtui").write()
    found = json.loads(memtui("ladder", path, "q0", "--json", "--budget", "0"))
    assert {cell["outcome"] for cell in found["lines"][0]["cells"] if cell} == {"exhausted"}
    found = json.loads(memtui("ladder", path, "q0", "--json", "--filter", "out:wrong"))
    assert [line["arm"] for line in found["lines"]] == [BM25]
    inside = [cell["inside_filter"] for cell in found["lines"][0]["cells"] if cell]
    assert inside == [False, True]
    found = json.loads(memtui("ladder", path, "about q1", "--json", "--arm", "dense"))
    assert found["item"]["key"] == "q1" and [line["arm"] for line in found["lines"]] == [DENSE]
    assert {at["n"] for at in found["passing"]} <= {0, 1}, "counted over the arms that are shown"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["zzz"], "has the key or the words"),
        (["what"], "2 questions contain"),
        (["q0", "--filter", "scale>=900"], "passes the filter"),
        (["q0", "--arm", "zzz"], "no arm contains"),
        (["q0", "--budget", "-1"], "--budget"),
    ],
)
def test_ladder_says_what_it_cannot_do(
    args: list[str], message: str, memtui: Output, tmp_path: Path
) -> None:
    path = ladder_run(tmp_path / "a.memtui").write()
    memtui("ladder", path, *args, code=2)
    assert message in memtui.err and memtui.err.count("\n") == 1


def test_compare_lists_exactly_the_flips_it_counts(memtui: Output, tmp_path: Path) -> None:
    path = ladder_run(tmp_path / "a.memtui").write()
    found = json.loads(memtui("compare", path, "--arms", "bm25", "dense", "--json"))
    counted = sum(row["only_a"] + row["only_b"] for row in found["scales"])
    assert counted == len(found["flips"]) == 1
    flip = found["flips"][0]
    assert (flip["item"], flip["scale"], flip["passed_by"]) == ("q0", 100, "b")
    total = found["all_scales"]
    assert (total["pairs"], total["both"], total["only_b"]) == (4, 3, 1)
    assert total["test"] == "clustered_t" and 0 < total["p_value"] < 1, (
        "two scales of each question"
    )
    assert any("too few clusters" in note for note in found["notes"])
    text = memtui("compare", path, "--arms", "bm25", "dense")
    assert "Flips" in text and "\n  all " in text


def test_compare_of_two_files_pairs_equal_histories_only(memtui: Output, tmp_path: Path) -> None:
    a = ladder_run(tmp_path / "a.memtui").write()
    same = ladder_run(tmp_path / "same.memtui").write()
    found = json.loads(memtui("compare", f"{a}::bm25", f"{same}::bm25", "--json"))
    assert [row["pairs"] for row in found["scales"]] == [2, 2] and not found["flips"]
    other = ladder_run(tmp_path / "b.memtui")
    other.haystack("q1", 100.0, 1, positions=(("e-q1", "2026-01-01T10:00:00", "evidence"),))
    b = other.write()
    memtui("compare", f"{a}::bm25", f"{b}::bm25", code=2)
    assert "filled differently for 1 of the questions" in memtui.err
    args = ("compare", f"{a}::bm25", f"{b}::bm25", "--json")
    found = json.loads(memtui(*args, "--intersect"))
    assert [(row["pairs"], row["unequal_histories"]) for row in found["scales"]] == [(2, 0), (1, 1)]
    assert any("filled differently" in note for note in found["notes"])
    found = json.loads(memtui(*args, "--any-history"))
    assert [row["pairs"] for row in found["scales"]] == [2, 2]


def test_opaque_names_of_another_run_do_not_make_histories_unequal(
    memtui: Output, tmp_path: Path
) -> None:
    from memtui.report.paired_episodes import contents_of
    from memtui.store.reader import open_run

    with open_run(ladder_run(tmp_path / "a.memtui").write()) as one:
        mine = contents_of(one)
    assert len(set(mine.values())) == len(mine)
    with open_run(ladder_run(tmp_path / "b.memtui", uid="w" * 16).write()) as other:
        assert list(contents_of(other).values()) == list(mine.values())


def test_compare_names_the_scales_that_one_side_alone_has(memtui: Output, tmp_path: Path) -> None:
    a = ladder_run(tmp_path / "a.memtui").write()
    longer = ladder_run(tmp_path / "b.memtui")
    for scale in (200.0, 400.0):
        longer.add(BM25, "q0", scale, [["x"]], "right")
    found = json.loads(memtui("compare", f"{a}::bm25", f"{longer.write()}::bm25", "--json"))
    assert (found["only_scales_a"], found["only_scales_b"]) == ([], [200, 400])
    assert "only B has 2 scales +200, +400: not compared" in found["notes"]
    assert [row["scale"] for row in found["scales"]] == [0, 100]


def test_repeats_give_no_mcnemar_and_pair_by_repeat(memtui: Output, tmp_path: Path) -> None:
    run = RunFile(tmp_path / "r.memtui")
    for number in range(3):
        key = f"q{number}"
        run.item(key)
        for repeat in (0, 1):
            run.add(BM25, key, 0.0, [["x"]], "right", repeat=repeat)
            run.add(DENSE, key, 0.0, [["x"]], "wrong" if repeat else "right", repeat=repeat)
    found = json.loads(memtui("compare", run.write(), "--arms", "bm25", "dense", "--json"))
    row = found["scales"][0]
    assert (row["pairs"], row["episode_pairs"], row["both"], row["only_a"]) == (3, 6, 3, 3)
    assert (row["test"], row["p_value"]) == (None, None), "all differ alike: no spread, no test"
    assert row["difference"] == pytest.approx(-0.5)
    assert [(flip["item"], flip["repeat"]) for flip in found["flips"]] == [
        ("q0", 1),
        ("q1", 1),
        ("q2", 1),
    ]
    text = memtui("compare", run.path, "--arms", "bm25", "dense")
    assert "scale  questions  pairs" in text and "averaged over its seeds and repeats" in text
    flips = text.split("Flips")[1].splitlines()
    assert flips[1].split()[:3] == ["scale", "item", "rep."]
    assert [line.split()[:3] for line in flips[3:6]] == [["0", f"q{n}", "r1"] for n in range(3)]
    failed = memtui("failures", run.path).split("Episodes (3 of 3)")[1]
    assert failed.split()[:4] == ["id", "arm", "scale", "rep."] and failed.count(" r1 ") == 3


def test_flips_of_several_seeds_are_told_apart(memtui: Output, tmp_path: Path) -> None:
    run = RunFile(tmp_path / "s.memtui")
    for number in range(2):
        run.item(f"q{number}")
        for seed in (1, 2):
            run.add(BM25, f"q{number}", 100.0, [["x"]], "right", seed=seed)
            run.add(
                DENSE, f"q{number}", 100.0, [["x"]], "wrong" if seed == 2 else "right", seed=seed
            )
    found = json.loads(memtui("compare", run.write(), "--arms", "bm25", "dense", "--json"))
    assert [(flip["item"], flip["seed"]) for flip in found["flips"]] == [("q0", 2), ("q1", 2)]
    row = found["scales"][0]
    assert (row["pairs"], row["episode_pairs"], row["both"], row["only_a"]) == (2, 4, 2, 2)
    flips = memtui("compare", run.path, "--arms", "bm25", "dense").split("Flips")[1].splitlines()
    assert flips[1].split()[:3] == ["scale", "item", "seed"] and flips[3].split()[2] == "s2"
