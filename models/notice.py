"""Writes NOTICE from what fetch.py kept: python3 notice.py WORK"""

import json
import pathlib
import sys

HEAD = """The file crates/relevance/src/embedding/static.bin was trained on functions and their doc
comments from the packages below, and on nothing else. It holds none of their text but
single words. Licences are those that the packages' own metadata name; where there is a
choice, one of MIT, Apache-2.0, BSD, 0BSD and ISC is among it.
"""


def main():
    rows = json.loads((pathlib.Path(sys.argv[1]) / "manifest.json").read_text())["kept"]
    lines = [HEAD]
    for language in ("python", "rust", "javascript"):
        lines.append(f"\n{language}\n")
        lines += [f"  {r['name']} {r['version']}: {r['licence']}\n" for r in rows
                  if r["role"] == "train" and r["language"] == language]
    (pathlib.Path(__file__).parent / "NOTICE").write_text("".join(lines))


if __name__ == "__main__":
    main()
