"""How long `foveal hook` takes for one event, process and all.

measure_hook.py PROGRAM [TIMES]
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM, TIMES = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
LINES = [f"test number {n} ... ok" for n in range(2_000)]
SOURCE = "".join(f"def f{n}(a):\n    return a + {n}\n\n" for n in range(340))


def event(folder, n, tool, arguments, response):
    return json.dumps({
        "session_id": f"s{n}", "transcript_path": str(folder / "t.jsonl"), "cwd": str(folder),
        "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": arguments,
        "tool_response": response, "tool_use_id": f"t{n}",
    })


def bash(folder, n, output):
    response = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
    return event(folder, n, "Bash", {"command": "cargo test"}, response)


def read(folder, n, text):
    lines = text.count("\n")
    file = {"filePath": str(folder / "a.py"), "content": text, "numLines": lines,
            "startLine": 1, "totalLines": lines}
    return event(folder, n, "Read", {"file_path": str(folder / "a.py")},
                 {"type": "text", "file": file})


def measure(name, command, events, home):
    times = []
    for one in events:
        start = time.perf_counter()
        subprocess.run(command, input=one.encode(), env={"HOME": str(home)}, cwd=home, check=True,
                       stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1_000)
    times.sort()
    print(f"{name:32} {statistics.median(times):6.1f} ms p50, {times[len(times) * 95 // 100]:6.1f} ms p95")


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    (folder / "a.py").write_text(SOURCE)
    (folder / "t.jsonl").write_text("")
    hook = [PROGRAM, "hook"]
    measure("an empty process", ["/bin/true"], [""] * TIMES, folder)
    measure("a short output", hook, [bash(folder, n, "a\nb") for n in range(TIMES)], folder)
    long = [bash(folder, n, "\n".join(LINES)) for n in range(TIMES)]
    measure("an output of 2,000 lines", hook, long, folder)
    measure("a read of 1,020 lines", hook, [read(folder, n, SOURCE) for n in range(TIMES)], folder)
