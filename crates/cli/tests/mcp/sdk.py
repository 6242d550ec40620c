"""What clients through the official Python SDK begin with: the SDK, their arguments, and how they say
what they found.

Each is called so, and ends with 1 and says why if the server does not do what it should:

CLIENT.py MODE stdio FOLDER PROGRAM [ARGUMENT...]
CLIENT.py MODE http FOLDER URL

MODE is how the SDK begins: `legacy` with a handshake, `auto` with the newest version that the
server speaks.
"""

import pathlib
import sys

try:
    from mcp import Client, StdioServerParameters, types
except ImportError as missing:
    print(f"no usable SDK: {missing}")
    sys.exit(77)

MODE, TRANSPORT, FOLDER, TARGET = *sys.argv[1:4], sys.argv[4:]
FOLDER = pathlib.Path(FOLDER)


def server(folder):
    """Whom to connect to; a program works in this folder."""
    if TRANSPORT == "stdio":
        return StdioServerParameters(command=TARGET[0], args=TARGET[1:], cwd=str(folder))
    return TARGET[0]


def fail(what, *seen):
    print(f"FAILED: {what}", *seen, sep="\n")
    sys.exit(1)


def check(what, holds, *seen):
    if not holds:
        fail(what, *seen)
    print(f"ok: {what}")
