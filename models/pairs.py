"""Makes docstring -> function pairs of the packages that fetch.py kept.

    python3 pairs.py WORK

Writes WORK/train.jsonl and, for the held-out sets, WORK/eval_{a,b}_{python,rust}.jsonl of
600 pairs each. A pair is {"language", "package", "name", "query", "code"}: the first
paragraph of the doc comment, and the function without it. Held-out pairs come from
packages that are not trained on, and a training pair is dropped if its query or its code
stands in a held-out set too.
"""

import ast
import hashlib
import json
import multiprocessing
import pathlib
import random
import re
import sys
import tarfile
import textwrap
import warnings
import zipfile

FILES_PER_PACKAGE = 500
FILE_BYTES_MAX = 200_000
PAIRS_PER_PACKAGE = 1500
EVALUATION_PAIRS = 600
LINES_MIN, LINES_MAX = 4, 120
SKIPPED = re.compile(r"(^|/)(tests?|testing|__tests__|_vendor|vendor|vendored|third_party|node_modules|"
                     r"examples?|benches|locale)/|(^|[/_.])test[s_.]|\.min\.")


def python_files(place):
    with zipfile.ZipFile(place) as wheel:
        names = [i.filename for i in wheel.infolist()
                 if i.filename.endswith(".py") and i.file_size < FILE_BYTES_MAX]
        for name in chosen(names):
            yield wheel.read(name).decode("utf8", "replace")


def rust_files(place):
    root = pathlib.Path(place)
    names = [str(p.relative_to(root)) for p in sorted(root.glob("src/**/*.rs"))
             if p.stat().st_size < FILE_BYTES_MAX]
    for name in chosen(names):
        yield (root / name).read_text("utf8", "replace")


def javascript_files(place):
    with tarfile.open(place) as archive:
        members = {m.name: m for m in archive.getmembers()
                   if re.search(r"\.(ts|tsx|js|mjs|jsx)$", m.name) and m.size < FILE_BYTES_MAX
                   and not m.name.endswith(".d.ts")}
        # Where a package ships its sources, what was compiled from them says the same again.
        own = [n for n in members if "/src/" in n] or list(members)
        for name in chosen(own):
            yield archive.extractfile(members[name]).read().decode("utf8", "replace")


def chosen(names):
    names = sorted(n for n in names if not SKIPPED.search(n))
    random.Random(7).shuffle(names)
    return names[:FILES_PER_PACKAGE]


def usable(query):
    return (25 <= len(query) <= 300 and query.isascii() and len(query.split()) >= 5
            and "```" not in query and not query.startswith("#"))


def python_pairs(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or len(node.body) < 2:
            continue
        doc = ast.get_docstring(node)
        query = " ".join((doc or "").split("\n\n")[0].split())
        if not usable(query):
            continue
        first = node.body[0]
        body = lines[first.end_lineno:node.end_lineno]
        if LINES_MIN <= len(body) <= LINES_MAX:
            head = lines[node.lineno - 1:first.lineno - 1]
            yield query, node.name, textwrap.dedent("\n".join(head + body))


RUST = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)((?:^[ \t]*#\[[^\n]*\n)*)"
                  r"^([ \t]*)(?:pub(?:\([a-z]+\))? )?(?:const |async |unsafe )*fn (\w+)", re.M)


def rust_pairs(text):
    for match in RUST.finditer(text):
        paragraph = []
        for line in match.group(1).strip().split("\n"):
            line = line.strip()[3:].strip()
            if not line:
                break
            paragraph.append(line)
        query = " ".join(paragraph)
        code = block(text, match.start(3), match.end(), len(match.group(3)))
        if usable(query) and code:
            yield query, match.group(4), code


SCRIPT = re.compile(r"/\*\*((?:[^*]|\*(?!/))*)\*/\n([ \t]*)(?:export )?(?:default )?(?:public |private |protected "
                    r"|static |async |override )*(?:function\*? ?(\w+)|(?:const|let|var) (\w+) = [^\n;]*(?:=>|function)"
                    r"|(\w+) ?\([^\n;]*\{)", re.M)


def javascript_pairs(text):
    for match in SCRIPT.finditer(text):
        paragraph = []
        for line in match.group(1).split("\n"):
            line = line.strip().lstrip("*").strip()
            if line.startswith("@") or (not line and paragraph):
                break
            if line:
                paragraph.append(line)
        query = " ".join(paragraph)
        name = match.group(3) or match.group(4) or match.group(5)
        code = block(text, match.start(2), match.end(2), len(match.group(2)))
        if name != "if" and usable(query) and code:
            yield query, name, code


def block(text, start, search, indent):
    """From `start` to the closing brace at the same indent; None if there is no such block."""
    brace, end = text.find("{", search), text.find(";", search)
    if brace < 0 or 0 <= end < brace:
        return None
    close = text.find("\n" + text[start:start + indent] + "}", brace)
    if close < 0 or close - start > 6000:
        return None
    lines = text[start:close + indent + 2].split("\n")
    if not LINES_MIN < len(lines) <= LINES_MAX:
        return None
    return textwrap.dedent("\n".join(l for l in lines if not l.strip().startswith("//")))


LANGUAGES = {"python": (python_files, python_pairs), "rust": (rust_files, rust_pairs),
             "javascript": (javascript_files, javascript_pairs)}


def of_package(row):
    files, pairs = LANGUAGES[row["language"]]
    queries, codes, found = set(), set(), []
    for text in files(row["place"]):
        for query, name, code in pairs(text):
            if query not in queries and code not in codes:
                queries.add(query)
                codes.add(code)
                found.append({"language": row["language"], "package": row["name"], "name": name,
                              "query": query, "code": code})
    random.Random(7).shuffle(found)
    return row["role"], found[:PAIRS_PER_PACKAGE]


def key(code):
    return hashlib.md5("".join(code.split()).encode()).digest()


def evaluation(packages):
    """The same number of pairs of each package, as far as they go."""
    packages = sorted(packages, key=len)
    chosen, queries = [], set()
    for index, pairs in enumerate(packages):
        share = (EVALUATION_PAIRS - len(chosen)) // (len(packages) - index)
        fresh = [p for p in pairs if p["query"] not in queries][:share]
        queries.update(p["query"] for p in fresh)
        chosen += fresh
    return chosen


def write(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    print(path.name, len(rows), flush=True)


def main():
    work = pathlib.Path(sys.argv[1])
    manifest = json.loads((work / "manifest.json").read_text())["kept"]
    with multiprocessing.Pool(2) as pool:
        results = pool.map(of_package, manifest, chunksize=1)
    held_queries, held_codes = set(), set()
    for role in ("a", "b"):
        for language in ("python", "rust"):
            rows = evaluation([p for r, p in results if r == role and p
                               and p[0]["language"] == language])
            write(work / f"eval_{role}_{language}.jsonl", rows)
            held_queries.update(p["query"].lower() for p in rows)
            held_codes.update(key(p["code"]) for p in rows)
    train, seen = [], set()
    for role, pairs in results:
        for pair in pairs if role == "train" else ():
            code = key(pair["code"])
            if pair["query"].lower() in held_queries or code in held_codes or code in seen:
                continue
            seen.add(code)
            train.append(pair)
    write(work / "train.jsonl", train)


if __name__ == "__main__":
    main()
