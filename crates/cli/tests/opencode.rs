//! opencode's own sessions: trees of files and databases, made by each test.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::world::{Ran, World, file_text, session};

const DATA: &str = "home/.local/share/opencode";

fn info(id: &str, parent: Option<&str>) -> Value {
    json!({"id": id, "parentID": parent, "directory": "/r", "time": {"created": 1}})
}

/// Two messages: their ids, descriptions and parts.
fn messages(id: &str) -> Vec<(String, Value, Vec<Value>)> {
    let read = json!({"status": "completed", "input": {"filePath": "/r/a.rs"},
        "output": file_text("a", 3), "time": {"start": 3, "end": 4}});
    let start = json!({"type": "step-start"});
    let call = json!({"type": "tool", "callID": "c1", "tool": "read", "state": read});
    let end = json!({"type": "step-finish", "tokens": {"input": 3, "output": 4}});
    vec![
        (
            format!("msg_1{id}"),
            json!({"role": "user", "time": {"created": 1}}),
            vec![json!({"type": "text", "text": "fix it"})],
        ),
        (
            format!("msg_2{id}"),
            json!({"role": "assistant", "modelID": "m", "time": {"created": 2}}),
            vec![start, call, end],
        ),
    ]
}

/// Files as opencode wrote them; `old` as its first versions did.
fn write_tree(world: &World, storage: &str, old: bool, id: &str, parent: Option<&str>) {
    let (session, message, part) = if old {
        let part = format!("session/part/{id}");
        (format!("session/info/{id}"), format!("session/message/{id}"), part)
    } else {
        (format!("session/global/{id}"), format!("message/{id}"), "part".to_owned())
    };
    let write = |path: &str, value: &Value| {
        world.write(&format!("{storage}/{path}.json"), value.to_string());
    };
    write(&session, &info(id, parent));
    for (name, info, parts) in messages(id) {
        write(&format!("{message}/{name}"), &info);
        for (at, value) in parts.iter().enumerate() {
            write(&format!("{part}/{name}/prt_{at}"), value);
        }
    }
}

fn database(world: &World, path: &str, ids: &[&str]) -> Connection {
    world.write(path, "");
    let database = Connection::open(world.folder.join(path)).expect("a new database");
    database
        .execute_batch(
            "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL,
                 time_created INTEGER NOT NULL);
             CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,
                 time_created INTEGER NOT NULL, data TEXT NOT NULL);
             CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL,
                 session_id TEXT NOT NULL, time_created INTEGER NOT NULL, data TEXT NOT NULL);",
        )
        .expect("new tables");
    let insert = |table: &str, values: &str, row: &[&dyn rusqlite::ToSql]| {
        let text = format!("INSERT INTO {table} VALUES ({values})");
        database.execute(&text, row).expect("a new row");
    };
    for (time, id) in ids.iter().enumerate() {
        let parent = (time > 0).then_some(ids[0]);
        insert("session", "?, ?, '/r', ?", &[id, &parent, &(time as i64)]);
        // The rows of later messages and parts come first: times and ids order them.
        for (at, (name, info, parts)) in messages(id).into_iter().enumerate().rev() {
            insert("message", "?, ?, ?, ?", &[&name, id, &(at as i64), &info.to_string()]);
            for (at, value) in parts.iter().enumerate().rev() {
                let part = format!("prt_{at}{name}");
                insert("part", "?, ?, ?, 0, ?", &[&part, &name, id, &value.to_string()]);
            }
        }
    }
    insert("session", "'ses_empty', NULL, '/r', 9", &[]);
    database
}

/// What `foveal show` prints of a session whatever it was read from.
fn shown(id: &str, of: &str) -> String {
    format!(
        "{id}, agent OpenCode, in /r{of}: 1 turn, 3 messages\n  \
         01 user fix it 2t\n\
         turn 1\n  \
         02 assistant [read a.rs] 10t\n  \
         03 tool_result read: read a.rs 45t\n"
    )
}

#[test]
fn every_layout_gives_the_same_session() {
    let world = World::new("opencode_layouts");
    write_tree(&world, "new", false, "ses_a", None);
    write_tree(&world, "old", true, "ses_a", None);
    drop(database(&world, "one.db", &["ses_a"]));
    let expected = shown("ses_a", "");
    for path in ["new", "new/session/global/ses_a.json", "old", "old/session", "one.db"] {
        assert_eq!(world.output(&format!("show {path}")), expected, "{path}");
    }
    // A message may hold its parts itself.
    std::fs::remove_dir_all(world.folder.join("new/part/msg_1ses_a")).expect("it is there");
    let mut first = messages("ses_a").swap_remove(0);
    first.1["parts"] = json!(first.2);
    world.write("new/message/ses_a/msg_1ses_a.json", first.1.to_string());
    assert_eq!(world.output("show new"), expected);
}

#[test]
fn sub_agents_are_conversations_of_their_own() {
    let world = World::new("opencode_children");
    write_tree(&world, "storage", false, "ses_a", None);
    write_tree(&world, "storage", false, "ses_b", Some("ses_a"));
    let child = world.output("show storage/session/global/ses_b.json");
    assert_eq!(child, shown("ses_b", ", of ses_a"));
    drop(database(&world, "two.db", &["ses_a", "ses_b"]));
    let Ran { code, err, .. } = world.run("show two.db");
    assert_eq!(code, Some(2));
    assert_eq!(
        err,
        "error: `two.db` holds several sessions (`ses_a`, `ses_b` …): export one: \
         `opencode export ses_a > session.json`\n"
    );
    for path in ["storage", "two.db"] {
        let text = world.output(&format!("replay {path} --json --per-session"));
        let document: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&document["sessions"], &document["conversations"]), (&json!(2), &json!(2)));
        assert_eq!(document["raw"]["requests"], 2);
        assert_eq!(document["per_session"][1]["session"], "ses_b");
    }
}

#[test]
fn ones_own_sessions_are_found_once() {
    let world = World::new("opencode_own");
    let found = |world: &World| {
        let Ran { code, out, err } = world.run("replay --profile lossless");
        assert_eq!(code, Some(0), "{err}");
        let line = err.lines().find(|line| line.starts_with("opencode: ")).expect("a line of it");
        (line.to_owned(), out.lines().next().unwrap_or_default().to_owned())
    };
    write_tree(&world, &format!("{DATA}/storage"), false, "ses_a", None);
    write_tree(&world, &format!("{DATA}/project/p/storage"), true, "ses_a", None);
    write_tree(&world, &format!("{DATA}/project/p/storage"), true, "ses_old", None);
    world.write(&format!("{DATA}/auth.json"), "{}");
    world.write(&format!("{DATA}/storage/session/global/ses_void.json"), "{}");
    let (line, head) = found(&world);
    assert_eq!(line, format!("opencode: 2 sessions in {DATA}"));
    assert!(head.starts_with("2 sessions, 2 conversations;"), "{head}");
    // The change to the database leaves the files.
    let open = database(&world, &format!("{DATA}/opencode.db"), &["ses_a", "ses_b"]);
    assert_eq!(found(&world).0, format!("opencode: 3 sessions in {DATA}"));
    drop(open);
    drop(database(&world, "elsewhere.db", &["ses_c"]));
    let moved = world.folder.join("elsewhere.db");
    let with = [("OPENCODE_DB", moved.to_str().expect("a plain name"))];
    let Ran { err, .. } = world.run_with("replay --profile lossless", &with);
    assert!(err.contains(&format!("opencode: 4 sessions in {DATA}\n")), "{err}");
    let with = [("XDG_DATA_HOME", "/nowhere")];
    let Ran { err, .. } = world.run_with("replay --profile lossless", &with);
    assert!(err.contains("opencode: nothing in /nowhere/opencode\n"), "{err}");
}

#[test]
fn reading_leaves_no_traces() {
    let world = World::new("opencode_traces");
    let open = database(&world, "data/opencode.db", &["ses_a"]);
    let names = || {
        let entries = std::fs::read_dir(world.folder.join("data")).expect("a folder");
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    open.pragma_update(None, "journal_mode", "WAL").expect("a log is possible here");
    // While a program holds it open, its newest changes stand in the log.
    open.execute("DELETE FROM session WHERE id = 'ses_empty'", []).expect("a change");
    assert_eq!(names().len(), 3);
    assert_eq!(world.output("show data"), shown("ses_a", ""));
    drop(open);
    assert_eq!(names(), ["opencode.db"]);
    assert_eq!(world.output("show data"), shown("ses_a", ""));
    assert_eq!(names(), ["opencode.db"]);
}

#[test]
fn what_is_broken_is_reported_and_the_rest_is_read() {
    let world = World::new("opencode_broken");
    write_tree(&world, "tree", false, "ses_a", None);
    world.write("tree/part/msg_2ses_a/prt_9.json", "{\"type\": ");
    let open = database(&world, "one.db", &["ses_a"]);
    open.execute("INSERT INTO part VALUES ('prt_9', 'msg_2ses_a', 'ses_a', 0, '{')", [])
        .expect("a new row");
    drop(open);
    for (path, name, column) in
        [("tree", "tree/part/msg_2ses_a/prt_9.json", 9), ("one.db", "one.db, part prt_9", 1)]
    {
        let Ran { code, err, .. } = world.run(&format!("replay {path} --profile lossless"));
        assert_eq!(code, Some(0), "{err}");
        let what = if path == "tree" { "a value" } else { "an object" };
        let expected = format!(
            "1 problem in the files that were read:\n  {name}:1: not valid JSON: EOF while parsing \
             {what} at column {column}\n"
        );
        assert_eq!(err, expected);
    }
}

#[test]
fn a_database_that_cannot_be_read_is_one_line() {
    let world = World::new("opencode_unreadable");
    write_tree(&world, "all/storage", false, "ses_a", None);
    let locked = database(&world, "all/opencode.db", &["ses_b"]);
    locked.execute_batch("BEGIN EXCLUSIVE").expect("nobody else has it");
    let newer = database(&world, "newer.db", &["ses_b"]);
    newer.execute_batch("DROP TABLE part; ALTER TABLE message RENAME TO said").expect("a change");
    drop(newer);
    drop(database(&world, "none.db", &[]));
    let mut bytes = std::fs::read(world.folder.join("none.db")).expect("a database");
    bytes.truncate(700);
    world.write("cut.db", &bytes);
    let export = "to read a session, export it: `opencode export SESSION > session.json`";
    for (path, error) in [
        (
            "all/opencode.db",
            "`all/opencode.db` is locked by another program: try again when opencode has ended",
        ),
        ("cut.db", "`cut.db` cannot be read as a database: database disk image is malformed"),
        (
            "newer.db",
            &format!(
                "`newer.db` does not have a known opencode database schema (no such table: \
                 message); {export}\n"
            ),
        ),
        ("none.db", &format!("`none.db` has no messages in the known tables; {export}\n")),
    ] {
        let Ran { code, out, err } = world.run(&format!("replay {path}"));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{path}");
        assert!(err.starts_with(&format!("error: {error}")), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    let Ran { code, out, err } = world.run("replay all --profile lossless");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with("1 session, 1 conversation;"), "{out}");
    assert!(err.starts_with("1 file was not read:\n  `all/opencode.db` is locked"), "{err}");
}

/// The line that `--per-session` gives of each session read, and what was complained of.
fn replayed(world: &World, path: &str) -> (Vec<String>, String) {
    let arguments = format!("replay {path} --json --per-session --profile lossless");
    let Ran { code, out, err } = world.run(&arguments);
    assert_eq!(code, Some(0), "{err}");
    let document: Value = serde_json::from_str(&out).expect("JSON");
    let sessions = document["per_session"].as_array().expect("a list");
    let mut names: Vec<_> = sessions.iter().map(|one| one["session"].to_string()).collect();
    names.iter_mut().for_each(|name| name.retain(|c| c != '"'));
    names.sort();
    (names, err)
}

#[test]
fn what_is_beside_a_database_or_a_tree_is_read_too() {
    let world = World::new("opencode_mixed");
    for folder in ["of_database", "of_tree", "of_data", "of_empty", "of_nothing"] {
        world.write(&format!("{folder}/notes.json"), session("notes"));
        world.write(&format!("{folder}/sub/b.json"), session("b"));
    }
    drop(database(&world, "of_database/opencode.db", &["ses_a"]));
    write_tree(&world, "of_tree", false, "ses_a", None);
    world.write("of_tree/session_diff/ses_a.json", "[]");
    drop(database(&world, "of_data/opencode.db", &["ses_a"]));
    world.write("of_data/auth.json", "{}");
    write_tree(&world, "of_data/storage", false, "ses_a", None);
    write_tree(&world, "of_data/project/p/storage", true, "ses_a", None);
    for folder in ["of_database", "of_tree", "of_data"] {
        let (names, complaint) = replayed(&world, folder);
        assert_eq!(
            (names.join(" ").as_str(), complaint.as_str()),
            ("b notes ses_a", ""),
            "{folder}"
        );
    }
    drop(database(&world, "of_empty/opencode.db", &[]));
    world.write("of_nothing/opencode.db", "");
    for (folder, why) in [
        ("of_empty", "has no messages in the known tables; "),
        ("of_nothing", "is empty: it contains no session\n"),
    ] {
        let (names, complaint) = replayed(&world, folder);
        assert_eq!(names.join(" "), "b notes", "{folder}");
        let expected = format!("1 file was not read:\n  `{folder}/opencode.db` {why}");
        assert!(complaint.starts_with(&expected), "{complaint}");
        assert_eq!(complaint.lines().count(), 2, "{complaint}");
    }
}

#[test]
fn in_ones_own_data_folder_only_opencodes_sessions_are_read() {
    let world = World::new("opencode_own_files");
    drop(database(&world, &format!("{DATA}/opencode.db"), &["ses_a"]));
    let (_, first, parts) = messages("ses_x").swap_remove(0);
    let export =
        json!({"info": info("ses_x", None), "messages": [{"info": first, "parts": parts}]});
    world.write(&format!("{DATA}/oauth-fix.json"), export.to_string());
    for keys in ["auth.json", "mcp-auth.json"] {
        world.write(&format!("{DATA}/{keys}"), export.to_string().replace("ses_x", keys));
    }
    world.write(&format!("{DATA}/notes.json"), session("notes"));
    world.write(&format!("{DATA}/sub/b.json"), session("b"));
    let (names, complaint) = replayed(&world, "");
    assert_eq!(names.join(" "), "ses_a ses_x");
    assert!(complaint.contains(&format!("opencode: 2 sessions in {DATA}\n")), "{complaint}");
}

#[test]
fn a_database_is_not_opened_as_another_format() {
    let world = World::new("opencode_other_format");
    drop(database(&world, "opencode.db", &["ses_a", "ses_b", "ses_c"]));
    for path in ["opencode.db", "."] {
        let Ran { code, err, .. } = world.run(&format!("replay {path} --format codex"));
        assert_eq!(code, Some(2));
        assert!(err.contains("opencode.db` is not in the format `codex`"), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    assert!(world.output("replay . --format opencode").starts_with("3 sessions,"));
}

#[cfg(unix)]
#[test]
fn names_need_not_be_utf8_to_be_left_without_traces() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new("opencode_bytes");
    let open = database(&world, "one.db", &["ses_a"]);
    open.pragma_update(None, "journal_mode", "WAL").expect("a log is possible here");
    drop(open);
    let folder = world.folder.join(std::ffi::OsStr::from_bytes(b"all/\xff%?"));
    if std::fs::create_dir_all(&folder).is_err() {
        eprintln!("skipped: names are UTF-8 here");
        return;
    }
    std::fs::rename(world.folder.join("one.db"), folder.join("opencode.db")).expect("it is there");
    assert_eq!(world.output("show all"), shown("ses_a", ""));
    assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1);
}

/// Runs the program while nobody may look into the folder `closed`.
#[cfg(unix)]
fn run_without(world: &World, closed: &str, arguments: &str) -> Ran {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let closed = world.folder.join(closed);
    let mode = |mode| fs::set_permissions(&closed, Permissions::from_mode(mode));
    mode(0).expect("a folder of this test alone");
    let mut command = world.command(arguments);
    if fs::read_dir(&closed).is_ok() {
        // The superuser may look everywhere.
        command.uid(65534).gid(65534);
    }
    let ran = world.ran(&mut command);
    mode(0o755).expect("a folder of this test alone");
    ran
}

#[cfg(unix)]
#[test]
fn folders_that_cannot_be_listed_are_told() {
    let world = World::new("opencode_closed");
    let storage = format!("{DATA}/storage");
    write_tree(&world, &storage, false, "ses_a", None);
    write_tree(&world, &storage, false, "ses_b", None);
    let path = |name: &str| world.folder.join(&storage).join(name);
    std::fs::create_dir_all(path("session/more")).expect("a new folder");
    std::fs::rename(path("session/global/ses_b.json"), path("session/more/ses_b.json"))
        .expect("it is there");
    let places = "Claude Code: nothing in home/.claude/projects\n\
        Codex: nothing in home/.codex/sessions\n\
        Gemini CLI: nothing in home/.gemini/tmp\n\
        Qwen Code: nothing in home/.qwen/projects\n\
        Cline: nothing in home/.cline/data/sessions\n\
        pi: nothing in home/.pi/agent/sessions\n\
        opencode: ";
    for (closed, sessions, complaint) in [
        ("/session/more", 1, "1 file was not read:\n  "),
        ("/message/ses_a", 1, "1 file was not read:\n  "),
        ("/part/msg_2ses_a", 2, "1 problem in the files that were read:\n  "),
        ("/session", 0, "error: "),
        ("/message", 0, "error: "),
        ("", 0, "error: "),
    ] {
        let closed = format!("{storage}{closed}");
        let expected =
            format!("{complaint}`{closed}` cannot be read: Permission denied (os error 13)\n");
        for named in [&storage, DATA, ""] {
            let arguments = format!("replay {named} --profile lossless");
            let Ran { code, out, err } = run_without(&world, &closed, &arguments);
            let found = if named.is_empty() { places } else { "" };
            assert!(err.starts_with(found), "{err}");
            let lines = if named.is_empty() { 8 } else { 0 };
            let complaint: String = err.split_inclusive('\n').skip(lines).collect();
            assert_eq!(complaint, expected, "{arguments}");
            assert_eq!(code, Some(if sessions > 0 { 0 } else { 2 }), "{arguments}");
            let head = format!("{sessions} session");
            assert!(sessions == 0 || out.starts_with(&head), "{arguments}: {out}");
        }
    }
}

/// A database of opencode 2: messages are one record each.
fn add_records(database: &Connection, table: &str, id: &str, names: &[&str]) {
    let columns = "id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT, \
                   directory TEXT NOT NULL, time_created INTEGER NOT NULL";
    let records = "id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL, \
                   seq INTEGER NOT NULL, data TEXT NOT NULL";
    let create = format!(
        "CREATE TABLE IF NOT EXISTS {table} ({columns});
         CREATE TABLE IF NOT EXISTS session_message ({records});"
    );
    database.execute_batch(&create).expect("new tables");
    let session = format!("INSERT INTO {table} (id, directory, time_created) VALUES (?, '/r', 5)");
    database.execute(&session, [id]).expect("a new row");
    let mut seq = 0;
    let mut add = |kind: &str, data: Value| {
        seq += 1;
        let row = (format!("msg_{id}{seq}"), id, kind, seq, data.to_string());
        let text = "INSERT INTO session_message VALUES (?, ?, ?, ?, ?)";
        database.execute(text, row).expect("a new row");
    };
    add("model-switched", json!({"model": {"id": "m"}}));
    add("user", json!({"text": "fix it", "time": {"created": 1}}));
    for (at, name) in names.iter().enumerate() {
        let state = json!({"status": "completed", "input": {"filePath": "/r/a.rs"},
            "content": [{"type": "text", "text": file_text("a", 3)}]});
        let tokens = json!({"input": 3, "output": 4, "reasoning": 0,
            "cache": {"read": 1000 * at, "write": 1000}});
        add(
            "assistant",
            json!({"agent": "build", "model": {"id": "m"}, "time": {"created": 2 + at},
                "tokens": tokens,
                "content": [{"type": "tool", "id": name, "name": "read", "state": state}]}),
        );
    }
    let failed = json!({"agent": "build", "model": {"id": "m"}, "content": [],
        "error": {"message": "overloaded"}, "time": {"created": 9}});
    add("assistant", failed);
    add("idle", json!({"outcome": "failed", "time": {"created": 9}}));
}

fn counted(world: &World, path: &str) -> (Value, Value) {
    let ran = world.run(&format!("replay {path} --json"));
    assert!(!ran.err.contains("problem"), "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).expect("JSON");
    (document["sessions"].clone(), document["raw"]["requests"].clone())
}

#[test]
fn sessions_of_newer_versions_are_read_once() {
    let world = World::new("opencode_records");
    world.write("new.db", "");
    let new = Connection::open(world.folder.join("new.db")).expect("a new database");
    add_records(&new, "session_v2", "ses_a", &["c1"]);
    drop(new);
    assert_eq!(world.output("show new.db"), shown("ses_a", ""));
    // A database that was taken over has sessions of both versions, and some in both tables.
    let both = database(&world, "both.db", &["ses_a"]);
    add_records(&both, "session_v2", "ses_b", &["A", "B"]);
    assert_eq!(counted(&world, "both.db"), (json!(2), json!(3)));
    add_records(&both, "session_v2", "ses_a", &["C", "D"]);
    assert_eq!(counted(&world, "both.db"), (json!(2), json!(4)));
    // A fork has the records of the other under new ids.
    add_records(&both, "session_v2", "ses_fork", &["A", "B", "E"]);
    assert_eq!(counted(&world, "both.db"), (json!(3), json!(5)));
    drop(both);
    let path = format!("{DATA}/opencode.db");
    world.write(&path, std::fs::read(world.folder.join("both.db")).expect("it was written"));
    assert_eq!(counted(&world, ""), (json!(3), json!(5)), "without a path");
    // For a time the records stood beside the old table of sessions.
    world.write("between.db", "");
    let between = Connection::open(world.folder.join("between.db")).expect("a new database");
    add_records(&between, "session", "ses_a", &["c1"]);
    drop(between);
    assert_eq!(world.output("show between.db"), shown("ses_a", ""));
}
