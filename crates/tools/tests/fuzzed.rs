//! What holds for any bytes that others choose; `fuzz/src/lib.rs` takes this file as it is.

use std::fs;
use std::process::{Command, Stdio};

use foveal_store::{ContentStore, SessionId, SessionMetadata, SessionStore, SqliteStore};
use foveal_tool_effects::{CommandLinePart, SimpleCommandLine};
use foveal_transcript::Timestamp;
use foveal_workspace::file_search::visible_files;

/// What is done with the bytes of one target.
pub(crate) type Target = fn(&[u8]);

/// All targets, by the name of their corpus.
pub(crate) const TARGETS: &[(&str, Target)] = &[
    ("commands", commands),
    ("redaction", redaction),
    ("ignore_rules", ignore_rules),
    ("store_file", store_file),
];

/// Depth of folders that are looked at.
const DEPTH_MAX: usize = 8;

/// A command in a line of its own is seen, whatever stands after it, or the line is not plain; and of
/// a plain line a shell runs the programs that were seen, and no others.
pub(crate) fn commands(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let programs = |text: &str| {
        let parts = SimpleCommandLine::parse(text)?.parts.into_iter();
        let program = |part| match part {
            CommandLinePart::Command(words) => Some(words[0].text.clone()),
            CommandLinePart::Redirection { .. } => None,
        };
        Some(parts.filter_map(program).collect::<Vec<String>>())
    };
    if let Some(seen) = programs(&format!("forbidden --now\n{text}")) {
        assert_eq!(seen[0], "forbidden", "{text:?}");
    }
    // What might harm the machine, or run what its words say, is not tried.
    let is_safe = !["/", "..", "~", "%", "kill", "cd", "pushd"].iter().any(|it| text.contains(it));
    let runs_others = |line: &SimpleCommandLine| line.parts.iter().any(CommandLinePart::is_runner);
    if is_safe
        && let Some(line) = SimpleCommandLine::parse(&text).filter(|line| !runs_others(line))
        && let Some(seen) = programs(&text)
        && let Some(ran) = programs_run(&text)
    {
        let unseen = ran.split_terminator('\0').find(|name| !seen.iter().any(|seen| seen == name));
        assert_eq!(unseen, None, "{text:?}: {line:?}");
    }
}

/// The names of the programs that `bash` looks for, a NUL behind each; it finds none.
fn programs_run(line: &str) -> Option<String> {
    const SCRIPT: &str = "names=$2; PATH=/nonexistent\n\
        command_not_found_handle() { printf '%s\\0' \"$1\" >>\"$names\"; }; eval \" $1\"";
    let [folder, place] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let names = place.path().join("names");
    let mut shell = Command::new("bash");
    shell.args(["-c", SCRIPT, "bash", line]).arg(&names).current_dir(folder.path());
    shell.env_clear().stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().ok()?;
    Some(fs::read_to_string(names).unwrap_or_default())
}

/// What is left has the same lines, the secrets are told in order, and nothing else is changed.
pub(crate) fn redaction(bytes: &[u8]) {
    let found = foveal_redaction::find_secrets(bytes);
    assert!(found.is_sorted_by(|a, b| a.range.end <= b.range.start), "{found:?}");
    assert!(found.iter().all(|one| one.range.end <= bytes.len()), "{found:?}");
    let feeds = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    match foveal_redaction::redact(bytes) {
        None => assert!(found.is_empty()),
        Some(left) => {
            assert_eq!(left.secrets as usize, found.len());
            assert_eq!(feeds(&left.bytes), feeds(bytes));
            let before = &bytes[..found[0].range.start];
            assert!(left.bytes.starts_with(before));
            let after = &bytes[found[found.len() - 1].range.end..];
            assert!(left.bytes.ends_with(after));
        }
    }
}

/// Rules of ignored files leave files out, and find none that is not there.
pub(crate) fn ignore_rules(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let names = ["a.rs", "b/c.txt", "b/d/e", "x y/z", "target/out"];
    for name in names {
        let place = folder.path().join(name);
        fs::create_dir_all(place.parent().expect("a folder")).expect("a folder");
        fs::write(place, "").expect("a file");
    }
    for rules in [".gitignore", "b/.ignore", ".rgignore"] {
        fs::write(folder.path().join(rules), bytes).expect("a file");
    }
    for found in visible_files(folder.path(), None, DEPTH_MAX) {
        let name = found.strip_prefix(folder.path()).expect("it is in the folder");
        assert!(names.iter().any(|one| name.as_os_str() == *one), "{}", found.display());
    }
}

/// Whatever stands in the place of a store, one can be used afterwards.
pub(crate) fn store_file(bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("store.db");
    fs::write(&place, bytes).expect("a file");
    let store = SqliteStore::open(&place).expect("what is no store is put aside");
    let session = SessionId("fuzz".into());
    let now = Timestamp(1);
    store.open_session(&session, &SessionMetadata::default(), now).expect("a session");
    let handle = store.put_content(Some(&session), b"content", now).expect("it is stored").handle;
    let content = store.content(handle).expect("a store").expect("it was stored");
    assert_eq!(&*content.bytes, b"content");
}
