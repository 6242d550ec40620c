//! `foveal outline`, `graph` and `map` on a small repository.

use serde_json::Value;

use crate::world::{Ran, World};

fn repository(test: &str) -> World {
    let world = World::new(test);
    world.write(
        "r/src/lib.rs",
        "mod line;\nuse line::Line;\n\n/// Counts.\npub fn count(line: &Line) -> usize {\n    \
         line.length()\n}\n\npub fn twice(line: &Line) -> usize {\n    2 * count(line)\n}\n\n\
         pub fn thrice(line: &Line) -> usize {\n    twice(line) + count(line)\n}\n",
    );
    world.write(
        "r/src/line.rs",
        "pub struct Line;\n\nimpl Line {\n    pub fn length(&self) -> usize {\n        0\n    }\n}\n",
    );
    world.write(
        "r/tests/all.rs",
        "use r::count;\n\n#[test]\nfn counts() {\n    count(&r::Line);\n}\n",
    );
    world.write("r/Cargo.toml", "[package]\nname = \"r\"\n");
    world.write("r/.gitignore", "generated\n");
    world.write("r/generated/other.rs", "pub fn ignored_function() {}\n");
    world.write("r/.env", "PASSWORD=secret_function\n");
    world.write("r/server.key", "fn secret_function() {}\n");
    world.write("r/picture.dat", [0u8, 159, 146, 150]);
    world.write("twins/a.py", "def go():\n    pass\n");
    world.write("twins/b.py", "def go():\n    pass\n");
    world.write("empty/.gitignore", "");
    world
}

#[track_caller]
fn fails(world: &World, arguments: &str, error: &str) {
    let Ran { code, out, err } = world.run(arguments);
    assert_eq!((err.as_str(), out.as_str(), code), (error, "", Some(2)), "{arguments}");
}

#[test]
fn outline_shows_signatures() {
    let world = repository("outline");
    assert_eq!(
        world.output("outline r/src/line.rs"),
        "1→pub struct Line;\n2→\n3→impl Line {\n4→    pub fn length(&self) -> usize {\n  \
         [5-7: 3 lines of Line.length]\n"
    );
    let two = world.output("outline r/src/line.rs r/tests/all.rs");
    assert!(two.starts_with("r/src/line.rs (7 lines)\n1→pub struct Line;"), "{two}");
    assert!(two.contains("\n\nr/tests/all.rs (6 lines)\n"), "{two}");
    let json: Value =
        serde_json::from_str(&world.output("outline --json r/src/line.rs")).expect("JSON");
    let file = &json["files"][0];
    assert_eq!((&file["language"], &file["lines"]), (&"Rust".into(), &7.into()));
    let names: Vec<&str> = file["entities"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entity| entity["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["Line", "Line", "Line.length"]);
}

#[test]
fn colours_are_on_when_asked_for() {
    let world = repository("colours");
    for arguments in [
        "outline r/src/line.rs",
        "outline r/src/line.rs r/tests/all.rs",
        "graph count r --depth 2",
        "map r",
        "search count --path r",
    ] {
        let plain = world.output(arguments);
        assert!(!plain.contains('\x1b'), "{arguments}");
        let coloured = world.output(&format!("{arguments} --color always"));
        assert!(coloured.contains("\x1b[35m"), "{arguments}: {coloured}");
        let mut parts = coloured.split("\x1b[");
        let mut stripped = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            stripped += part.split_once('m').map_or(part, |(_, rest)| rest);
        }
        assert_eq!(stripped, plain, "{arguments}");
        assert_eq!(world.output(&format!("{arguments} --color never")), plain);
    }
    // Whoever asks for colours gets them, whatever the environment says.
    let refused = [("NO_COLOR", "1")];
    assert!(world.run_with("outline r/src/line.rs --color always", &refused).out.contains('\x1b'));
    assert_eq!(world.run("outline --color sometimes r/src/line.rs").code, Some(2));
}

#[test]
fn graph_lists_callers_and_tests() {
    let world = repository("graph");
    assert_eq!(
        world.output("graph count r"),
        "src/lib.rs:5  function count\n  pub fn count(line: &Line) -> usize {\n\n\
         callers (2)\n  src/lib.rs:9  function twice  at 10\n  \
         src/lib.rs:13  function thrice  at 14\n\n\
         tests (1)\n  tests/all.rs:4  test counts  at 5\n\n\
         imported by (1)\n  tests/all.rs  file  at 1\n\n\
         calls (1)\n  src/line.rs:4  method Line.length\n\n\
         uses types (1)\n  src/line.rs:1  type Line\n"
    );
    let deep = world.output("graph Line::length r --depth 3");
    assert!(
        deep.contains(
            "callers (1)\n  src/lib.rs:5  function count  at 6\n    \
             src/lib.rs:9  function twice  at 10\n      \
             src/lib.rs:13  function thrice  at 14\n    \
             src/lib.rs:13  function thrice  at 14  (above)\n"
        ),
        "{deep}"
    );
    assert_eq!(world.output("graph twins/a.py:go ."), world.output("graph a.py:1 ."));
}

#[test]
fn graph_speaks_mermaid_dot_and_json() {
    let world = repository("formats");
    let mermaid = world.output("graph length r --format mermaid");
    assert_eq!(
        mermaid,
        "flowchart LR\n  n0[\"count<br/>src/lib.rs:5\"]\n  n1[\"Line.length<br/>src/line.rs:4\"]\n  \
         n0 -->|calls| n1\n"
    );
    let dot = world.output("graph length r --format dot");
    assert_eq!(
        dot,
        "digraph foveal {\n  rankdir=LR;\n  node [shape=box];\n  \
         n0 [label=\"count\\nsrc/lib.rs:5\"];\n  n1 [label=\"Line.length\\nsrc/line.rs:4\"];\n  \
         n0 -> n1 [label=\"calls\"];\n}\n"
    );
    let json: Value = serde_json::from_str(&world.output("graph length r --json")).expect("JSON");
    assert_eq!(json["nodes"].as_array().map(Vec::len), Some(2));
    let relation = &json["relations"][0];
    assert_eq!((&relation["kind"], &relation["line"]), (&"calls".into(), &6.into()));
    assert_eq!(relation["to"], json["root"]);
}

#[test]
fn labels_with_signs_stay_valid() {
    let world = World::new("signs");
    world.write(
        "a.test.ts",
        "import { go } from './a';\ntest('says \"<hi>\" | [x] \\\\ #1', () => {\n  go();\n});\n",
    );
    world.write("a.ts", "export function go() {}\n");
    let mermaid = world.output("graph go --format mermaid");
    for line in mermaid.lines().filter(|line| line.contains("[\"")) {
        let label = line.split_once("[\"").and_then(|(_, rest)| rest.strip_suffix("\"]"));
        let label = label.expect("a whole label").replace("<br/>", "");
        assert!(!label.contains(['"', '<', '>', '[', ']', '|']), "{line}");
    }
    assert!(mermaid.contains("says #34;#60;hi#62;#34;"), "{mermaid}");
    let dot = world.output("graph go --format dot");
    assert!(dot.contains("label=\"says \\\"<hi>\\\" | [x]"), "{dot}");
}

#[test]
fn map_keeps_to_its_tokens() {
    let world = repository("map");
    let map = world.output("map r");
    assert!(map.contains("src/line.rs (7 lines)\n1→pub struct Line;\n3→impl Line {\n"), "{map}");
    assert!(map.contains(" 5→pub fn count(line: &Line) -> usize {\n"), "{map}");
    assert!(!map.contains("secret_function") && !map.contains("ignored_function"), "{map}");
    let json: Value =
        serde_json::from_str(&world.output("map r --tokens 40 --json")).expect("JSON");
    assert!(json["tokens"].as_u64().is_some_and(|tokens| 0 < tokens && tokens <= 40), "{json}");
    let focused = world.output("map r --tokens 60 --focus src/line.rs");
    assert!(focused.starts_with("src/line.rs"), "{focused}");
}

#[test]
fn what_cannot_be_used_is_one_line_and_code_2() {
    let world = repository("structure_bad");
    for (arguments, error) in [
        ("outline missing.rs", "`missing.rs` does not exist: check the path"),
        ("outline r/src", "`r/src` is a folder: name a file, or run `foveal map r/src`"),
        (
            "outline r/picture.dat",
            "`r/picture.dat` is a binary file: there is no structure to show",
        ),
        (
            "outline r/.env",
            "not allowed: outline `r/.env` (it may hold variables of an environment): it needs the \
             user's permission, and foveal cannot ask here; to allow it, the user can add to \
             `home/.config/foveal/config.toml`:\n[[permissions]]\ntool = \"outline\"\n\
             subject = \"r/.env\"\nverdict = \"allow\"",
        ),
        ("graph count missing", "`missing` does not exist: check the path"),
        ("graph count r/src/lib.rs", "`r/src/lib.rs` is a file: name a folder"),
        ("graph cuont r", "nothing is called `cuont`; the nearest names are `count`"),
        ("graph secret_function r", "nothing is called `secret_function`"),
        (
            "graph go twins",
            "`go` matches 2 things; name one by its line:\n  a.py:1  function go\n  b.py:1  function go",
        ),
        ("map r/src/lib.rs", "`r/src/lib.rs` is a file: name a folder"),
        ("map r --focus nothing_so", "nothing is called `nothing_so`"),
        ("map r --tokens 3", "nothing fits into 3 tokens: allow more with --tokens"),
        ("map r --tokens 3 --json", "nothing fits into 3 tokens: allow more with --tokens"),
    ] {
        fails(&world, arguments, &format!("error: {error}\n"));
    }
    let empty =
        "`empty/none` has no source files that are not ignored: name the folder of a repository";
    world.write("empty/none/picture.png", [0_u8; 9]);
    fails(&world, "map empty/none", &format!("error: {empty}\n"));
    for arguments in
        ["outline", "graph", "map --tokens 0", "graph a r --depth 0", "graph a --format x"]
    {
        assert_eq!(world.run(arguments).code, Some(2), "{arguments}");
    }
}
