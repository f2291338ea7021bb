"""Which file system a path lies on: SQLite's write-ahead log does not work over a network."""

from __future__ import annotations

import re
from pathlib import Path

NETWORK = frozenset(
    {
        *("nfs", "nfs3", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "virtiofs"),
        *("afs", "afpfs", "ncpfs", "sshfs", "ceph", "lustre", "glusterfs", "beegfs", "gpfs"),
        *("orangefs", "ocfs2", "webdav", "davfs", "fuse.sshfs", "fuse.glusterfs", "fuse.ceph"),
        *("fuse.rclone", "fuse.s3fs", "fuse.gcsfuse", "fuse.davfs", "fuse.smbnetfs"),
    }
)
_ESCAPE = re.compile(r"\\([0-7]{3})")


def filesystem_type(path: Path, mounts: Path = Path("/proc/mounts")) -> str | None:
    """Type of the file system that holds `path` (`ext4`, `nfs4`, …); None where it cannot be told."""
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    target = path.resolve()
    best: tuple[int, str] | None = None
    for line in lines:
        parts = line.split(" ")
        if len(parts) < 3:
            continue
        point = Path(_ESCAPE.sub(lambda m: chr(int(m.group(1), 8)), parts[1]))
        if target.is_relative_to(point) and (best is None or len(point.parts) >= best[0]):
            best = (len(point.parts), parts[2])
    return None if best is None else best[1]


def is_network(kind: str | None) -> bool:
    """True for file systems on which locks and shared memory are not to be trusted."""
    return kind is not None and kind.lower() in NETWORK
