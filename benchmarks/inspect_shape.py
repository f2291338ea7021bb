"""The same episode shape in Inspect AI: two model calls and one tool call a sample, nothing to wait for.

    VENV/bin/python benchmarks/inspect_shape.py [--samples N]

Run by bench_engine.py in an environment of its own (`pip install inspect-ai==0.3.285`). Prints one line
of JSON: samples, CPU seconds of the whole evaluation, and of an evaluation of one sample (start-up).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from importlib import import_module
from typing import Any


def evaluate(samples: int) -> float:
    """CPU seconds of one evaluation of `samples` samples."""
    # By name: the peer is not in the environment that checks this file.
    inspect, dataset = import_module("inspect_ai"), import_module("inspect_ai.dataset")
    models, solver = import_module("inspect_ai.model"), import_module("inspect_ai.solver")
    scorer, tools = import_module("inspect_ai.scorer"), import_module("inspect_ai.tool")

    def memory_search() -> Any:
        async def execute(query: str) -> str:
            """Search.

            Args:
                query: What to look for.
            """
            return f"my {query} is blue"

        return execute

    def outputs() -> Any:
        for _ in range(samples + 1):
            call = models.ModelOutput.for_tool_call("mockllm", "memory_search", {"query": "pet"})
            for reply in (call, models.ModelOutput.from_content("mockllm", "blue")):
                # Without usage it counts tokens with a table it would fetch first.
                reply.usage = models.ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
                yield reply

    # One sample at a time, so that the scripted replies go to the sample they belong to.
    questions = [dataset.Sample(input=f"pet{i}", target="blue") for i in range(samples)]
    task = inspect.Task(
        dataset=dataset.MemoryDataset(questions),
        solver=[
            solver.use_tools(tools.tool(memory_search)()),
            solver.generate(tool_calls="loop"),
        ],
        scorer=scorer.includes(),
    )
    model = models.get_model("mockllm/model", custom_outputs=outputs(), memoize=False)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        (log,) = inspect.eval(task, model=model, log_dir=folder, display="none", max_samples=1)
        spent = time.process_time() - start
    if log.status != "success" or log.results is None or log.results.completed_samples != samples:
        raise SystemExit(f"no result: {log.status} {log.error and log.error.message[:200]}")
    return spent


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    samples = parser.parse_args().samples
    evaluate(1)
    once = evaluate(1)
    print(json.dumps({"samples": samples, "cpu_s": evaluate(samples), "cpu_one_s": once}))


if __name__ == "__main__":
    main()
