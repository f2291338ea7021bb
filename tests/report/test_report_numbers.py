"""A report's numbers against recounting, and the caveats it prints."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from memtui.errors import UserError
from memtui.metrics.outcome import outcome
from memtui.metrics.regime import regime
from memtui.model import Evidence, EvidenceStatus, Outcome
from memtui.report.as_json import report_document, to_json
from memtui.report.build import build_report, report_at
from memtui.report.model import Report
from memtui.report.now import read_now
from memtui.report.source import ReportSource
from memtui.state.deep_link import choose
from memtui.state.session import RunSession
from memtui.store.reader import open_run
from tests.report.generated_run import ARMS, RunFile, anything

BM25, DENSE, FULL = ARMS


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return anything(tmp_path_factory.mktemp("runs") / "any.memtui", 600)


def report_of(run: RunFile, **options: object) -> Report:
    with open_run(run.write()) as reader:
        return build_report(reader, **options)  # type: ignore[arg-type]  # passed on as given


def cell(report: Report, arm: str, scale: float | str) -> dict[str, object]:
    for found in report_document(report)["cells"]:
        if found["arm"] == arm and found["scale"] == scale:
            assert isinstance(found, dict)
            return found
    raise AssertionError(f"no cell {arm} {scale}")


def test_every_cell_at_every_budget_equals_recounting(everything: Path) -> None:
    with open_run(everything) as reader:
        source = ReportSource(reader)
        facts = [fact for fact in source.facts if fact.answerable]
        for budget in range(8):
            report = report_at(source, budget)
            for found in report.cells:
                mine = [fact for fact in facts if fact.cell_id == found.cell_id]
                outcomes = Counter(outcome(fact, budget) for fact in mine)
                counts = found.counts
                assert counts.passed == outcomes[Outcome.PASS]
                assert counts.exhausted == outcomes[Outcome.EXHAUSTED]
                assert counts.wrong == outcomes[Outcome.WRONG]
                assert counts.n_excluded == outcomes[Outcome.EXCLUDED]
                assert counts.pending == outcomes[Outcome.PENDING]
                assert counts.regimes == Counter(regime(fact, budget) for fact in mine)
            assert report.totals.n == sum(found.counts.n for found in report.cells)


def test_one_sweep_over_b_equals_a_report_of_its_own_per_b(everything: Path) -> None:
    with open_run(everything) as reader:
        source = ReportSource(reader)
        for budget in (0, 3, 7):
            swept = report_document(report_at(source, budget))
            alone = report_document(build_report(reader, budget, bootstrap=False))
            assert swept == alone


def test_json_schema(everything: Path) -> None:
    with open_run(everything) as reader:
        document = json.loads(to_json(report_document(build_report(reader, by="question_type"))))
    assert document["schema"] == "memtui-report-1"
    assert (document["budget"], document["alpha"], document["mode"]) == (2, 0.7, "post_hoc")
    assert document["judge"] == "deterministic-1"
    counts = ("n", "pass", "exhausted", "wrong", "excluded", "system_failed", "covered_at_b")
    for found in document["cells"]:
        assert all(type(found[name]) is int for name in counts)
        assert found["pass"] + found["exhausted"] + found["wrong"] == found["n"]
        assert sum(found["excluded_by"].values()) == found["excluded"]
        assert found["p90r"] is None or type(found["p90r"]) is int
        assert {"pass", "exhausted", "wrong", "covered_at_b", "p90r"} == set(found["intervals"])
        assert found["arm"] in ARMS and found["scale"] in ("own", 0, 100, 200)
        regimes = Counter(found["regimes"])
        assert sum(regimes.values()) == found["n"] + found["excluded"] + found["pending"]
    assert {arm["arm"] for arm in document["arms"]} == set(ARMS)
    assert all("s_star" in arm for arm in document["arms"])
    by_type = [group["value"] for group in document["groups"]]
    assert by_type == sorted(by_type) and "temporal" in by_type
    grouped = sum(c["n"] for group in document["groups"] for c in group["cells"])
    assert grouped == sum(c["n"] for c in document["cells"])


def ladder_run(path: Path, passing: tuple[int, ...], n: int = 10) -> RunFile:
    """One arm over 0, 100, 200 with `passing[i]` of n right at each rung."""
    run = RunFile(path)
    for number in range(n):
        run.item(f"q{number}")
        for scale, passed in zip((0.0, 100.0, 200.0), passing, strict=False):
            label = "right" if number < passed else "wrong"
            run.add(BM25, f"q{number}", scale, [[f"e-q{number}"]], label)
    return run


@pytest.mark.parametrize(
    ("passing", "s_star"),
    [((8, 6, 5), 100), ((7, 7, 7), "> 200"), ((5, 9, 9), 0), ((9, 9), "> 100")],
)
def test_s_star_of_a_whole_file(
    tmp_path: Path, passing: tuple[int, ...], s_star: int | str
) -> None:
    report = report_of(ladder_run(tmp_path / "a.memtui", passing))
    (arm,) = report_document(report)["arms"]
    assert arm["s_star"] == s_star
    shares = arm["s_star_distribution"]["shares"]
    assert sum(shares.values()) == pytest.approx(1.0)
    if passing == (8, 6, 5):
        assert arm["drop"]["difference"] == pytest.approx(-0.3)
        assert arm["drop"]["bootstrap"]["low"] <= -0.3 <= arm["drop"]["bootstrap"]["high"]


def test_too_many_exclusions_withhold_s_star(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (8, 6, 5))
    run.scripts[0].end, run.scripts[0].label = "provider_error", None
    report = report_of(run)
    (arm,) = report.arms
    assert (arm.s_star.kind, arm.distribution) == ("withheld", None)
    assert cell(report, BM25, 0)["policies"] == {
        "errors_excluded": {"pass": 7, "n": 9},
        "errors_wrong": {"pass": 7, "n": 10},
        "failures_excluded": {"pass": 7, "n": 9},
    }
    assert any("1 episodes are outside n: 1 because the model provider" in n for n in report.notes)


def test_a_broken_memory_lowers_the_rate_and_is_named(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (10, 10, 10))
    for script in run.scripts[2::3][:4]:
        script.end, script.label = "memory_error", None
    report = report_of(run)
    found = cell(report, BM25, 200)
    assert (found["pass"], found["wrong"], found["n"], found["system_failed"]) == (6, 4, 10, 4)
    assert str(report.arms[0].s_star) == "200"


def test_rungs_that_only_some_questions_have_are_paired_on_the_common_ones(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (5, 5, 5))
    for number in range(5, 10):
        run.haystack(f"q{number}", 200.0, 1, available=False, note="pool too small", positions=())
    run.scripts = [s for s in run.scripts if not (s.scale == 200.0 and int(s.item[1:]) >= 5)]
    report = report_of(run)
    assert report.ladder_items == 5
    assert str(report.arms[0].s_star) == "> 200"
    assert cell(report, BM25, 0)["n"] == 10
    assert any("too small for 5 of 10" in note for note in report.notes)


def test_unanswerable_items_have_rows_of_their_own(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (10, 10, 10))
    before = report_document(report_of(run))
    run.path = tmp_path / "b.memtui"
    run.item("a1", answerable=False)
    run.add(BM25, "a1", 0.0, [["e-a1"]], "right", abstained=True)
    run.item("a2", answerable=False)
    run.add(BM25, "a2", 0.0, [["x"]], "wrong")
    after = report_document(report_of(run))
    assert after["cells"] == before["cells"]
    (found,) = after["unanswerable"]
    assert (found["n"], found["pass"], found["wrong"], found["coverage_n"]) == (2, 1, 1, 0)
    assert found["regimes"]["abstain_right"] == found["regimes"]["answered_unanswerable"] == 1


def test_items_with_known_defects_are_reported_twice(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (9, 9, 9))
    run.item("q9", flags=("answer-not-string",))
    run.item("q8", flags=("span_answerable",))
    report = report_of(run)
    clean = cell(report, BM25, 0)["without_known_defects"]
    assert isinstance(clean, dict) and (clean["n"], clean["pass"]) == (9, 9)
    assert any("1 of 10 answerable questions have a known defect" in n for n in report.notes)
    assert any("1 of 10 answerable questions are span_answerable" in n for n in report.notes)
    only = report_of(run_again(run, tmp_path), flt="flag:span_answerable")
    assert (only.filtered, only.totals.n) == (3, 3)
    subsets = report_of(run_again(run, tmp_path), by="subset")
    assert [(g.value, g.cells[0].counts.n) for g in subsets.groups] == [
        ("other", 9),
        ("span_answerable", 1),
    ]


def run_again(run: RunFile, folder: Path) -> RunFile:
    run.path = folder / f"again-{len(list(folder.iterdir()))}.memtui"
    return run


def test_coverage_is_a_ceiling_with_its_own_n(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number in range(4):
        run.item(f"q{number}")
        run.add(BM25, f"q{number}", 0.0, [["x"], [f"e-q{number}"]])
    run.item("d", evidence=(Evidence("D", None, None, EvidenceStatus.DANGLING),))
    run.add(BM25, "d", 0.0, [["x"]])
    report = report_of(run, budget=1)
    found = cell(report, BM25, 0)
    assert (found["covered_at_b"], found["covered_end"], found["coverage_n"]) == (0, 4, 4)
    assert found["exhausted"] == 4 and report.coverage == "finest/shown"


def test_each_view_of_coverage_has_its_own_n(tmp_path: Path) -> None:
    """Turns are annotated for one item of two, and one item has no answer."""
    run = RunFile(tmp_path / "a.memtui")
    run.item("turn", evidence=(Evidence("", "e-turn", 4),))
    run.item("session")
    run.item("abstain", answerable=False)
    for key in run.items:
        run.add(BM25, key, 0.0, [[f"e-{key}"]])
    with open_run(run.write()) as reader:
        known = {
            view: build_report(reader, coverage=view).totals.coverage_n
            for view in ("finest/shown", "turn/shown", "session/shown", "session/returned")
        }
        assert known == {
            "finest/shown": 2,
            "turn/shown": 1,
            "session/shown": 2,
            "session/returned": 2,
        }
        assert build_report(reader, coverage="turn/shown").coverage == "turn/shown"
        with pytest.raises(UserError, match="did you mean turn/shown"):
            build_report(reader, coverage="turns/shown")


def test_clusters_few_seeds_forms_and_trivial_coverage_are_said(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui", config={"loop": {"k": 12, "call_cap": 20}})
    for number in range(40):
        run.item(f"q{number}", cluster=f"conv-{number % 10}")
        for arm in (BM25, "notes/agent"):
            run.add(
                arm, f"q{number}", 100.0, [[f"e-q{number}"]], "right" if number % 3 else "wrong"
            )
        run.haystack(f"q{number}", 100.0, 1, borrowed=2, contaminated=1)
    run.arm(BM25, note="baseline: reads spans only")
    run.arm("notes/agent", form="derived", provenance="none")
    report = report_of(run)
    text = "\n".join(report.notes)
    assert "questions share 10 histories: intervals are cluster-robust with t(9)" in text
    assert "one ladder seed" in text
    assert "borrowed fillers, evidence of other questions: 80 at scale 100" in text
    assert "left out because their text contains the gold answer: 40 at scale 100" in text
    assert "different form (derived, verbatim)" in text
    assert "coverage is n/a for notes/agent" in text
    assert "coverage there is trivial" in text
    assert "baseline: reads spans only" in text
    found = cell(report, BM25, 100)
    intervals = found["intervals"]
    assert isinstance(intervals, dict)
    assert intervals["pass"]["shown"] == "clustered"
    assert intervals["pass"]["clustered"]["clusters"] == 10
    assert set(intervals["pass"]["bootstrap"]) == {"low", "high"}
    few = run_again(run, tmp_path)
    for key in list(few.items):
        few.item(key, cluster=f"conv-{int(key[1:]) % 3}")
    assert any(note.startswith("too few clusters") for note in report_of(few).notes)


def test_an_abnormal_mix_is_an_alarm(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number in range(20):
        run.item(f"q{number}")
        run.add(BM25, f"q{number}", 0.0, [["x"]], "wrong", abstained=number > 0)
    report = report_of(run)
    assert [str(alarm) for alarm in report.alarms] == [
        "all arms: 19 of 20 answerable episodes abstained although the question has an answer"
    ]
    run = run_again(run, tmp_path)
    run.run["config"] = {"alarm": {"share": 0.96, "minimum": 20}}
    assert report_of(run).alarms == ()
    run = run_again(run, tmp_path)
    run.run["config"] = {}
    run.scripts.pop()
    assert report_of(run).alarms == ()


def test_abstentions_are_counted_among_questions_with_an_answer(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number in range(30):
        run.item(f"q{number}", answerable=number < 20)
        run.add(BM25, f"q{number}", 0.0, [["x"]], "wrong", abstained=True)
    assert [str(alarm) for alarm in report_of(run).alarms] == [
        "all arms: 20 of 20 answerable episodes abstained although the question has an answer"
    ]


def test_a_live_run_says_so(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (9, 9, 9))
    run.state = "running"
    run.run["planned"] = 300
    run.scripts[0].running = True
    report = report_of(run)
    assert report.state == "interrupted"
    assert any("29 of 300 episodes done" in note for note in report.notes)
    assert cell(report, BM25, 0)["pending"] == 1


def test_hard_runs_stay_within_their_budget(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui", mode="hard")
    run.item("q")
    run.add(BM25, "q", 0.0, [["x"], ["y"]], "right", "forced", refused=1, forced=True)
    report = report_of(run)
    found = cell(report, BM25, 0)
    assert (found["exhausted"], found["exhausted_right"], found["p90r"]) == (1, 1, 3)
    assert found["p90r_censored"] is True
    assert any(note.startswith("hard budget of 2") for note in report.notes)
    with pytest.raises(UserError, match="hard budget of 2"):
        report_of(run_again(run, tmp_path), budget=3)


def test_budgets_at_the_safety_cap_are_refused(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (9,))
    with pytest.raises(UserError, match="choose 19 or less"):
        report_of(run, budget=20)
    run = run_again(run, tmp_path)
    run.run["config"] = {}
    assert report_of(run, budget=50).budget == 50
    run = run_again(run, tmp_path)
    run.add(BM25, "q0", 0.0, [["x"]] * 6, None, "step_cap", None, repeat=1)
    with pytest.raises(UserError, match="stopped every episode at 6 calls"):
        report_of(run, budget=6)
    session = RunSession(run.path)  # the screen says no more than the report
    assert session.settings.largest_budget == 5
    with pytest.raises(UserError, match="stopped every episode at 6 calls"):
        choose(session, budget=6)
    session.close()
    with open_run(run.path) as reader, pytest.raises(UserError, match="at 6 calls"):
        read_now(reader, budget=6)


def test_judges_are_never_pooled(everything: Path) -> None:
    with open_run(everything) as reader:
        one = build_report(reader, judge="deterministic-1", bootstrap=False)
        other = build_report(reader, judge="other-judge", bootstrap=False)
        assert one.totals.passed != other.totals.passed
        assert "other judges in this file, never pooled: other-judge" in one.notes
        with pytest.raises(UserError, match="did you mean other-judge"):
            build_report(reader, judge="other-juge")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 1.5}, "--alpha"),
        ({"by": "question"}, "did you mean question_type"),
        ({"budget": -1}, "--budget"),
        ({"flt": "regme:x"}, "did you mean regime"),
    ],
)
def test_what_cannot_be_reported_is_refused(
    everything: Path, options: dict[str, object], message: str
) -> None:
    with open_run(everything) as reader, pytest.raises(UserError, match=message):
        build_report(reader, **options)  # type: ignore[arg-type]  # wrong on purpose


def test_repeats_and_tokens_after_coverage(tmp_path: Path) -> None:
    run = RunFile(tmp_path / "a.memtui")
    for number in range(3):
        run.item(f"q{number}")
        for repeat in range(2):
            label = "right" if number == 0 or (number == 1 and repeat == 0) else "wrong"
            calls = [[f"e-q{number}"], ["x"]]
            run.add(BM25, f"q{number}", 0.0, calls, label, repeat=repeat)
    found = cell(report_of(run, tokens=True), BM25, 0)
    assert found["repeats"] == {
        "questions": 3,
        "mean": 0.5,
        "pass_hat": [
            {"k": 1, "value": pytest.approx(0.5), "questions": 3},
            {"k": 2, "value": pytest.approx(1 / 3), "questions": 3},
        ],
    }
    stopping = found["stopping"]
    assert isinstance(stopping, dict)
    assert stopping["tokens_after"] == {"tokens": 660, "episodes": 6, "unknown_steps": 0}
    assert stopping["overshoot"][1] == {"calls": "1", "n": 6, "right": 3}


def test_what_was_found_when_the_data_were_read_is_shown(tmp_path: Path) -> None:
    run = ladder_run(tmp_path / "a.memtui", (10, 10, 10))
    run.run["dataset"] = {"name": "mine", "notes": ["lines left out: a.jsonl:3 (line-torn)"]}
    assert "data: lines left out: a.jsonl:3 (line-torn)" in report_of(run).notes
