#!/usr/bin/env python3
"""Records the sessions in examples/sessions: `python3 examples/record.py`.

Three scripted agents work on copies of this repository, each with the tools of another kind
of agent. What they say is written here; what their tools answer is what really came back.
Needs git, cargo and nothing else; takes a few minutes and changes only examples/sessions.
"""

import pathlib
import sys

from recording import ROOT, Checkout, Recording, ScriptError
from recording import claude_tools, plain_tools, shell_tools
from scripts import gutters, plain, shell

WARM_UP = [
    "cargo build --locked",
    "cargo test --locked -p foveal-context --no-run",
    "cargo clippy --locked -p foveal-context --all-targets",
]

SESSIONS = [
    ("handle-prefix", claude_tools, gutters.play, "2026-01-05T09:00:00+00:00"),
    ("short-token-counts", shell_tools, shell.play, "2026-01-06T13:20:00+00:00"),
    ("shape-words", plain_tools, plain.play, "2026-01-07T16:05:00+00:00"),
]

NOTE = f"A scripted agent on a copy of foveal under {ROOT}; tool answers are real."


def main():
    folder = pathlib.Path(__file__).resolve().parent / "sessions"
    folder.mkdir(exist_ok=True)
    for name, tools, play, started in SESSIONS:
        checkout = Checkout()
        checkout.warm_up(WARM_UP)
        recording = Recording(name, tools(checkout), started, NOTE)
        try:
            play(recording)
        except ScriptError as error:
            sys.exit(f"error: {error}")
        recording.save(folder)


if __name__ == "__main__":
    main()
