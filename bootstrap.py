"""Make or repair `.venv/` from the hashed lock files; standard library only.

Usage: python3 bootstrap.py core|dev [llm] [local] [serve]

An environment counts as made only when its stamp (a hash of the locks, the project file and the
interpreter, written last) matches and a quick import works; anything else is rebuilt from nothing.
It needs neither ensurepip (Debian without python3-venv) nor root: the venv is made without pip, and
the pip of the calling interpreter installs into it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCKS = {"core": "requirements.lock", "dev": "requirements-dev.lock"}
EXTRAS = ("llm", "local", "serve")
PROBE = {
    "core": "import textual, orjson, pydantic, sqlite_utils, numpy, memtui, runners",
    "dev": "import textual, orjson, pydantic, sqlite_utils, numpy, memtui, runners, pytest, mypy",
}


def fail(message: str) -> NoReturn:
    """End with one line that says what to do."""
    sys.stderr.write(f"memtui set-up: {message}\n")
    raise SystemExit(2)


def interpreter() -> str:
    """What an environment cannot be moved away from: this Python, this folder."""
    return hashlib.sha256(f"{sys.version}|{sys.prefix}|{ROOT}".encode()).hexdigest()


def stamp_of(kind: str) -> str:
    """Fingerprint of everything an environment of this kind depends on; the interpreter comes first."""
    digest = hashlib.sha256()
    for name in (LOCKS[kind], "pyproject.toml", "bootstrap.py"):
        digest.update((ROOT / name).read_bytes())
    return f"{interpreter()}\n{digest.hexdigest()}"


def was_whole() -> bool:
    """True when some earlier set-up with this interpreter came to its end."""
    return any(s.read_text().startswith(interpreter()) for s in VENV.glob(".stamp-*"))


def succeeds(*command: str | Path) -> bool:
    """Run quietly; True for exit code 0."""
    return subprocess.run(list(map(str, command)), cwd=ROOT, capture_output=True).returncode == 0


def is_ready(kind: str) -> bool:
    """True when the stamp matches and the packages import."""
    stamp = VENV / f".stamp-{kind}"
    if not stamp.is_file() or stamp.read_text() != stamp_of(kind):
        return False
    return succeeds(PYTHON, "-c", PROBE[kind])


def pip_command() -> list[str]:
    """A pip that can install into the new environment, whichever way this machine offers one."""
    own = [sys.executable, "-m", "pip"]
    if succeeds(*own, "--version"):
        # `--python` runs this pip with the interpreter of the environment (pip >= 22.3).
        if succeeds(*own, "--python", PYTHON, "--version"):
            return [*own, "--python", str(PYTHON)]
        # An older pip can still be run by the environment's interpreter from where it lies.
        import pip

        return [str(PYTHON), str(Path(pip.__file__).parent)]
    if succeeds(PYTHON, "-m", "ensurepip", "--upgrade"):
        return [str(PYTHON), "-m", "pip"]
    return fail("no pip found; install it (Debian: apt-get install python3-pip), then make again")


def build(kind: str) -> None:
    """Make the environment from nothing, or bring a whole one up to the lock.

    Where the pins did not change, bringing it up needs no network, and extras stay.
    """
    if was_whole():
        # From here on it is half made: if this is interrupted, nobody may trust it.
        for stamp in VENV.glob(".stamp-*"):
            stamp.unlink()
    else:
        shutil.rmtree(VENV, ignore_errors=True)
        if not succeeds(sys.executable, "-m", "venv", "--without-pip", VENV):
            fail("this Python makes no virtual environment (Debian: apt-get install python3-venv)")
    locked = ["--require-hashes", "--only-binary", ":all:", "-r", str(ROOT / LOCKS[kind])]
    project = ["--no-deps", "--no-build-isolation", "-e", str(ROOT)]
    for what in (locked, project):
        install(*what)
    # A dev environment holds all of the core one.
    for done in {"core", kind}:
        (VENV / f".stamp-{done}").write_text(stamp_of(done))
    if not is_ready(kind):
        fail("the new environment does not import; remove .venv and run make again")


def install(*what: str) -> None:
    """Install into the environment, past what the user's own pip is told to do."""
    # The settings of the user's own pip that choose another target must not leak into ours.
    leaks = {"PIP_USER", "PIP_TARGET", "PIP_PREFIX", "PYTHONPATH"}
    env = {key: value for key, value in os.environ.items() if key not in leaks}
    env.update(PIP_DISABLE_PIP_VERSION_CHECK="1", PIP_NO_INPUT="1", PIP_REQUIRE_VIRTUALENV="0")
    command = [
        *pip_command(),
        "install",
        "-q",
        "--progress-bar",
        "off",
        "--no-warn-script-location",
    ]
    if subprocess.run([*command, *what], env=env, cwd=ROOT).returncode:
        fail("installing failed (see above); a half-made environment is not used")


def leave_environment() -> None:
    """Go on with the Python that made `.venv` where its own runs this, because it is on the PATH.

    No environment can make itself anew: it has no pip, and its Python would be deleted under way.
    """
    if Path(sys.prefix).resolve() == VENV.resolve():
        maker = "{}/bin/python{}.{}".format(sys.base_prefix, *sys.version_info[:2])
        if not Path(maker).exists():
            fail(f"{maker}, which made .venv, is gone; deactivate .venv, and make again")
        os.execv(maker, [maker, str(Path(__file__).resolve()), *sys.argv[1:]])


def main() -> None:
    """Check, and build only when needed."""
    kind, extras = "".join(sys.argv[1:2]), sys.argv[2:]
    if kind not in LOCKS or not set(extras) <= set(EXTRAS):
        fail("usage: python3 bootstrap.py core|dev [llm] [local] [serve]")
    if sys.version_info < (3, 11):
        version = sys.version.split()[0]
        fail(f"Python 3.11 or newer is needed, this is {version}; try make PYTHON=python3.12")
    leave_environment()
    with (ROOT / ".bootstrap.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_ready(kind):
            sys.stderr.write(f"memtui set-up: building .venv ({kind}), about a minute …\n")
            build(kind)
        for extra in extras:
            install("-e", f"{ROOT}[{extra}]")


if __name__ == "__main__":
    main()
