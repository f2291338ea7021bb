"""A local model served by a child process on loopback: started when first asked, gone with its parent.

Models on this machine are called `local/<name>`, with the name that `memtui models list` gives.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from memtui.errors import UserError, how_to_add
from runners.models import weights
from runners.models.prices import LOCAL_PREFIX

THREADS = 2
CONTEXT = 16_384
START_S = 120.0
STOP_S = 5.0
_CHILD = "runners.models.local_server_process"
_LOG_KEPT = 2_000


@dataclass(frozen=True, slots=True)
class LocalModel:
    """What is served: a GGUF file by the name of its weights."""

    name: str
    path: Path
    threads: int = THREADS
    context: int = CONTEXT


def problem(model: str) -> str | None:
    """None where a `local/…` model can be served here, else what to do about it."""
    name = model.removeprefix(LOCAL_PREFIX)
    known = [n for n, w in weights.KNOWN.items() if w.files[0].name.endswith(".gguf")]
    if name not in known:
        return f"there is no local model {name!r}; known: {', '.join(known)}"
    if find_spec("xllamacpp") is None:
        return f"local models are served by xllamacpp: {how_to_add('local')}"
    found = weights.state(weights.KNOWN[name])
    if found != "installed":
        return f"the weights of {name} are {found}: run `memtui models install {name}`"
    return None


def local_model(model: str, threads: int | None, context: int | None) -> LocalModel:
    """The model with its settings; UserError, saying what to do, where it cannot be served."""
    if (line := problem(model)) is not None:
        raise UserError(f"model {model!r}: {line}")
    held = weights.KNOWN[model.removeprefix(LOCAL_PREFIX)]
    path = weights.folder_of(held) / held.files[0].name
    return LocalModel(held.name, path, threads or THREADS, context or CONTEXT)


class LocalServer:
    """The server of one model. `url` is its OpenAI-compatible base, known once it is started."""

    def __init__(self, model: LocalModel) -> None:
        self.model = model
        self.url = ""
        self._child: asyncio.subprocess.Process | None = None
        self._log = bytearray()
        self._reading: asyncio.Task[None] | None = None

    @property
    def running(self) -> bool:
        """Is the child alive?"""
        return self._child is not None and self._child.returncode is None

    async def ended(self, within: float) -> bool:
        """Has the child ended, or does it within some seconds?"""
        if self._child is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(within):
                    await self._child.wait()
        return not self.running

    async def start(self) -> None:
        """Start the child and wait until the model is loaded; UserError where it cannot be."""
        settings = {
            "path": str(self.model.path),
            "name": self.model.name,
            "threads": self.model.threads,
            "context": self.model.context,
        }
        # -I: neither the folder the user stands in nor their environment decides what is imported.
        root = str(Path(__file__).parents[2])
        code = f"import sys, runpy; sys.path.insert(0, {root!r}); runpy.run_module({_CHILD!r}, run_name='__main__')"
        self._child = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-I", "-c", code),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # A Ctrl-C meant for the run must not take the model from the episodes that are ending.
            start_new_session=True,
            env={**os.environ, "OMP_NUM_THREADS": str(self.model.threads)},
        )
        assert self._child.stdin is not None and self._child.stdout is not None
        self._reading = asyncio.create_task(self._read_log())
        self._child.stdin.write(json.dumps(settings).encode() + b"\n")
        try:
            async with asyncio.timeout(START_S):
                said = await self._said(self._child.stdout)
        except TimeoutError:
            said = {"error": f"not loaded within {START_S:g} s"}
        if "url" not in said:
            await self.close()
            raise UserError(
                f"the local model {self.model.name} cannot be served: {said.get('error')}"
            )
        self.url = f"{said['url'].rstrip('/')}/v1"

    async def _said(self, out: asyncio.StreamReader) -> dict[str, str]:
        # The library prints lines of its own before ours.
        while line := await out.readline():
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if isinstance(said, dict):
                return said
        return {"error": self.log[-300:] or "the process ended without a word"}

    async def _read_log(self) -> None:
        assert self._child is not None and self._child.stderr is not None
        while chunk := await self._child.stderr.read(4096):
            self._log += chunk
            del self._log[:-_LOG_KEPT]

    @property
    def log(self) -> str:
        """The end of what the server wrote to stderr."""
        return self._log.decode("utf-8", "replace").strip()

    async def close(self) -> None:
        """End the child: by closing its stdin, then by force."""
        child, self._child = self._child, None
        if child is None:
            return
        if child.stdin is not None:
            child.stdin.close()
        try:
            async with asyncio.timeout(STOP_S):
                await child.wait()
        except TimeoutError:
            child.kill()
            await child.wait()
        if self._reading is not None:
            await self._reading
            self._reading = None
