"""Local models: what is missing is said, the server comes with the first request and goes with its run."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, sleep

import pytest

from memtui.errors import UserError
from runners.models import clients, local_server, weights
from runners.models.chat import ModelRequest
from runners.models.clients import Clients
from runners.models.door import ModelDoor
from runners.models.local_server import LocalModel, LocalServer, local_model, problem
from runners.models.model_errors import ModelError
from runners.models.settings import ModelSettings

NAME = "local/smollm2-135m"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Local models are served by a process that echoes."""
    monkeypatch.setattr(local_server, "_CHILD", "tests.models.served_model")
    monkeypatch.setattr(
        clients,
        "local_model",
        lambda model, threads, context: LocalModel(model, Path("x"), threads or 2, context or 1),
    )


def alive(pid: int) -> bool:
    """Does the process run? One that nobody has waited for yet does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def asked(text: str) -> ModelRequest:
    return ModelRequest(NAME, ({"role": "user", "content": text},))


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    assert "known: qwen2.5-coder-1.5b, smollm2-135m" in str(problem("local/minilm"))
    monkeypatch.setattr(local_server, "find_spec", lambda name: None)
    assert "pip install 'memtui[local]'" in str(problem(NAME))
    monkeypatch.setattr(local_server, "find_spec", lambda name: object())
    assert "memtui models install smollm2-135m" in str(problem(NAME))
    with pytest.raises(UserError, match="models install"):
        local_model(NAME, None, None)


async def test_a_run_that_lacks_its_model_ends_with_advice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMTUI_HOME", str(tmp_path))
    door = ModelDoor()
    with pytest.raises(UserError, match="smollm2-135m"):
        await door.complete(asked("hello"))
    await door.close()


async def test_one_server_for_all_requests_and_none_afterwards(served: None) -> None:
    pytest.importorskip("litellm", reason="local models are asked through litellm")
    door = ModelDoor(models={NAME: ModelSettings(threads=1, retries=1)})
    replies = await asyncio.gather(*(door.complete(asked(f"q{n}")) for n in range(3)))
    said = [str(reply.text).split() for reply in replies]
    assert [words[0] for words in said] == ["q0", "q1", "q2"]
    assert {words[1] for words in said} == {"1"}
    (pid,) = {int(words[2]) for words in said}
    assert alive(pid)
    assert replies[0].model == NAME
    assert (replies[0].usage.prompt, replies[0].usage.cost) == (3, 0.0)
    assert door.snapshot()["models"][NAME]["concurrency"] == 1
    await door.close()
    assert not alive(pid)


async def test_a_server_that_dies_is_started_again(served: None) -> None:
    pytest.importorskip("litellm", reason="local models are asked through litellm")
    door = ModelDoor(client := Clients(), {NAME: ModelSettings(retries=0)})
    with pytest.raises(ModelError):
        await door.complete(asked("crash"))
    assert str((await door.complete(asked("again"))).text).startswith("again")
    assert len(client._servers) == 1
    await door.close()


@pytest.mark.parametrize(("name", "why"), [("broken", "no model"), ("mute", "something terrible")])
async def test_a_model_that_cannot_be_loaded_is_a_clear_error(
    served: None, name: str, why: str
) -> None:
    server = LocalServer(LocalModel(name, Path("x")))
    with pytest.raises(UserError, match=why):
        await server.start()
    assert not server.running


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_parent_that_is_killed_takes_its_model_with_it(tmp_path: Path) -> None:
    code = textwrap.dedent(
        """
        import asyncio
        from pathlib import Path
        from runners.models import local_server
        local_server._CHILD = "tests.models.served_model"

        async def main() -> None:
            server = local_server.LocalServer(local_server.LocalModel("m", Path("x")))
            await server.start()
            print(server._child.pid, flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
        """
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    assert alive(child)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    end = monotonic() + 20
    while alive(child) and monotonic() < end:
        sleep(0.05)
    assert not alive(child)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("xllamacpp") is None, reason="needs memtui[local]")
async def test_a_real_small_model_answers_in_json() -> None:
    if weights.state(weights.KNOWN["smollm2-135m"]) != "installed":
        pytest.skip("needs `memtui models install smollm2-135m`")
    door = ModelDoor(models={NAME: ModelSettings(threads=1, context=2048)})
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    request = ModelRequest(
        NAME,
        ({"role": "user", "content": "A number as JSON."},),
        response_format={"type": "json_schema", "json_schema": {"name": "n", "schema": schema}},
        max_tokens=30,
        temperature=0.0,
    )
    first, second = await door.complete(request), await door.complete(request)
    await door.close()
    assert first.text == second.text
    assert first.usage.prompt is not None and first.usage.prompt > 5
