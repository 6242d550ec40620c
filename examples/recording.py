"""Plays an agent on a copy of this repository and writes down what its tools answered.

A `Checkout` is a throw-away copy of the committed tree. A `Recording` runs calls on it with
one of the tool sets below and keeps calls and answers as ATIF v1.8. Answers are real; only
what would differ from run to run is replaced: temporary paths, durations, build hashes,
thread numbers and the clock.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = "/work/foveal"
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
VERSION = "1"


class ScriptError(Exception):
    """The repository is not what a script expects; the script has to follow it."""


class Checkout:
    """A copy of HEAD in a temporary folder, with a git history of one commit."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="foveal-example-")
        self.path = pathlib.Path(self._folder.name).resolve() / "foveal"
        self.path.mkdir()
        # A target folder of its own: cargo takes what one checkout built for the other's, as
        # both are the same workspace, and believes the times of the files.
        target = os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target"
        self.target = str(pathlib.Path(target).resolve() / "recording")
        archive = subprocess.run(
            ["git", "archive", "HEAD"], cwd=REPOSITORY, check=True, capture_output=True
        )
        subprocess.run(["tar", "-x", "--touch"], cwd=self.path, input=archive.stdout, check=True)
        self.shell("git init -q -b main && git add -A && git commit -q -m 'The checkout'")

    def warm_up(self, commands):
        """Builds what no script touches, so that recorded builds show only what changed."""
        for command in commands:
            code, output = self.shell(command)
            if code != 0:
                raise ScriptError(f"`{command}` fails on the clean tree:\n{output}")

    def shell(self, command):
        """Runs a shell command; its exit code, and its output made stable."""
        environment = dict(os.environ)
        environment.update(
            CARGO_TARGET_DIR=self.target,
            CARGO_TERM_COLOR="never",
            CARGO_TERM_PROGRESS_WHEN="never",
            GIT_AUTHOR_DATE="2026-01-05T08:00:00Z",
            GIT_AUTHOR_EMAIL="example@localhost",
            GIT_AUTHOR_NAME="example",
            GIT_COMMITTER_DATE="2026-01-05T08:00:00Z",
            GIT_COMMITTER_EMAIL="example@localhost",
            GIT_COMMITTER_NAME="example",
            GIT_CONFIG_GLOBAL=os.devnull,
            GIT_PAGER="cat",
            LC_ALL="C.UTF-8",
            RUST_BACKTRACE="0",
            RUST_TEST_THREADS="1",
        )
        run = subprocess.run(
            ["bash", "-c", command],
            cwd=self.path,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=1800,
        )
        return run.returncode, self.stable(run.stdout.decode(errors="replace"))

    def stable(self, text):
        """`text` without what differs from run to run."""
        text = text.replace(str(self.path), ROOT).replace(self.target, "target")
        text = re.sub(r"(?m)^ *(Blocking|Downloading|Downloaded|Updating|Locking)\b.*\n", "", text)
        text = re.sub(r"\b(in|finished in) (\d+m )?\d+\.\d+s\b", r"\1 0.50s", text)
        text = re.sub(r"-[0-9a-f]{16}\b", "-0123456789abcdef", text)
        text = re.sub(r"\.long-type-\d+", ".long-type-1", text)
        text = re.sub(r"(thread '[^']*') \(\d+\) panicked", r"\1 (1) panicked", text)
        # Crates that do not wait for each other start in any order.
        started = r"(?m)(?:^ +(?:Compiling|Checking) .*\n){2,}"
        return re.sub(started, lambda lines: "".join(sorted(lines[0].splitlines(True))), text)

    def file(self, path):
        """The real place of a path that the agent names."""
        return self.path / path.removeprefix(ROOT).lstrip("/")

    def replace(self, path, old, new):
        """Replaces `old`, which must be there once. Whether it was."""
        file = self.file(path)
        text = file.read_text()
        if text.count(old) != 1:
            return False
        file.write_text(text.replace(old, new))
        return True

    def search(self, pattern, path, suffix):
        """Matching lines under `path` as (path, number, line), in path order."""
        base = self.file(path)
        files = [base] if base.is_file() else sorted(base.rglob(f"*{suffix}"))
        for file in files:
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if re.search(pattern, line):
                    yield file.relative_to(self.path), number, line


def claude_tools(checkout):
    """Tools with the names, arguments and line gutters of Claude Code."""

    def read(file_path, offset=1, limit=2000):
        file = checkout.file(file_path)
        if not file.is_file():
            return "<tool_use_error>File does not exist.</tool_use_error>", True
        lines = file.read_text().split("\n")[offset - 1 : offset - 1 + limit]
        return "\n".join(f"{n:6}→{line}" for n, line in enumerate(lines, offset)), False

    def edit(file_path, old_string, new_string):
        if checkout.replace(file_path, old_string, new_string):
            return f"The file {file_path} has been updated successfully.", False
        error = f"String to replace not found in file.\nString: {old_string}"
        return f"<tool_use_error>{error}</tool_use_error>", True

    def write(file_path, content):
        file = checkout.file(file_path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return f"File created successfully at: {file_path}", False

    def grep(pattern, path=ROOT, output_mode="files_with_matches"):
        hits = list(checkout.search(pattern, path, ".rs"))
        if output_mode == "content":
            text = "\n".join(f"{path}:{number}:{line}" for path, number, line in hits)
            return text or "No matches found", False
        paths = sorted({str(path) for path, _, _ in hits})
        return "\n".join([f"Found {len(paths)} files", *paths]), False

    def glob(pattern):
        paths = sorted(checkout.path.glob(pattern))
        return "\n".join(checkout.stable(str(path)) for path in paths), False

    def bash(command, description=None):
        code, output = checkout.shell(command)
        output = output.rstrip("\n")
        return (output, False) if code == 0 else (f"Exit code {code}\n{output}", True)

    return {"Read": read, "Edit": edit, "Write": write, "Grep": grep, "Glob": glob, "Bash": bash}


def shell_tools(checkout):
    """One tool, a shell, answering in the tags of mini-swe-agent; long output is cut."""

    def bash(command):
        code, output = checkout.shell(command)
        head = f"<returncode>{code}</returncode>\n"
        if len(output) < 10000:
            return f"{head}<output>\n{output}</output>", code != 0
        middle = len(output) - 10000
        return (
            f"{head}<warning>\nThe output of your last command was too long.\n</warning>"
            f"<output_head>\n{output[:5000]}\n</output_head>\n"
            f"<elided_chars>\n{middle} characters elided\n</elided_chars>\n"
            f"<output_tail>\n{output[-5000:]}\n</output_tail>"
        ), code != 0

    return {"bash": bash}


def plain_tools(checkout):
    """Lower-case tools without gutters, as pi and OpenCode-like agents have them."""

    def read(path, offset=1, limit=2000):
        file = checkout.file(path)
        if not file.is_file():
            return f"ENOENT: no such file or directory, access '{ROOT}/{path}'", True
        lines = file.read_text().split("\n")
        text = "\n".join(lines[offset - 1 : offset - 1 + limit])
        more = len(lines) - (offset - 1 + limit)
        if more > 0:
            text += f"\n\n[{more} more lines in file. Use offset={offset + limit} to continue]"
        return text, False

    def edit(path, oldText, newText):
        if checkout.replace(path, oldText, newText):
            return f"Successfully replaced text in {path}.", False
        error = "The old text must match exactly including all whitespace and newlines."
        return f"Could not find the exact text in {path}. {error}", True

    def write(path, content):
        file = checkout.file(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        return f"Successfully wrote {len(content.encode())} bytes to {path}", False

    def bash(command, timeout=None):
        code, output = checkout.shell(command)
        if code == 0:
            return output.rstrip("\n") or "(no output)", False
        return f"{output}\n\nCommand exited with code {code}", True

    return {"read": read, "edit": edit, "write": write, "bash": bash}


class Recording:
    """A session being recorded, with a clock of its own."""

    def __init__(self, name, tools, started, note):
        self.name = name
        self._tools = tools
        self._time = datetime.datetime.fromisoformat(started)
        self._note = note
        self._steps = []
        self._calls = 0

    def system(self, text):
        """The agent's standing instructions."""
        self._step("system", text, timestamp=None)

    def user(self, text, after_s=35):
        """A message of the user, `after_s` seconds after the agent fell silent."""
        self._pass(after_s)
        self._step("user", text)

    def compact(self, summary):
        """The client compacts: a boundary, and a summary in the history's place."""
        self._pass(45)
        self._step("system", "[context compacted here]", extra={"meta": "compact_boundary"})
        self._step("user", summary, extra={"meta": "compact_summary"})

    def agent(self, text, *calls, fails=False, says=""):
        """A response of the agent with `(tool, arguments)` calls, run at once.

        `fails` tells whether the last call is meant to fail and `says` what its answer must
        hold: a script that no longer fits the repository stops instead of recording nonsense.
        """
        self._pass(3 + (len(text) + sum(len(json.dumps(c)) for c in calls)) // 60)
        step = self._step("agent", text)
        if not calls:
            return
        step["tool_calls"], results = [], []
        for tool, arguments in calls:
            self._calls += 1
            call = f"call_{self._calls:03}"
            content, is_error = self._tools[tool](**arguments)
            self._pass(9 if "cargo" in str(arguments.get("command")) else 1)
            extra = {"timestamp": self._now()} | ({"is_error": True} if is_error else {})
            step["tool_calls"].append(
                {"tool_call_id": call, "function_name": tool, "arguments": arguments}
            )
            results.append({"source_call_id": call, "content": content, "extra": extra})
        step["observation"] = {"results": results}
        if is_error != fails or says not in content:
            raise ScriptError(
                f"step {len(self._steps)} of {self.name} went otherwise than meant; adapt the"
                f" script.\n{calls[-1]}\n{content}"
            )

    def save(self, folder):
        """Writes the session as ATIF and says how large it is."""
        session = {
            "schema_version": "ATIF-v1.8",
            "session_id": f"foveal-example-{self.name}",
            "agent": {
                "name": "foveal example recorder",
                "version": VERSION,
                "model_name": "scripted",
            },
            "steps": self._steps,
            "extra": {"note": self._note, "license": "MIT OR Apache-2.0"},
        }
        file = folder / f"{self.name}.json"
        file.write_text(json.dumps(session, ensure_ascii=False, indent=1) + "\n")
        print(f"{file.name}: {len(self._steps)} steps, {file.stat().st_size // 1000} kB")

    def _step(self, source, message, timestamp="", extra=None):
        step = {"step_id": len(self._steps) + 1, "source": source, "message": message}
        if timestamp is not None:
            step["timestamp"] = self._now()
        if extra:
            step["extra"] = extra
        self._steps.append(step)
        return step

    def _pass(self, seconds):
        self._time += datetime.timedelta(seconds=seconds)

    def _now(self):
        return self._time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
