"""The child process that holds a local model: llama.cpp's server on a free port of 127.0.0.1.

Run as `python -m runners.models.local_server_process`, with the model's path and settings as JSON on the
first line of stdin. Prints one line of JSON (`{"url": …}` or `{"error": …}`), then serves until stdin
closes: a parent that is killed takes its model with it.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any


def serve(settings: dict[str, Any]) -> str:
    """Start the server and return its URL; ImportError or RuntimeError where that is not possible."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = settings["path"]
    params.model_alias = {settings["name"]}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.offline = True
    params.ui = False
    params.n_ctx = settings["context"]
    # One slot: more bring no speed on a CPU, and make greedy replies depend on who asks beside.
    params.n_parallel = 1
    params.n_batch = 2048
    params.n_ubatch = 512
    params.cpuparams.n_threads = settings["threads"]
    params.cpuparams_batch.n_threads = settings["threads"]
    params.n_threads_http = 4
    params.use_jinja = True
    # Long instructions of a package are worth keeping while agent and judge ask in between.
    params.cache_ram_mib = 3072
    params.verbosity = 1
    # Kept by the module, so that it lives as long as the process.
    globals()["_server"] = server = xllamacpp.Server(params)
    return str(server.listening_address)


def main() -> int:
    """Read the settings, serve, wait for the end of stdin."""
    settings = json.loads(sys.stdin.readline())
    try:
        said = {"url": serve(settings)}
    except Exception as error:  # the parent says it to the user
        said = {"error": f"{type(error).__name__}: {error}"}
    sys.stdout.write(json.dumps(said) + "\n")
    sys.stdout.flush()
    if "error" in said:
        return 1
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # The server's threads would keep the interpreter from ending in time.
    importlib.import_module("os")._exit(code)
