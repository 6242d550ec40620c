//! Input that cannot be used: one clear line each, and exit code 2.

use crate::world::{Ran, World, session};

fn check(world: &World, arguments: &str, error: &str) {
    let Ran { code, out, err } = world.run(arguments);
    assert_eq!((err.as_str(), out.as_str(), code), (error, "", Some(2)), "{arguments}");
}

#[test]
fn files_that_cannot_be_read() {
    let world = World::new("bad_files");
    world.write("empty.json", "");
    world.write("blank.json", " \n\n");
    world.write("text.json", "this is no session\n");
    world.write("other.json", "{\"name\": \"package\"}");
    world.write("session.json", session("one"));
    world.write("none/readme.md", "nothing here");
    world.write("bad/empty.json", "");
    for (arguments, error) in [
        ("missing.json", "`missing.json` does not exist: check the path"),
        ("empty.json", "`empty.json` is empty: it contains no session"),
        ("blank.json", "`blank.json` is empty: it contains no session"),
        (
            "text.json",
            "`text.json` is not a recorded session of a known format; if it is one, name it with --format",
        ),
        (
            "other.json",
            "`other.json` is not a recorded session of a known format; if it is one, name it with --format",
        ),
        (
            "none",
            "`none` contains no .json, .jsonl, .traj, .ndjson file: give a folder that does, or a \
             file",
        ),
        ("bad", "`bad/empty.json` is empty: it contains no session"),
    ] {
        check(&world, &format!("replay {arguments}"), &format!("error: {error}\n"));
    }
    let wrong = world.run("replay --format codex session.json");
    assert_eq!((wrong.code, wrong.out.as_str()), (Some(2), ""));
    assert_eq!(world.run("show --format codex session.json"), wrong);
    assert!(
        wrong.err.starts_with("error: `session.json` is not in the format `codex`"),
        "{}",
        wrong.err
    );
    assert!(wrong.err.ends_with("omit --format to detect the format\n"), "{}", wrong.err);
}

#[test]
fn options_that_cannot_be_used() {
    let world = World::new("bad_options");
    world.write("session.json", session("one"));
    world.write("two/a.json", session("a"));
    world.write("two/b.json", session("b"));
    world.write("many.jsonl", format!("{}\n{}\n", session("a"), session("b")));
    world.write("prices.json", "{\"name\": \"mine\"}");
    for (arguments, error) in [
        ("session.json --prices cheap", "unknown price card `cheap`: expected one of "),
        (
            "session.json --prices prices.json",
            "`prices.json` is not a price card: the price card has no `input`\n",
        ),
        (
            "session.json --profile best",
            "unknown profile `best`: expected one of lossless, balanced, max",
        ),
        ("session.json --show 0", "there is no turn 0: `one` has turns 1 to 6\n"),
        ("session.json --show 7", "there is no turn 7: `one` has turns 1 to 6\n"),
        (
            "two --show 1",
            "there are several sessions (`a` in `two/a.json`, `b` in `two/b.json` …): name the \
             file of one\n",
        ),
        (
            "many.jsonl --show 1",
            "`many.jsonl` holds several sessions (`a`, `b` …): name a file of one\n",
        ),
        ("--show 1", "--show needs one session: name its file\n"),
        (
            "session.json --show 1 --conversation x",
            "unknown conversation `x`: expected one of one, helper\n",
        ),
        (
            "session.json --show 1 --profile max --profile lossless",
            "--show needs one profile: choose it with --profile NAME\n",
        ),
        (
            "session.json --prompt-log log --profile all",
            "--prompt-log needs one profile: choose it with --profile NAME\n",
        ),
        (
            "session.json --profile raw",
            "`raw` is in every table: use it only with --prompt-log or --show",
        ),
        ("session.json --prompt-log no/folder/log", "`no/folder/log` cannot be written: "),
    ] {
        let Ran { code, out, err } = world.run(&format!("replay {arguments}"));
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments}");
        assert!(err.starts_with(&format!("error: {error}")), "{arguments}: {err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
    let format = world.run("replay session.json --format word");
    assert_eq!(format.code, Some(2));
    assert!(format.err.contains(
        "unknown format `word`: expected one of atif, codex, qwen-code, gemini-cli, cline, claude-code"
    ));
}

#[test]
fn a_bad_file_does_not_keep_the_others_from_being_read() {
    let world = World::new("bad_among_good");
    world.write("all/a.json", session("a"));
    world.write("all/b.json", "");
    world.write("all/c.jsonl", "{}\n{}\n");
    let folder = world.run("replay all --profile lossless");
    assert_eq!(folder.code, Some(0));
    assert!(folder.out.starts_with("1 session, 2 conversations"), "{}", folder.out);
    assert_eq!(
        folder.err,
        "2 files were not read:\n  `all/b.json` is empty: it contains no session\n  \
         `all/c.jsonl` is not a recorded session of a known format; if it is one, name it with --format\n"
    );
    let named = world.run("replay all/a.json all/b.json --profile lossless");
    assert_eq!((named.code, named.out), (Some(2), folder.out));
}

#[cfg(unix)]
#[test]
fn links_that_lead_back_are_followed_once() {
    let world = World::new("links");
    world.write("all/deep/a.json", session("a"));
    std::os::unix::fs::symlink("..", world.folder.join("all/deep/back")).expect("a new link");
    std::os::unix::fs::symlink("nowhere", world.folder.join("all/gone.json")).expect("a new link");
    assert!(world.output("replay all").starts_with("1 session,"));
}

#[test]
fn a_machine_without_sessions_is_told_what_to_do() {
    let world = World::new("no_sessions");
    let Ran { code, out, err } = world.run("replay");
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert_eq!(
        err,
        "Claude Code: nothing in home/.claude/projects\n\
         Codex: nothing in home/.codex/sessions\n\
         Gemini CLI: nothing in home/.gemini/tmp\n\
         Qwen Code: nothing in home/.qwen/projects\n\
         Cline: nothing in home/.cline/data/sessions\n\
         pi: nothing in home/.pi/agent/sessions\n\
         opencode: nothing in home/.local/share/opencode\n\
         foveal: nothing in home/.local/share/foveal\n\
         error: no recorded sessions were found: name a file or folder, or try `foveal replay \
         examples/sessions` in foveal's source folder\n"
    );
    world.write("home/.claude/projects/p/one.jsonl", session("one"));
    world.write("home/.claude/projects/p/notes.json", "{}");
    world.write("home/.local/share/opencode/storage/part/one.json", "{}");
    world.write("home/.local/share/opencode/auth.json", "{}");
    let found = world.run("replay --json");
    assert_eq!(found.code, Some(0));
    assert_eq!(
        found.err,
        "Claude Code: 1 file in home/.claude/projects\n\
         Codex: nothing in home/.codex/sessions\n\
         Gemini CLI: nothing in home/.gemini/tmp\n\
         Qwen Code: nothing in home/.qwen/projects\n\
         Cline: nothing in home/.cline/data/sessions\n\
         pi: nothing in home/.pi/agent/sessions\n\
         opencode: nothing in home/.local/share/opencode\n\
         foveal: nothing in home/.local/share/foveal\n"
    );
}

#[test]
fn a_list_that_is_cut_off_is_a_problem() {
    let world = World::new("cut_list");
    let messages = "[{\"role\": \"user\", \"content\": \"a\"},\n\
                    {\"role\": \"assistant\", \"content\": \"b\"},";
    world.write("between.json", messages);
    world.write("inside.json", format!("{messages} {{\"role\": \"user\", \"con"));
    for name in ["between.json", "inside.json"] {
        let replayed = world.run(&format!("replay {name} --problems"));
        assert!(replayed.err.contains(&format!("{name}:2: the JSON ends early")), "{replayed:?}");
        let shown = world.run(&format!("show {name}"));
        assert_eq!(shown.code, Some(0));
        let said = format!("{name}:2: the JSON ends early: the rest cannot be read");
        assert!(shown.err.contains(&said), "{shown:?}");
    }
    world.write("whole.json", format!("{}]", messages.trim_end_matches(',')));
    assert!(world.output("show whole.json").contains("1 turn, 2 messages"));
}
