#!/usr/bin/env python3
"""Records what a build of foveal prints, sends and writes, so that two builds can be compared.

    python3 goldens/record.py target/release/foveal OUT [--sessions ../shared/sessions/atif] [--every 6]
    diff -r OUT_BEFORE OUT_AFTER

Nothing but Python's own library is needed. The program runs with an empty home folder; its working
tree is the folder `crates` of this repository at the commit given by `--tree`, so that
two builds see the same files. Long answers are kept as hashes, one line each, so that a difference
names the call that made it.
"""

import argparse
import hashlib
import http.server
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROFILES = ["lossless", "balanced", "curated", "max"]
AGENTS = ["claude-code", "codex", "opencode", "gemini", "qwen", "cline", "pi"]
CALLS = 8_000


def digest(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()[:16]


class Program:
    """One build, run in a home folder of its own."""

    def __init__(self, path, home):
        # Usage lines and settings name the program by its file.
        self.path, self.home = shutil.copy(path, os.path.join(os.path.dirname(home), "foveal")), home
        self.environment = {"HOME": home, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1"}

    def run(self, *arguments, cwd=None, text=None):
        done = subprocess.run(
            [self.path, *arguments], cwd=cwd or self.home, env=self.environment, input=text,
            capture_output=True, text=True, timeout=3600)
        return done.returncode, done.stdout, done.stderr

    def start(self, *arguments, cwd=None, **pipes):
        return subprocess.Popen([self.path, *arguments], cwd=cwd or self.home, env=self.environment, **pipes)


def record_help(program, out):
    _, text, _ = program.run("--help")
    commands = re.findall(r"^  ([a-z][a-z-]*) ", text.split("\nOptions:")[0], re.MULTILINE)
    for name in commands:
        _, text, _ = program.run(name, "--help")
        (out / f"{name}.txt").write_text(text)
    # An unknown option and a missing argument end with the same code and message.
    for name in commands:
        code, text, error = program.run(name, "--no-such-option")
        (out / f"{name}.txt").open("a").write(f"\nexit {code}\n{text}{error}")


def rounded(value):
    """Figures to a tenth of a percent; anything finer is noise of no interest."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, list):
        return [rounded(it) for it in value]
    if isinstance(value, dict):
        return {key: rounded(it) for key, it in value.items()}
    return value


def record_replays(program, out, folders):
    for folder in folders:
        name = folder.name
        code, text, error = program.run("replay", str(folder), "--profile", "all", "--per-session", "--json")
        if code != 0:
            sys.exit(f"foveal replay {folder} ended with {code}: {error}")
        (out / f"{name}.json").write_text(json.dumps(rounded(json.loads(text)), indent=1, sort_keys=True))
        for profile in PROFILES:
            _, prompts, _ = program.run("replay", str(folder), "--profile", profile, "--prompt-log", "-")
            lines = [f"{number} {digest(line)}" for number, line in enumerate(prompts.splitlines())]
            (out / f"{name}-{profile}-prompts.txt").write_text("\n".join(lines))


def turns(session):
    """Yields the messages of each request that an agent would have sent, in Anthropic's form."""
    messages = []
    for step in session["steps"]:
        if step["source"] == "user":
            messages.append({"role": "user", "content": [{"type": "text", "text": text_of(step.get("message"))}]})
        if step["source"] != "agent" or not messages:
            continue
        yield messages
        calls = step.get("tool_calls") or []
        content = [{"type": "text", "text": text_of(step.get("message")) or "."}]
        content += [{"type": "tool_use", "id": call["tool_call_id"], "name": call["function_name"],
                     "input": call["arguments"]} for call in calls]
        results = {it.get("source_call_id"): text_of(it.get("content"))
                   for it in (step.get("observation") or {}).get("results", [])}
        messages = [*messages, {"role": "assistant", "content": content}]
        if calls:
            messages = [*messages, {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": call["tool_call_id"],
                 "content": results.get(call["tool_call_id"], "")} for call in calls]}]


def text_of(message):
    if isinstance(message, list):
        return "\n".join(part.get("text", "") for part in message if isinstance(part, dict))
    return message or ""


class Provider(http.server.BaseHTTPRequestHandler):
    """Answers each request with the same short text and remembers what was asked."""

    protocol_version = "HTTP/1.1"
    seen = []

    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        type(self).seen.append(self.rfile.read(length))
        answer = json.dumps({
            "id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-5",
            "content": [{"type": "text", "text": "Go on."}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def record_gateway(program, out, sessions, profile):
    """The bytes that the gateway sends on for each request of these sessions."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    upstream = f"http://127.0.0.1:{server.server_port}"
    gateway = program.start("serve", "--listen", "0", "--upstream", upstream, "--profile", profile,
                            "--decision-time", "60000", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    address = next(found.group(0) for found in
                   (re.search(r"http://127\.0\.0\.1:\d+", line) for line in gateway.stdout) if found)
    threading.Thread(target=gateway.stdout.read, daemon=True).start()
    lines = []
    try:
        for file in sessions:
            for number, messages in enumerate(turns(json.loads(file.read_text()))):
                body = {"model": "claude-sonnet-5", "max_tokens": 100, "system": "Work.", "messages": messages}
                request = urllib.request.Request(
                    f"{address}/v1/messages", json.dumps(body).encode(),
                    {"content-type": "application/json", "x-api-key": "sk-ant-api03-x", "anthropic-version": "2023-06-01"})
                Provider.seen.clear()
                with urllib.request.urlopen(request) as answer:
                    answer.read()
                sent = Provider.seen[-1]
                lines.append(f"{file.stem} {number} {len(sent)} {digest(sent)}")
    finally:
        gateway.terminate()
        gateway.wait()
        server.shutdown()
    (out / f"{profile}.txt").write_text("\n".join(lines))


def calls_over(tree, chance):
    """Yields calls of the tools that read, over the files of a tree."""
    files = sorted(str(it.relative_to(tree)) for it in tree.rglob("*") if it.is_file())
    words = ["fn", "struct", "Result", "pub fn new", "impl", "Error", "test", "TODO", "let mut", "match"]
    for _ in range(CALLS):
        path = chance.choice(files)
        start = chance.randrange(1, 200)
        yield chance.choice([
            ("read_file", {"path": path}),
            ("read_file", {"path": path, "mode": "full"}),
            ("read_file", {"path": path, "question": "which errors can happen here?"}),
            ("read_lines", {"path": path, "start": start, "end": start + chance.randrange(1, 80)}),
            ("grep", {"pattern": chance.choice(words), "path": path}),
            ("grep", {"pattern": chance.choice(words), "path": os.path.dirname(path), "output": chance.choice(["content", "files", "count"])}),
            ("glob", {"pattern": f"**/*{os.path.splitext(path)[1]}", "limit": 50}),
            ("list", {"path": os.path.dirname(path)}),
            ("outline", {"path": path}),
            ("read_file", {"path": path + ".missing"}),
        ])


def record_tools(program, out, tree, work):
    """The answers of one MCP session, so that pointers at earlier answers are part of it."""
    shutil.copytree(tree, work)
    server = program.start("mcp", cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True)

    def ask(identifier, method, parameters):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": identifier, "method": method, "params": parameters}) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            if answer.get("id") == identifier and "method" not in answer:
                return answer
        sys.exit("foveal mcp ended")

    ask(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                          "clientInfo": {"name": "golden", "version": "1"}})
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    (out / "list.json").write_text(json.dumps(ask(1, "tools/list", {}), indent=1, sort_keys=True))
    lines = []
    for number, (name, arguments) in enumerate(calls_over(Path(work), random.Random(7))):
        answer = ask(number + 2, "tools/call", {"name": name, "arguments": arguments})
        text = json.dumps(answer.get("result") or answer.get("error"), sort_keys=True)
        # Where files lie and what time it is differs from run to run.
        text = re.sub(r"\d+:\d\d:\d\d [AP]M", "TIME", text.replace(str(work), "TREE"))
        lines.append(f"{number} {name} {json.dumps(arguments)} {len(text)} {digest(text)}")
    server.stdin.close()
    server.wait()
    (out / "calls.txt").write_text("\n".join(lines))


def record_settings(program, out, home):
    """What `init` and `init --gateway` write for each agent, and what is left after `--remove`."""
    for agent in AGENTS:
        for option in ([], ["--gateway"]):
            label = f"{agent}{'-gateway' if option else ''}"
            for child in Path(home).iterdir():
                shutil.rmtree(child) if child.is_dir() else child.unlink()
            parts = []
            for step in (["--yes"], ["--yes", "--remove"]):
                code, text, error = program.run("init", *option, *step, agent)
                parts.append(f"== {' '.join(step)}: exit {code}\n{text}{error}")
                for file in sorted(it for it in Path(home).rglob("*") if it.is_file() and "foveal" not in it.parts[-2]):
                    parts.append(f"-- {file.relative_to(home)}\n{file.read_text(errors='replace')}")
            text = "\n".join(parts).replace(home, "HOME").replace(program.path, "PROGRAM")
            (out / f"{label}.txt").write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("out", type=Path)
    parser.add_argument("--sessions", type=Path, default=ROOT / "../shared/sessions/atif")
    parser.add_argument("--every", type=int, default=6, help="of the recorded sessions, each Nth goes through the gateway")
    parser.add_argument("--tree", default="c0bf7185", help="the commit whose `crates` the tools read")
    parser.add_argument("--only", choices=["help", "replay", "gateway", "tools", "settings"], action="append")
    given = parser.parse_args()
    parts = given.only or ["help", "replay", "gateway", "tools", "settings"]
    with tempfile.TemporaryDirectory(prefix="foveal-goldens-") as scratch:
        home = os.path.join(scratch, "home")
        os.mkdir(home)
        program = Program(given.program, home)
        folders = [ROOT / "examples/sessions"]
        if given.sessions.is_dir():
            folders.append(given.sessions.resolve())
        else:
            print(f"no recorded sessions at {given.sessions}: only the examples are replayed", file=sys.stderr)
        for part in parts:
            print(f"{part} …", file=sys.stderr)
            folder = given.out / part
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            if part == "help":
                record_help(program, folder)
            if part == "replay":
                record_replays(program, folder, folders)
            if part == "gateway":
                sessions = sorted(folders[-1].rglob("*.json"))[::given.every]
                for profile in PROFILES:
                    record_gateway(program, folder, sessions, profile)
            if part == "tools":
                tree = os.path.join(scratch, "tree")
                os.mkdir(tree)
                archive = subprocess.run(["git", "archive", given.tree, "crates"], cwd=ROOT, check=True, capture_output=True)
                subprocess.run(["tar", "x", "-C", tree], input=archive.stdout, check=True)
                record_tools(program, folder, Path(tree, "crates"), os.path.join(scratch, "work"))
            if part == "settings":
                record_settings(program, folder, home)


if __name__ == "__main__":
    main()
