#!/usr/bin/env python3
"""Compares the speed and memory of two builds of foveal, in turn and in the same run.

    python3 goldens/figures.py BEFORE AFTER [--sessions ../shared/sessions/atif] [--tree COMMIT]

BEFORE and AFTER are programs. Prints p50 and p99 of the time of a gateway's answer, its peak memory,
and the processor time of commands, each as the median of several runs. Needs only Python's own
library. Other work on the machine disturbs the times of the gateway more than processor times.
"""

import argparse
import http.client
import http.server
import json
import os
import re
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import record

REQUEST_HEADERS = {"content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01"}


class Provider(record.Provider):
    """A provider without delays of its own and without a memory."""

    disable_nagle_algorithm = True
    wbufsize = 65536

    def do_POST(self):
        super().do_POST()
        self.seen.clear()


def requests_of(sessions):
    """Returns the bodies of all requests of every tenth session, of 12 sessions at most."""
    files = sorted(sessions.rglob("*.json"))[::10][:12]
    return [
        json.dumps({"model": "claude-sonnet-5", "max_tokens": 100, "system": "Work.", "messages": messages}).encode()
        for file in files
        for messages in record.turns(json.loads(file.read_text()))
    ]


class Gateway:
    def __init__(self, program, home, upstream):
        self.process = subprocess.Popen(
            [program, "serve", "--listen", "0", "--upstream", upstream],
            env={"HOME": home, "PATH": os.environ["PATH"]},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        lines = (re.search(r"http://127\.0\.0\.1:(\d+)", line) for line in self.process.stdout)
        self.port = int(next(found.group(1) for found in lines if found))
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def peak_memory(self):
        """Returns the peak memory in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait()


def milliseconds(connection, body):
    started = time.perf_counter()
    connection.request("POST", "/v1/messages", body, REQUEST_HEADERS)
    connection.getresponse().read()
    return (time.perf_counter() - started) * 1e3


def compare_gateways(programs, bodies, rounds=3):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    times = {name: [] for name in [*programs, "direct"]}
    memory = dict.fromkeys(programs, 0)
    for turn in range(rounds):
        with tempfile.TemporaryDirectory() as homes:
            gateways = {name: Gateway(program, f"{homes}/{name}", f"http://127.0.0.1:{server.server_port}")
                        for name, program in programs.items()}
            ports = {name: gateway.port for name, gateway in gateways.items()} | {"direct": server.server_port}
            connections = {name: http.client.HTTPConnection("127.0.0.1", port) for name, port in ports.items()}
            names = list(connections)
            for number, body in enumerate(bodies):
                first = (number + turn) % len(names)
                for name in names[first:] + names[:first]:
                    times[name].append(milliseconds(connections[name], body))
            for name, gateway in gateways.items():
                memory[name] = max(memory[name], gateway.peak_memory())
                gateway.end()
    for name, all_times in times.items():
        all_times.sort()
        p50, p99 = all_times[len(all_times) // 2], all_times[int(len(all_times) * 0.99)]
        peak = f", peak {memory[name]:.0f} MiB" if name in memory else ""
        print(f"gateway, {name}: p50 {p50:.2f} ms, p99 {p99:.2f} ms{peak}")


def processor_ms(program, arguments, folder, home):
    process = subprocess.Popen([program, *arguments], cwd=folder, env={"HOME": home, "PATH": os.environ["PATH"]},
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{program} {' '.join(arguments)} ended with {process.returncode}")
    return (usage.ru_utime + usage.ru_stime) * 1e3


def compare_command(programs, title, arguments, folder, runs, is_fresh=False):
    times = {name: [] for name in programs}
    with tempfile.TemporaryDirectory() as homes:
        names = list(programs)
        for number in range(runs):
            first = number % len(names)
            for name in names[first:] + names[:first]:
                home = f"{homes}/{name}-{number if is_fresh else 0}"
                times[name].append(processor_ms(programs[name], arguments, folder, home))
    print(f"{title}: " + ", ".join(f"{name} {statistics.median(found):.1f} ms" for name, found in times.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--sessions", type=Path, default=record.ROOT / "../shared/sessions/atif")
    parser.add_argument("--tree", default="c0bf7185", help="the commit whose `crates` the commands read")
    given = parser.parse_args()
    programs = {"before": given.before.resolve(), "after": given.after.resolve()}
    with tempfile.TemporaryDirectory(prefix="foveal-figures-") as folder:
        archive = subprocess.run(["git", "-C", record.ROOT, "archive", given.tree, "crates"], check=True, capture_output=True)
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        compare_gateways(programs, requests_of(given.sessions))
        compare_command(programs, "start (--version)", ["--version"], folder, 40)
        file = "crates/cli/src/main.rs"
        compare_command(programs, "first curated read", ["read", file, "--mode", "curated"], folder, 30, is_fresh=True)
        compare_command(programs, "index of a new folder", ["index", "."], folder, 3, is_fresh=True)
        replay = ["replay", str(given.sessions.resolve()), "--profile", "balanced"]
        compare_command(programs, "replay, balanced", replay, folder, 5)


if __name__ == "__main__":
    main()
