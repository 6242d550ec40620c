"""Judges the sample that the example `edges` prints of a folder of Python by jedi's goto.

    pip install jedi
    python3 jedi_goto.py FOLDER SAMPLE

Right is a relation whose target is where jedi goes from the name on the line of the use (of
imports, on the 40 lines from there), give or take three lines for decorators, or the same
name of the same class in that file; wrong, where jedi goes only elsewhere. Where it goes nowhere it has no opinion.
"""

import collections
import os
import re
import sys

import jedi


def same(found, name):
    """Whether it is the same field of the same class, which a method fills elsewhere than the
    class declares it, or the same function with another declaration of its types."""
    if found.type == "param" or not found.full_name:
        return False
    place = found
    while place.parent() and place.parent().type == "function":
        place = place.parent()
    names = [part.name for part in (place.parent(), found) if part and part.type != "module"]
    return ".".join(names) == name


def judged(project, root, row):
    kind, use_path, use_line, path, line, name, _ = row
    if not (use_path.endswith(".py") and path.endswith(".py")):
        return "other language", []
    target = name.split(".")[-1] or os.path.basename(path.removesuffix("/__init__.py")).removesuffix(".py")
    place = os.path.join(root, use_path)
    with open(place, errors="replace") as file:
        text = file.read()
    lines = text.split("\n")
    script = jedi.Script(text, path=place, project=project)
    seen = []
    first = int(use_line)
    for number in range(first, min(first + (40 if kind == "imports" else 1), len(lines) + 1)):
        for match in re.finditer(rf"\b{re.escape(target)}\b", lines[number - 1]):
            for found in script.goto(number, match.start(), follow_imports=True):
                there = found.module_path and os.path.relpath(str(found.module_path), root)
                near = not name or found.line and abs(found.line - int(line)) <= 3 or same(found, name)
                if there == path and near:
                    return "right", []
                seen.append(f"{there}:{found.line}")
    return ("wrong" if seen else "no opinion"), seen


def main():
    root = os.path.abspath(sys.argv[1])
    project = jedi.Project(root, sys_path=[root, f"{root}/src", *filter(None, sys.path)], smart_sys_path=False)
    counts, wrong = collections.Counter(), []
    with open(sys.argv[2]) as sample:
        for row in (line.rstrip("\n").split("\t") for line in sample):
            verdict, seen = judged(project, root, row)
            counts[row[0], verdict] += 1
            if verdict == "wrong":
                wrong.append("\t".join(row + seen[:2]))
    for key, count in sorted(counts.items()):
        print(*key, count)
    print("\n".join(wrong))


main()
