"""How soon `foveal mcp` is ready, and how much memory it holds after many calls.

measure.py PROGRAM [CALLS]

Ready: from the start of the process to the answer of `tools/list`, of 20 starts. Memory: what
is resident after reads, searches, edits and runs in a folder of 200 files, told at every tenth
of the calls. No packages are needed.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
STARTS = 20


class Server:
    def __init__(self, folder, home):
        environment = {"PATH": os.environ["PATH"], "HOME": home}
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", "--root", folder], env=environment, cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.number = 0

    def request(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        print(json.dumps(message), file=self.process.stdin, flush=True)
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number:
                return answer["result"]

    def begin(self):
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "measure", "version": "1"}})
        return self.request("tools/list", {})

    def resident(self):
        """Resident now and at most, in MB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        lines = dict(line.split(":", 1) for line in status.splitlines())
        return [int(lines[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]

    def end(self):
        self.process.stdin.close()
        return self.process.wait()


def main():
    with tempfile.TemporaryDirectory() as above:
        folder, home = os.path.join(above, "work"), os.path.join(above, "home")
        os.makedirs(folder)
        os.makedirs(home)
        for n in range(200):
            functions = (f"def part_{n}_{k}(value):\n    return value * {k}\n\n" for k in range(150))
            pathlib.Path(folder, f"part_{n}.py").write_text("".join(functions))
        took = []
        for _ in range(STARTS):
            begun = time.perf_counter()
            server = Server(folder, home)
            server.begin()
            took.append((time.perf_counter() - begun) * 1000)
            idle = server.resident()
            server.end()
        took.sort()
        print(f"ready in {statistics.median(took):.1f} ms (p50), {took[-2]:.1f} ms (p95), "
              f"{idle[0]:.1f} MB")
        server = Server(folder, home)
        server.begin()
        begun = time.perf_counter()
        for n in range(CALLS):
            path = f"part_{n % 200}.py"
            calls = [
                ("read_file", {"path": path, "question": f"what is part_{n % 200}_{n % 150}?"}),
                ("read_lines", {"path": path, "start": n % 400 + 1, "end": n % 400 + 40}),
                ("grep", {"pattern": f"part_{n % 200}_1[0-9]"}),
                ("bash", {"command": f"grep -c value part_{n % 50}.py"}),
                ("edit_file", {"path": path, "old_str": f"part_{n % 200}_7(value)",
                               "new_str": f"part_{n % 200}_7(value )"}),
                ("list", {}),
                ("outline", {"path": path}),
                ("search_code", {"query": f"part {n} value"}) if n % 70 == 7 else ("glob", {"pattern": "*1.py"}),
            ]
            tool, arguments = calls[n % len(calls)]
            server.request("tools/call", {"name": tool, "arguments": arguments})
            if (n + 1) % (CALLS // 10) == 0:
                now, most = server.resident()
                print(f"{n + 1} calls: {now:.1f} MB, at most {most:.1f} MB")
        print(f"{(time.perf_counter() - begun) * 1000 / CALLS:.2f} ms a call")
        print(f"ended with {server.end()}")


main()
