"""Making, checking and removing the environment of one package, from hashed pins.

An environment is a virtual environment under the data folder, never the user's own. It counts as
made only when its stamp, written last, names the lock file and the Python it was made with. It is
filled in batches, and the batches that are done are remembered: an installation that was interrupted
goes on where it stopped.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from memtui.errors import UserError
from runners.memory.packages.recipes import Recipe
from runners.models.folders import data_folder

BATCH = 12
"""Distributions per pip run: few enough for progress, enough to spare the start of pip."""
_FORMAT = "1"
_NOT_OURS = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
Report = Callable[[str], None]


def folder_of(recipe: Recipe) -> Path:
    """Where the environment is, or would be, made."""
    return data_folder() / "systems" / recipe.slug


def python_of(recipe: Recipe) -> Path:
    """The environment's interpreter."""
    return folder_of(recipe) / "bin" / "python"


def state(recipe: Recipe) -> str:
    """`ready`, `absent`, `partial` (begun, not finished) or `outdated` (other pins or Python)."""
    folder = folder_of(recipe)
    if not folder.is_dir():
        return "absent"
    try:
        stamp = (folder / "stamp.json").read_text("utf-8")
        made = json.loads(stamp)["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError):
        return "partial"
    return "ready" if made == fingerprint(recipe) and python_of(recipe).exists() else "outdated"


def missing(recipe: Recipe) -> str | None:
    """None when the environment can be used, else one line that says how to get it."""
    found = state(recipe)
    if found == "ready":
        return None
    return f"the environment of {recipe.package} is {found}: run `memtui systems install {recipe.name}`"


def fingerprint(recipe: Recipe) -> str:
    """What an environment depends on: its pins, and the Python that runs it."""
    major, minor = sys.version_info[:2]
    text = f"{_FORMAT}|{major}.{minor}|{sys.platform}|".encode() + recipe.lock.read_bytes()
    return hashlib.sha256(text).hexdigest()


def install(recipe: Recipe, report: Report = lambda line: None) -> Path:
    """Make the environment, or finish one that was begun; returns its folder.

    `report` gets a line per batch. Two at a time wait for each other. UserError (exit code 1) when something cannot be had; what was
    installed until then stays, and the next call goes on from there.
    """
    folder = folder_of(recipe)
    with _only_one(recipe, report):
        if state(recipe) == "ready":
            report(f"{recipe.name}: already there")
            return folder
        done = _begin(recipe, folder, report)
        batches = list(_batches(recipe.lock.read_text("utf-8")))
        total = sum(map(len, batches))
        pip = _pip(python_of(recipe))
        installed = 0
        for batch in batches:
            installed += len(batch)
            key = hashlib.sha256("".join(batch).encode()).hexdigest()[:16]
            if key in done:
                continue
            report(f"{recipe.name}: {installed} of {total} distributions")
            _install_batch(recipe, pip, batch)
            done.append(key)
            _progress(folder).write_text(
                json.dumps({"fingerprint": fingerprint(recipe), "done": done}), "utf-8"
            )
        version = _probe(recipe)
        stamp = {"fingerprint": fingerprint(recipe), "package": recipe.package, "version": version}
        part = folder / "stamp.json.part"
        part.write_text(json.dumps(stamp, indent=2), "utf-8")
        part.replace(folder / "stamp.json")
        _progress(folder).unlink(missing_ok=True)
        report(f"{recipe.name}: {recipe.package} {version} is ready in {folder}")
    return folder


def remove(recipe: Recipe) -> bool:
    """Remove the environment; False where there is none."""
    folder = folder_of(recipe)
    if not folder.exists():
        return False
    with _only_one(recipe):
        # Without its stamp it is no environment any more, whatever interrupts the rest.
        (folder / "stamp.json").unlink(missing_ok=True)
        shutil.rmtree(folder)
    return True


@contextmanager
def _only_one(recipe: Recipe, waits: Report | None = None) -> Iterator[None]:
    """Hold the environment's lock; who does not say where to report a wait is refused instead."""
    folder = folder_of(recipe)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f".{recipe.slug}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if waits is None:
                raise UserError(f"{recipe.name} is being installed elsewhere") from error
            waits(f"{recipe.name}: waiting, it is being installed or removed elsewhere")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _progress(folder: Path) -> Path:
    return folder / "progress.json"


def _begin(recipe: Recipe, folder: Path, report: Report) -> list[str]:
    """The batches that are done already, in an environment that exists."""
    try:
        kept = json.loads(_progress(folder).read_text("utf-8"))
        if kept["fingerprint"] == fingerprint(recipe) and python_of(recipe).exists():
            report(f"{recipe.name}: going on after {len(kept['done'])} batches")
            return [str(key) for key in kept["done"]]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    report(f"{recipe.name}: making an environment of about {recipe.megabytes} MB")
    # Without pip, so that a Python that lacks ensurepip (Debian without python3-venv) will do.
    made = subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", str(folder)],
        capture_output=True,
        text=True,
        env=_clean_environ(),
        check=False,
    )
    if made.returncode:
        _make_with_virtualenv(folder, made.stderr)
    return []


def _make_with_virtualenv(folder: Path, why: str) -> None:
    if importlib.util.find_spec("virtualenv") is not None:
        command = [sys.executable, "-m", "virtualenv", "--no-pip", "--no-setuptools", str(folder)]
        if not subprocess.run(command, capture_output=True, check=False).returncode:
            return
    raise UserError(
        f"this Python cannot make a virtual environment ({_last_line(why)}); install its venv"
        " module (on Debian: apt-get install python3-venv) or the package virtualenv",
        exit_code=1,
    )


def _batches(lock: str) -> Iterator[list[str]]:
    """The lock's requirements, each with its hashes, `BATCH` at a time."""
    joined = lock.replace("\\\n", " ")
    lines = [f"{line.strip()}\n" for line in joined.splitlines() if re.match(r"[A-Za-z0-9]", line)]
    for start in range(0, len(lines), BATCH):
        yield lines[start : start + BATCH]


def _pip(python: Path) -> list[str]:
    """A pip that installs into the environment, whichever way this machine offers one.

    `--python` runs it with the environment's interpreter (pip >= 22.3).
    """
    if _own_pip() >= (22, 3):
        return [sys.executable, "-m", "pip", "--python", str(python)]
    for name in ("pip3", "pip"):
        if found := shutil.which(name):
            command = [found, "--python", str(python)]
            if _runs([*command, "--version"]):
                return command
    if _runs([str(python), "-m", "ensurepip", "--upgrade"]):
        return [str(python), "-m", "pip"]
    raise UserError("no pip of version 22.3 or newer was found; install pip first", exit_code=1)


def _own_pip() -> tuple[int, ...]:
    """Version of the pip beside memtui; empty where there is none."""
    try:
        return tuple(map(int, re.findall(r"\d+", importlib.metadata.version("pip"))[:2]))
    except importlib.metadata.PackageNotFoundError:
        return ()


def _runs(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _install_batch(recipe: Recipe, pip: list[str], batch: list[str]) -> None:
    with TemporaryDirectory(prefix="memtui-pins-") as folder:
        pins = Path(folder) / "requirements.txt"
        pins.write_text("".join(batch), "utf-8")
        done = subprocess.run(
            [
                *pip,
                *("install", "--quiet", "--progress-bar", "off", "--no-warn-script-location"),
                # The lock is complete, and half of a distribution may be left of an interruption.
                *("--no-deps", "--ignore-installed"),
                *("--require-hashes", "--only-binary", ":all:", "-r", str(pins)),
            ],
            capture_output=True,
            text=True,
            env=_clean_environ(),
            check=False,
        )
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise UserError(
            f"{recipe.name} could not be installed: {_last_line(' '.join(errors[-1:]) or done.stderr)};"
            " run the same command again to go on from here",
            exit_code=1,
        )


def _clean_environ() -> dict[str, str]:
    """This process's variables without those that would send an installation elsewhere."""
    environ = {key: value for key, value in os.environ.items() if key not in _NOT_OURS}
    environ.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_REQUIRE_VIRTUALENV="0")
    return environ


def _probe(recipe: Recipe) -> str:
    """The version that really came, once the package imports."""
    with TemporaryDirectory(prefix="memtui-probe-") as home:
        code = (
            f"import importlib, importlib.metadata as m; importlib.import_module({recipe.module!r});"
            f" print(m.version({recipe.package!r}))"
        )
        done = subprocess.run(
            [str(python_of(recipe)), "-E", "-s", "-c", code],
            capture_output=True,
            text=True,
            env={"PATH": os.defpath, "HOME": home, "MEM0_DIR": home, **recipe.environ},
            cwd=home,
            check=False,
        )
    version = _last_line(done.stdout)
    if done.returncode or version != recipe.version:
        raise UserError(
            f"{recipe.name} was installed and does not import: "
            f"{_last_line(done.stderr) or f'version {version}'}; remove it and install it again",
            exit_code=1,
        )
    return version


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or [""])[-1][:300]
