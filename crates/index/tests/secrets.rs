//! What the index keeps of files that hold secrets.

use std::fs;

use foveal_index::SearchOptions;
use rusqlite::Connection;

use crate::world::{World, dump, update};

/// Passwords and the like, none of which may be kept.
const SECRETS: [&str; 6] = [
    "hrT9vkQ2xLw7",
    "q8Zx61LmP0vTr7Ws",
    "Wm4kT0pZ9sXe",
    "b7Rk2vQ9xWm4kT0pZ9sX",
    "zq81mVb2PfL6",
    "kV93xTq0LmZ8",
];

/// Files whose syntax has secrets in names, signatures and texts.
fn world(test: &str) -> World {
    let world = World::new(test);
    let [json, python, shell, yaml, rust, toml] = SECRETS;
    world.write("app.json", format!("{{\n  \"host\": \"db\",\n  \"password\": \"{json}\"\n}}\n"));
    world.write("app.py", format!("def connect():\n    pass\n\nAPI_TOKEN = \"{python}\"\n"));
    world.write("run.sh", format!("start() {{\n  true\n}}\nDB_PASS={shell}\n"));
    world.write("app.yaml", format!("database:\n  name: a\n  client_secret: {yaml}\n"));
    let rust =
        format!("/// Connects.\npub const PASSWORD: &str = \"{rust}\";\npub fn connect() {{}}\n");
    world.write("src/lib.rs", rust);
    world.write("app.toml", format!("[server]\nauth_token = \"{toml}\"\n"));
    world
}

#[test]
fn no_secret_is_kept_or_found() {
    let world = world("secrets_kept");
    let mut index = world.open();
    update(&mut index);
    let kept = dump(&mut index);
    assert!(kept.contains("connect"), "{kept}");
    for secret in SECRETS {
        assert!(!kept.contains(secret), "{kept}");
        for question in [secret, "password", "api token database"] {
            let hits = index.search(question, &SearchOptions::default()).expect("an index");
            assert!(!format!("{hits:?}").contains(secret), "{hits:?}");
        }
    }
}

#[test]
fn lines_stay_where_they_are() {
    let world = World::new("secrets_lines");
    let body = "MIIEpAIBAAKCAQEA7bq0123456789abcdefghijKLMNOPqrstuvwxyz0123456789a\n".repeat(5);
    let key = format!("{0}BEGIN RSA PRIVATE KEY{0}\n{body}{0}END RSA PRIVATE KEY{0}", "-----");
    world.write(
        "a.py",
        format!("KEY = \"\"\"{key}\"\"\"\n\n\ndef after_the_key():\n    return 1\n"),
    );
    let mut index = world.open();
    update(&mut index);
    let symbols = index.symbols().expect("an index");
    let mut all = symbols.iter().flat_map(|file| &file.definitions);
    let lines = all.find(|of| &*of.name == "after_the_key").map(|of| of.lines.to_string());
    assert_eq!(lines.as_deref(), Some("10-11"), "{symbols:?}");
}

/// Whether the file of the index, or one beside it, has `text` in clear.
fn holds(world: &World, text: &str) -> bool {
    let folder = world.store().parent().expect("a folder").to_owned();
    fs::read_dir(folder).expect("a folder").flatten().any(|entry| {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    })
}

#[test]
fn what_another_version_kept_is_overwritten() {
    let world = world("secrets_version");
    update(&mut world.open());
    let connection = Connection::open(world.store()).expect("a store");
    let filler = "x".repeat(5_000);
    for number in 0..50 {
        let text = format!("{filler}{}{number}", SECRETS[0]);
        let sql = "UPDATE content SET symbols = CAST(?1 AS BLOB) WHERE file % 50 = ?2 % 50";
        connection.execute(sql, (&text, number)).expect("a store");
    }
    connection.execute_batch("PRAGMA user_version = 1").expect("a store");
    drop(connection);
    assert!(holds(&world, SECRETS[0]));
    let mut index = world.open();
    update(&mut index);
    assert!(!holds(&world, SECRETS[0]));
}

#[cfg(unix)]
#[test]
fn nobody_else_may_read_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world("secrets_rights");
    let root = world.root();
    let mode = |path: &std::path::Path| {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    };
    let open = |path: &std::path::Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    let top = root.join("../foveal");
    let store = top.join("index/a.db");
    fs::create_dir_all(top.join("index")).expect("a folder");
    for folder in [&top, &top.join("index")] {
        open(folder, 0o755);
    }
    for _ in 0..2 {
        let mut index = world.open_at(&store);
        update(&mut index);
        assert_eq!([mode(&top), mode(&top.join("index"))], [0o700; 2]);
        let files = fs::read_dir(top.join("index")).expect("a folder").flatten();
        let files: Vec<_> = files.map(|entry| entry.path()).collect();
        assert!(files.len() >= 2, "a log is there too: {files:?}");
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
            // As an earlier version may have left it.
            open(&file, 0o644);
        }
        open(&top, 0o755);
        std::mem::forget(index);
    }
}
