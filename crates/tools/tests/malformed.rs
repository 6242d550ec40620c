//! Arguments that no tool can work with: each is answered with a short message, nothing waits
//! for ever, and nothing is changed that should not be.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use foveal_tools::tool_table::{TOOLS, Tool, find_tool};
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use foveal_transcript::CancelToken;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use crate::world::World;

/// Lines and characters of a clear message.
const MESSAGE_LINES_MAX: usize = 8;
const MESSAGE_CHARS_MAX: usize = 1_500;

/// What is put in the place of an argument.
fn odd_values() -> Vec<Value> {
    let mut nested = json!([]);
    for _ in 0..100 {
        nested = json!([nested]);
    }
    vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(-1e308),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(4_294_967_295u64),
        json!(4_294_967_296u64),
        json!([]),
        json!([1, null, "x"]),
        json!([""]),
        json!(["no-such-file", "../outside/secret"]),
        json!({}),
        json!({"path": "a.rs"}),
        nested,
        json!(""),
        json!("   "),
        json!("\0"),
        json!("a.rs\0"),
        json!("a\u{7}\u{1b}[2Jb"),
        json!("\r\n\t"),
        json!("\u{202e}txt.exe"),
        json!("\u{feff}a.rs"),
        json!("caf\u{e9}/cafe\u{301}"),
        json!("\u{1f4a9}".repeat(500)),
        json!("x".repeat(100_000)),
        json!("x/".repeat(3_000)),
        json!("no-such-file"),
        json!(".."),
        json!("../outside/secret"),
        json!("/etc/passwd"),
        json!("//etc//passwd"),
        json!("~/.ssh/id_rsa"),
        json!("file:///etc/passwd"),
        json!("http://127.0.0.1:1/"),
        json!("http://[::ffff:10.0.0.1]/"),
        json!(r"C:\Windows\win.ini"),
        json!(r"\\?\C:\x"),
        json!("((((((((((((((((((((((((((("),
        json!("(a{1000}){1000}"),
        json!("(a*)*(b*)*(c|d|e)*\\1"),
        json!("[a-"),
        json!("{{{{{{a,b},c},d}"),
        json!("**/".repeat(500)),
        json!("{a,b}".repeat(60)),
        json!("deadbeefdead"),
        json!("DEADBEEFDEADBEEFDEADBEEF"),
        json!("%s%n%x ${jndi:ldap://x} $(false) `false`"),
    ]
}

/// Arguments that a tool can work with, or nearly.
fn usual(name: &str) -> Value {
    match name {
        "path" => json!("a.rs"),
        "paths" => json!(["a.rs"]),
        "start" | "offset" => json!(1),
        "end" | "limit" | "depth" => json!(2),
        "old_str" => json!("fn a() {}"),
        "new_str" => json!("fn a() { b() }"),
        "edits" => json!([{"path": "a.rs", "old_str": "fn a() {}", "new_str": "fn c() {}"}]),
        "pattern" => json!("fn"),
        "command" => json!("true"),
        "wait_ms" => json!(1),
        "timeout" => json!(5),
        "url" => json!("http://127.0.0.1:1/"),
        "handle" => json!("0123456789ab"),
        "id" => json!(1),
        _ => json!("x"),
    }
}

fn properties(tool: &Tool) -> (Vec<String>, Vec<String>) {
    let schema = tool.schema();
    let all = schema["properties"].as_object().map(|properties| properties.keys().cloned());
    let all: Vec<String> = all.into_iter().flatten().collect();
    let required = schema["required"].as_array().into_iter().flatten();
    (all, required.filter_map(Value::as_str).map(str::to_owned).collect())
}

fn base(tool: &Tool) -> Map<String, Value> {
    let (_, required) = properties(tool);
    required.into_iter().map(|name| (name.clone(), usual(&name))).collect()
}

/// A workspace beside files that nobody may touch.
struct Place {
    world: World,
    outside: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        let world = World::new();
        world.write("a.rs", "fn a() {}\n");
        world.write("b/c.rs", "fn c() {}\n");
        let outside = tempfile::tempdir().expect("a temporary folder");
        fs::write(outside.path().join("secret"), "the secret outside").expect("a file");
        std::os::unix::fs::symlink(outside.path(), world.folder.path().join("link"))
            .expect("a link");
        Self { world, outside }
    }

    /// Everything that must stay as it is: what is outside, and of a tool that only looks what
    /// is inside.
    fn snapshot(&self, tool: &Tool) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut all = BTreeMap::new();
        files(self.outside.path(), &mut all);
        if tool.hints.read_only {
            files(self.world.folder.path(), &mut all);
        }
        all
    }

    fn ask(&self, session: &ToolSession, tool: &Tool, arguments: Value) -> ToolCallAnswer {
        // Whoever waits is stopped by then.
        let most = if tool.hints.open_world { 20 } else { 2_000 };
        let asked = AtomicUsize::new(0);
        let is_over = || asked.fetch_add(1, Ordering::Relaxed) >= most;
        let control = CallControl { cancel: &CancelToken::from_fn(&is_over), ..CallControl::NONE };
        session.call(&ToolRequest::new(tool.name, arguments), &control)
    }

    /// Makes a call and checks what must hold of every one.
    #[track_caller]
    fn check(&self, session: &ToolSession, tool: &Tool, arguments: Value) -> ToolCallAnswer {
        let before = self.snapshot(tool);
        let told: String = arguments.to_string().chars().take(300).collect();
        let answer = self.ask(session, tool, arguments);
        let name = tool.name;
        assert!(!answer.text.contains("the secret outside"), "{name} {told}");
        assert_eq!(self.snapshot(tool), before, "{name} {told}");
        // What a command prints is its own.
        if answer.is_error && answer.structured.is_none() {
            let (lines, chars) = (answer.text.lines().count(), answer.text.chars().count());
            assert!(!answer.text.trim().is_empty(), "{name} {told}");
            let start: String = answer.text.chars().take(600).collect();
            assert!(lines <= MESSAGE_LINES_MAX, "{name} {told}\n{lines} lines: {start}");
            assert!(chars <= MESSAGE_CHARS_MAX, "{name} {told}\n{chars} characters: {start}");
            let is_plain = |sign: char| !sign.is_control() || sign == '\n' || sign == '\t';
            assert!(answer.text.chars().all(is_plain), "{name} {told}\n{:?}", answer.text);
        }
        answer
    }
}

fn files(folder: &Path, all: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let found = fs::symlink_metadata(&path).expect("it is there");
        if found.is_dir() {
            all.insert(path.clone(), Vec::new());
            files(&path, all);
        } else if found.is_file() {
            let content = fs::read(&path).expect("a file");
            all.insert(path, content);
        }
    }
}

/// Malformed calls of each tool that must be refused.
const REFUSED_MIN: usize = 30;

#[test]
fn every_argument_of_every_tool_may_be_anything() {
    for tool in TOOLS {
        let (mut count, mut refused) = (0, 0);
        let place = Place::new();
        let (all, required) = properties(tool);
        let session = place.world.session_named("malformed");
        let mut try_it = |arguments: Value| {
            count += 1;
            let answer = place.check(&session, tool, arguments);
            refused += usize::from(answer.is_error);
            answer
        };
        for odd in odd_values() {
            if !odd.is_object() && !odd.is_null() {
                let answer = try_it(odd.clone());
                assert!(answer.is_error, "{} {odd}", tool.name);
            }
            // By names that no argument has, or that only look like those of some.
            for name in ["surprise", "Path"] {
                let mut arguments = base(tool);
                arguments.insert(name.to_owned(), odd.clone());
                let answer = try_it(Value::Object(arguments));
                assert!(answer.is_error, "{} {name:?} {odd}", tool.name);
                assert!(answer.text.contains("unknown field"), "{}: {}", tool.name, answer.text);
            }
            for name in &all {
                let mut arguments = base(tool);
                arguments.insert(name.clone(), odd.clone());
                try_it(Value::Object(arguments));
            }
        }
        for name in &required {
            let mut arguments = base(tool);
            arguments.remove(name);
            let answer = try_it(Value::Object(arguments));
            assert!(answer.is_error && answer.text.contains(name.as_str()), "{}", answer.text);
        }
        let mut arguments = base(tool);
        arguments.insert("surprise".to_owned(), json!(1));
        let answer = try_it(Value::Object(arguments));
        assert!(answer.is_error && answer.text.contains("surprise"), "{}", answer.text);
        // Types that the schema does not have are refused whatever the value.
        for name in &all {
            let schema = &tool.schema()["properties"][name];
            for odd in wrong_types(schema) {
                let mut arguments = base(tool);
                arguments.insert(name.clone(), odd.clone());
                let answer = try_it(Value::Object(arguments));
                assert!(answer.is_error, "{} {name} {odd}: {}", tool.name, answer.text);
            }
        }
        println!("{}: {refused} of {count} malformed calls were refused", tool.name);
        assert!(refused >= REFUSED_MIN, "{}: {refused} of {count}", tool.name);
    }
}

/// Values of each type but the one that an argument has.
fn wrong_types(schema: &Value) -> Vec<Value> {
    let values = [json!(true), json!(1), json!(1.5), json!("x"), json!([{}]), json!({"x": 1})];
    let is_wrong = |value: &Value| match schema["type"].as_str() {
        Some("string") => !value.is_string(),
        Some("integer") => !value.is_u64(),
        Some("number") => !value.is_number(),
        Some("boolean") => !value.is_boolean(),
        Some("array") => !value.is_array(),
        _ => false,
    };
    values.into_iter().filter(is_wrong).collect()
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        "[\\x00-\\x1f./~a-z*?\\[\\]{}()|\\\\]{0,30}".prop_map(Value::from),
        select(odd_values()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((select(vec!["path", "old_str", "new_str", "x"]), inner), 0..4)
                .prop_map(|pairs| {
                    let pairs = pairs.into_iter().map(|(name, value)| (name.to_owned(), value));
                    Value::Object(pairs.collect())
                }),
        ]
    })
}

/// Commands that do no harm, and texts that are none.
const COMMANDS: &[&str] = &[
    "true",
    "",
    " ",
    "\n",
    "true #",
    "true '",
    "(",
    "true &&",
    ": \u{e9}",
    "true\u{0}",
    "\u{7}",
    "true\r\n",
    "[",
    "true; true",
    "$(true)",
    "if",
    "false",
    "{ true; }",
    "true | true",
    "!",
];

/// The value, or one in its place that runs nothing of note and fetches nothing.
fn tame(name: &str, value: Value) -> Value {
    match (name, &value) {
        ("command", Value::String(text)) => json!(COMMANDS[text.len() % COMMANDS.len()]),
        ("url", Value::String(text)) if text.contains("http") => json!("http://127.0.0.1:1/"),
        _ => value,
    }
}

/// Arguments of the tool at a place in the table: the usual ones with several exchanged.
fn any_call() -> impl Strategy<Value = (usize, Value)> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any_value()), 1..4);
    (0..TOOLS.len(), changes).prop_map(|(at, changes)| {
        let tool = &TOOLS[at];
        let (all, _) = properties(tool);
        let mut arguments = base(tool);
        for (which, value) in changes.into_iter().filter(|_| !all.is_empty()) {
            let name = &all[which.index(all.len())];
            arguments.insert(name.clone(), tame(name, value));
        }
        (at, Value::Object(arguments))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_arguments_are_answered(calls in prop::collection::vec(any_call(), 40)) {
        let place = Place::new();
        let session = place.world.session_named("any");
        for (at, arguments) in calls {
            place.check(&session, &TOOLS[at], arguments);
        }
    }
}

#[test]
fn messages_say_what_is_wrong() {
    let place = Place::new();
    place.world.write("picture.png", b"\x89PNG\r\n\x1a\n0000");
    place.world.write("long.txt", "line\n".repeat(12));
    let session = place.world.session_named("messages");
    for (name, arguments, expected) in [
        ("read_file", json!({}), "missing field `path`"),
        ("read_file", json!({"path": 3}), "invalid type: integer `3`, expected a string"),
        ("read_file", json!({"path": "a.rs", "mode": "all"}), "unknown variant `all`"),
        ("read_file", json!({"path": "a.rs", "lines": 3}), "unknown field `lines`"),
        ("read_file", json!({"path": ""}), "the path is empty"),
        ("read_file", json!({"path": "b"}), "`b` is a folder"),
        ("read_file", json!({"path": "none"}), "no such file `none`"),
        ("read_file", json!({"path": "link/secret"}), "leads outside the workspace"),
        ("read_lines", json!({"path": "a.rs", "start": 0, "end": 1}), "lines count from 1"),
        ("read_lines", json!({"path": "a.rs", "start": 3, "end": 2}), "no such range: 3 to 2"),
        ("read_lines", json!({"path": "a.rs", "start": 2, "end": 3}), "has 1 line, none from 2"),
        ("read_lines", json!({"path": "a.rs", "start": -1, "end": 3}), "expected u32"),
        ("read_files", json!({"paths": []}), "give 1 to 50"),
        ("read_files", json!({"paths": vec!["a.rs"; 51]}), "51 paths: give 1 to 50"),
        ("write_file", json!({"path": "a.rs", "content": "x"}), "you have not read it"),
        ("write_file", json!({"path": "n.rs"}), "give either content or handle"),
        (
            "write_file",
            json!({"path": "n.rs", "content": "[12-34 left out; expand 0123456789ab]\n"}),
            "",
        ),
        ("write_file", json!({"path": "link/new", "content": "x"}), "leads outside"),
        ("edit_file", json!({"path": "a.rs", "old_str": "", "new_str": "x"}), "empty"),
        ("edit_file", json!({"path": "a.rs", "old_str": "fn", "new_str": "fn"}), ""),
        ("edit_file", json!({"path": "a.rs", "old_str": "none", "new_str": "x"}), ""),
        ("edit_file", json!({"path": "long.txt", "old_str": "line", "new_str": "x"}), "12"),
        ("multi_edit", json!({"edits": []}), "give 1 to 200"),
        ("multi_edit", json!({"edits": [{"path": "a.rs"}]}), "missing field `old_str`"),
        ("grep", json!({"pattern": "("}), "unclosed group"),
        ("grep", json!({"pattern": "x", "path": "none"}), "no such file `none`"),
        ("grep", json!({"pattern": "x", "type": "klingon"}), "klingon"),
        ("grep", json!({"pattern": "x", "glob": "["}), ""),
        ("glob", json!({"pattern": "["}), ""),
        ("list", json!({"path": "../outside"}), "outside the workspace"),
        ("outline", json!({"path": "b"}), "`b` is a folder"),
        ("search_code", json!({"query": " "}), "the query is empty"),
        ("graph", json!({"symbol": " "}), "the symbol is empty"),
        ("map", json!({"focus": ["none_such"]}), "nothing is called `none_such`"),
        ("bash", json!({"command": "true", "timeout": 0}), "more than 0"),
        ("bash", json!({"command": "true", "timeout": 1e300}), "at most 3600"),
        ("write_stdin", json!({"id": 77}), "77"),
        ("close", json!({"id": 77}), "77"),
        ("web_fetch", json!({"url": "no address"}), ""),
        ("web_fetch", json!({"url": "ftp://example.org/x"}), "ftp"),
        ("expand", json!({"handle": "xyz"}), ""),
        ("expand", json!({"handle": "0123456789ab"}), "no content is stored under `0123456789ab`"),
        ("focus", json!({"paths": ["none"]}), "no such file `none`"),
        ("unfocus", json!({"paths": ["a.rs"]}), "not in focus"),
    ] {
        let tool = find_tool(name).expect("it is in the table");
        let answer = place.check(&session, tool, arguments.clone());
        assert!(answer.is_error, "{name} {arguments}: {}", answer.text);
        assert!(answer.text.contains(expected), "{name} {arguments}: {}", answer.text);
    }
    let unknown = session.call(&ToolRequest::new("rm", json!({})), &CallControl::NONE);
    assert!(unknown.is_error && unknown.text.starts_with("there is no tool `rm`; there are: "));
}
