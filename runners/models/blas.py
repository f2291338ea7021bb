"""One thread per matrix product: several sessions side by side instead.

OpenBLAS, which numpy's wheels carry, splits each product over all cores and lets its threads spin until
the last one is done. On a machine with anything else to do (the viewer of the same run, say) that
makes an embedder twice as slow as one thread would be, and costs more CPU. Work that has many
independent inputs loses nothing by giving each of them one thread.
"""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path

import numpy as np

_SETTERS = ("scipy_openblas_set_num_threads64_", "scipy_openblas_set_num_threads")
"""As the symbol is named in numpy's wheels (64-bit and 32-bit indices)."""


@cache
def one_thread_per_product() -> bool:
    """Tell numpy's own OpenBLAS, for this process; False where there is none to be told.

    A numpy built on another BLAS is left as it is: slower when the machine is busy, not wrong.
    """
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for library in sorted(folder.glob("*openblas*")):
            try:
                loaded = ctypes.CDLL(str(library))
            except OSError:
                continue
            for name in _SETTERS:
                setter = getattr(loaded, name, None)
                if setter is not None:
                    setter(1)
                    return True
    return False
