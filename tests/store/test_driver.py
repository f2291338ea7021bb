"""Other processes stream through one driver: nothing is lost, errors reach whoever caused them."""

from __future__ import annotations

import asyncio
import os
import pickle
import stat
import struct
import sys
from pathlib import Path

import pytest

from memtui.store.check import check_file
from memtui.store.driver import DriverServer, RemoteSink
from memtui.store.errors import StoreError
from memtui.store.events import RunStateEvent
from memtui.store.reader import open_run
from memtui.store.secrets import SecretFilter
from memtui.store.tail import Tail
from memtui.store.writer import RunWriter
from tests.store import store_events as make

ROOT = Path(__file__).resolve().parents[2]


def permissions(path: str) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def exists(path: str) -> bool:
    return Path(path).exists()


async def test_four_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path) as writer:
        for event in make.opening(planned=100):
            await writer.emit(event)
        await writer.commit()
        async with DriverServer(writer) as server:
            workers = [
                await asyncio.create_subprocess_exec(
                    *(sys.executable, "-m", "tests.store.driver_worker"),
                    *(server.address, str(n), "25", "20"),
                    cwd=ROOT,
                    stderr=asyncio.subprocess.PIPE,
                )
                for n in range(4)
            ]
            done = asyncio.gather(*[w.communicate() for w in workers])
            tail, reader = Tail(path), open_run(path)
            told: set[int] = set()
            while not done.done():
                found = tail.poll()
                if found is not None:
                    told.update(found.stepped)
                    reader.episode_facts("rules")
                await asyncio.sleep(0.02)
            errors = [e for _, e in await done]
            assert [w.returncode for w in workers] == [0, 0, 0, 0], errors
            await writer.commit()
            found = tail.poll()
            told.update(found.stepped if found is not None else ())
            tail.close()
            reader.close()
        await writer.emit(RunStateEvent("finished", make.AT))
    assert len(told) == 100
    with open_run(path) as reader:
        assert reader.query("SELECT count(*) FROM step") == [(2000,)]
        for episode in reader.episode_ids():
            assert [s.seq for s in reader.steps(episode)] == list(range(1, 21))
        texts = {r[0] for r in reader.query("SELECT text FROM step")}
        assert len(texts) == 2000
    assert check_file(path) == []


async def test_a_commit_through_the_driver_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with (
        RunWriter(path) as writer,
        DriverServer(writer) as server,
        RemoteSink(server.address) as sink,
    ):
        for event in [*make.opening(), *make.whole_episode("e1")]:
            await sink.emit(event)
        await sink.commit()
        with open_run(path) as reader:
            assert reader.progress().done == 1


async def test_what_cannot_be_stored_fails_at_its_emitter(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path) as writer, DriverServer(writer) as server:
        async with RemoteSink(server.address) as sink:
            for event in [*make.opening(), make.started("e1")]:
                await sink.emit(event)
            with pytest.raises(StoreError, match="cannot be stored"):
                await sink.emit(make.step("e1", 1, data={"x": object()}))
            await sink.emit(make.step("e1", 1, query="lone \udcff"))
            await sink.commit()
        with open_run(path) as reader:
            assert reader.steps(1)[0].query == r"lone \udcff"
            assert [e.kind for e in reader.events()] == ["surrogates_escaped"]


async def test_what_the_driver_refuses_is_raised_in_the_sender(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path) as writer, DriverServer(writer) as server:
        good = RemoteSink(server.address)
        bad = RemoteSink(server.address)
        await good.start()
        await bad.start()
        for event in [*make.opening(), make.started("e1")]:
            await good.emit(event)
        await good.commit()
        await bad.emit(make.step("nobody", 1))
        with pytest.raises(StoreError, match="never started"):
            await bad.commit()
        with pytest.raises(StoreError, match="never started"):
            await bad.emit(make.step("e1", 1))
        await good.emit(make.step("e1", 1))
        await good.commit()
        await good.close()
        with pytest.raises(StoreError):
            await bad.close()
        with open_run(path) as reader:
            assert len(reader.steps(1)) == 1


async def test_a_driver_that_goes_away_is_noticed(tmp_path: Path) -> None:
    async with RunWriter(tmp_path / "a.memtui") as writer:
        server = DriverServer(writer)
        await server.start()
        sink = RemoteSink(server.address)
        await sink.start()
        for event in make.opening():
            await sink.emit(event)
        await sink.commit()
        await server.close()
        with pytest.raises(StoreError, match="driver went away"):
            for n in range(100):
                await sink.emit(make.started(f"e{n}", make.episode_id(repeat=n)))
                await sink.commit()
        with pytest.raises(StoreError, match="no driver listens"):
            await RemoteSink(server.address).start()


async def test_secrets_of_a_worker_do_not_leave_it(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    secret = "only-the-worker-knows-this"
    async with (
        RunWriter(path, secrets=SecretFilter({})) as writer,
        DriverServer(writer) as server,
        RemoteSink(server.address, secrets=SecretFilter({"X_API_KEY": secret})) as sink,
    ):
        for event in [*make.opening(), make.started("e1")]:
            await sink.emit(event)
        await sink.emit(make.step("e1", 1, text=f"error: {secret}"))
    assert secret.encode() not in make.file_bytes(path)


async def test_the_socket_is_private_and_takes_nothing_but_events(tmp_path: Path) -> None:
    path = tmp_path / "a.memtui"
    async with RunWriter(path) as writer, DriverServer(writer) as server:
        for event in make.opening():
            await writer.emit(event)
        socket = server.address
        assert permissions(socket) == 0o600
        assert permissions(str(Path(socket).parent)) == 0o700
        mark = tmp_path / "mark"

        class Attack:
            def __reduce__(self) -> tuple[object, ...]:
                return (os.system, (f"touch {mark}",))

        data = pickle.dumps(("events", [Attack()]))
        for frame in (struct.pack("!I", len(data)) + data, b"\xff\xff\xff\xff", b"\0\0\0\3abc"):
            reader, sender = await asyncio.open_unix_connection(server.address)
            sender.write(frame)
            answer = await reader.read()
            assert b"could not read" in answer
            sender.close()
        assert not exists(str(mark))
        await writer.emit(make.started("e1"))  # the run goes on
        await writer.commit()
    assert not exists(socket)
