"""Downloads the packages named in sources/ and refuses those under other licences.

    python3 fetch.py WORK [--lock]

Packages come through pip, cargo and npm; nothing of them is run. A package is kept if
its own metadata name a licence from ALLOWED. WORK/manifest.json then lists what was
kept, with versions and licences. With --lock the versions are written back to sources/,
so that the next run fetches the same.
"""

import concurrent.futures
import email.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).parent
ALLOWED = {"MIT", "MIT-0", "Apache-2.0", "Apache-2.0 WITH LLVM-exception",
           "BSD-2-Clause", "BSD-3-Clause", "0BSD", "ISC"}
CLASSIFIERS = {
    "MIT License": "MIT", "MIT No Attribution License (MIT-0)": "MIT-0",
    "Apache Software License": "Apache-2.0", "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
}
# Free-text `License:` fields, lower case, as packages write them.
SPELLINGS = {
    "mit": "MIT", "mit license": "MIT", "the mit license": "MIT", "the mit license (mit)": "MIT",
    "apache 2.0": "Apache-2.0", "apache-2.0": "Apache-2.0", "apache license 2.0": "Apache-2.0",
    "apache license, version 2.0": "Apache-2.0", "apache software license 2.0": "Apache-2.0",
    "apache 2": "Apache-2.0", "apache license version 2.0": "Apache-2.0", "apache": "Apache-2.0",
    "apache2": "Apache-2.0", "apache 2.0 license": "Apache-2.0", "3-clause bsd license": "BSD-3-Clause",
    "apache-2": "Apache-2.0", "asl 2": "Apache-2.0",
    "bsd": "BSD-3-Clause", "bsd license": "BSD-3-Clause", "new bsd": "BSD-3-Clause",
    "3-clause bsd": "BSD-3-Clause", "bsd 3-clause": "BSD-3-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause", "bsd-2-clause": "BSD-2-Clause", "isc": "ISC",
    "isc license": "ISC", "the bsd 3-clause license": "BSD-3-Clause", "modified bsd": "BSD-3-Clause",
}


def allowed(expression):
    """Whether an SPDX expression can be met with licences from ALLOWED alone."""
    expression = expression.replace("/", " OR ")
    tokens = re.findall(r"\(|\)|[^\s()]+", expression)
    position = 0

    def either():
        nonlocal position
        value = both()
        while position < len(tokens) and tokens[position].upper() == "OR":
            position += 1
            value = both() or value
        return value

    def both():
        nonlocal position
        value = one()
        while position < len(tokens) and tokens[position].upper() == "AND":
            position += 1
            value = one() and value
        return value

    def one():
        nonlocal position
        if position >= len(tokens):
            return False
        token = tokens[position]
        position += 1
        if token == "(":
            value = either()
            position += 1
            return value
        if position < len(tokens) and tokens[position].upper() == "WITH":
            token += " WITH " + tokens[position + 1]
            position += 2
        return token in ALLOWED

    return bool(tokens) and either() and position >= len(tokens)


def wheel_licence(metadata):
    """The SPDX expression of a wheel, or the text that is not understood."""
    message = email.parser.Parser().parsestr(metadata)
    if message["License-Expression"]:
        return message["License-Expression"]
    names = [c.split(" :: ")[-1] for c in message.get_all("Classifier", [])
             if c.startswith("License :: ") and c != "License :: OSI Approved"]
    if names:
        return " AND ".join(CLASSIFIERS.get(n, n.replace(" ", "-")) for n in names)
    text = " ".join((message["License"] or "").split())
    return SPELLINGS.get(text.lower(), text[:60])


def run(command, **more):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, **more)


def pip_download(names, folder):
    """Wheels of `names`; a batch with one failure is tried one by one."""
    result = run([sys.executable, "-m", "pip", "download", "-q", "--no-deps",
                  "--only-binary=:all:", "-d", str(folder), *names])
    if result.returncode and len(names) > 1:
        for name in names:
            pip_download([name], folder)


def batches(items, size):
    return [items[i:i + size] for i in range(0, len(items), size)]


def fetch_python(names, work):
    folder = work / "python"
    folder.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda b: pip_download(b, folder), batches(names, 12)))
    found = {}
    for path in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(path) as wheel:
            inner = next(n for n in wheel.namelist()
                         if n.endswith(".dist-info/METADATA") and n.count("/") == 1)
            metadata = wheel.read(inner).decode("utf8", "replace")
        message = email.parser.Parser().parsestr(metadata)
        key = re.sub(r"[-_.]+", "-", message["Name"]).lower()
        found[key] = (message["Version"], wheel_licence(metadata), str(path))
    return found


def fetch_rust(names, work):
    home = work / "cargo"
    environment = dict(os.environ, CARGO_HOME=str(home))

    def one(name):
        run(["cargo", "info", "--registry", "crates-io", name.replace("==", "@")], env=environment,
            cwd=work)

    home.mkdir(parents=True, exist_ok=True)
    one(names[0])
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        list(pool.map(one, names))
    found = {}
    for path in sorted(home.glob("registry/src/*/*/Cargo.toml")):
        package = tomllib.loads(path.read_text("utf8")).get("package", {})
        found[package["name"]] = (package["version"], package.get("license", ""), str(path.parent))
    return found


def fetch_javascript(names, work):
    folder = work / "javascript"
    folder.mkdir(parents=True, exist_ok=True)
    specs = [n.replace("==", "@") for n in names]
    for batch in batches(specs, 15):
        if run(["npm", "pack", "--silent", "--ignore-scripts", *batch], cwd=folder).returncode:
            for spec in batch:
                run(["npm", "pack", "--silent", "--ignore-scripts", spec], cwd=folder)
    found = {}
    for path in sorted(folder.glob("*.tgz")):
        with tarfile.open(path) as archive:
            member = min((m for m in archive.getmembers() if m.name.endswith("/package.json")),
                         key=lambda m: m.name.count("/"))
            package = json.load(archive.extractfile(member))
        licence = package.get("license", "")
        licence = licence if isinstance(licence, str) else licence.get("type", "")
        found[package["name"]] = (package["version"], licence, str(path))
    return found


def first_word(name):
    return re.split(r"[-_.]", name.lower())[0]


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    held = json.loads((HERE / "sources/held_out.json").read_text())
    manifest = {"kept": [], "refused": [], "missing": []}
    fetchers = {"python": fetch_python, "rust": fetch_rust, "javascript": fetch_javascript}
    for language, fetch in fetchers.items():
        path = HERE / f"sources/{language}.txt"
        lines = [l for l in path.read_text().split() if l]
        names = [l.split("==")[0] for l in lines]
        roles = {n: "train" for n in names}
        for role in ("a", "b"):
            roles.update({n: role for n in held[role].get(language, [])})
        held_words = {first_word(n) for n, role in roles.items() if role != "train"}
        pinned = held.get("versions", {}).get(language, {})
        wanted = lines + [f"{n}=={pinned[n]}" if n in pinned else n
                          for n, role in roles.items() if role != "train"]
        found = fetch(wanted, work)
        for name, role in sorted(roles.items()):
            if name not in found:
                manifest["missing"].append(f"{language} {name}")
                continue
            version, licence, place = found[name]
            row = {"language": language, "name": name, "version": version,
                   "licence": licence, "role": role, "place": place}
            related = role == "train" and first_word(name) in held_words
            manifest["kept" if allowed(licence) and not related else "refused"].append(row)
        kept = [r for r in manifest["kept"] if r["language"] == language]
        print(language, "wanted", len(roles), "kept", len(kept), flush=True)
        if "--lock" in sys.argv:
            path.write_text("".join(f"{r['name']}=={r['version']}\n" for r in kept
                                    if r["role"] == "train"))
            held.setdefault("versions", {})[language] = {
                r["name"]: r["version"] for r in kept if r["role"] != "train"}
    if "--lock" in sys.argv:
        (HERE / "sources/held_out.json").write_text(json.dumps(held, indent=2) + "\n")
    (work / "manifest.json").write_text(json.dumps(manifest, indent=1))
    print("refused", [(r["name"], r["licence"]) for r in manifest["refused"]])
    print("missing", manifest["missing"])


if __name__ == "__main__":
    main()
