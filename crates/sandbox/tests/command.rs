//! Commands from start to end. Waits are generous; no test depends on speed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use foveal_sandbox::{
    CommandEnvironment, CommandError, CommandLimits, CommandOutcome, CompletedCommand,
    OutputRetention, ShellCommand, ShellProgram,
};
use foveal_transcript::CancelToken;

/// Long enough for any expected event.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn environment() -> CommandEnvironment {
    CommandEnvironment::from_inherited(
        [("PATH", "/usr/bin:/bin"), ("HOME", "/nowhere")]
            .map(|(name, value)| (name.into(), value.into())),
    )
}

pub(crate) fn command(text: &str, directory: &Path) -> ShellCommand {
    let shell = ShellProgram::find(None).expect("tests need a shell");
    let mut command = ShellCommand::new(text, directory, environment(), shell);
    command.limits.time_out = PATIENCE;
    command
}

pub(crate) fn run(command: &ShellCommand) -> CompletedCommand {
    command.run(&mut |_| (), &CancelToken::NEVER).expect("the command can be started")
}

pub(crate) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().canonicalize().expect("it exists");
    (folder, path)
}

/// Runs `text` and compares "outcome | output".
#[track_caller]
fn check(text: &str, expected: &str) {
    let (_folder, path) = folder();
    for shell in ["bash", "sh"] {
        let at = PathBuf::from("/bin").join(shell);
        if !at.exists() {
            eprintln!("skipped: no {shell} here");
            continue;
        }
        let mut command = command(text, &path);
        command.shell = ShellProgram::from_path(at);
        let mut streamed = String::new();
        let ran = command
            .run(&mut |piece| streamed.push_str(piece), &CancelToken::NEVER)
            .expect("starts");
        let seen = format!("{} | {}", ran.outcome, ran.output.text());
        assert_eq!(seen, expected, "{shell}: {text}");
        assert_eq!(streamed, ran.output.text(), "{shell}: {text}");
    }
}

/// Returns whether a process runs; a zombie does not.
pub(crate) fn is_running(pid: &str) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    !stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with(['Z', 'X']))
}

/// Waits for the process id that a command wrote to `file`.
pub(crate) fn pid_in(file: &Path) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Ok(text) = std::fs::read_to_string(file)
            && text.ends_with('\n')
        {
            return text.trim().to_owned();
        }
        assert!(Instant::now() < until, "{} was never written", file.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub(crate) fn has_linux_proc() -> bool {
    let has = Path::new("/proc/self/stat").exists();
    if !has {
        eprintln!("skipped: no /proc to see processes in");
    }
    has
}

#[test]
fn exit_codes_and_signals() {
    check("true", "exit code 0 | ");
    check("", "exit code 0 | ");
    check("false", "exit code 1 | ");
    check("exit 42", "exit code 42 | ");
    check("set -e; false; echo not here", "exit code 1 | ");
    check("exec sh -c 'exit 3'", "exit code 3 | ");
    check("(exit 4)", "exit code 4 | ");
    check("trap 'echo bye' EXIT; exit 5", "exit code 5 | bye\n");
    check("trap 'echo bye' EXIT; (exit 6)", "exit code 6 | bye\n");
    check("kill -KILL $$", "ended by signal 9 (SIGKILL) | ");
    check("kill -TERM $$", "ended by signal 15 (SIGTERM) | ");
}

#[test]
fn both_outputs_in_their_order() {
    check("echo a; echo b >&2; echo c; echo d >&2", "exit code 0 | a\nb\nc\nd\n");
}

#[test]
fn nothing_of_the_wrapper_shows() {
    check("echo $#-$*-", "exit code 0 | 0--\n");
    check("env | grep -c foveal", "exit code 1 | 0\n");
    check("-x 2>/dev/null || echo no option", "exit code 0 | no option\n");
    check("set -u; echo fine", "exit code 0 | fine\n");
    check("set -C; echo fine", "exit code 0 | fine\n");
    check("cat <<END\none\n$((1 + 1))\nEND", "exit code 0 | one\n2\n");
    check("echo x # a comment", "exit code 0 | x\n");
}

#[test]
fn messages_have_the_line_numbers_of_the_text() {
    let (_folder, path) = folder();
    let mut command = command("true\nno-such-program-here", &path);
    command.shell = ShellProgram::from_path("/bin/bash".into());
    if !command.shell.path().exists() {
        eprintln!("skipped: no bash here");
        return;
    }
    let ran = run(&command);
    assert_eq!(ran.output.text(), "bash: line 2: no-such-program-here: command not found\n");
    assert_eq!(ran.outcome.to_string(), "exit code 127");
}

#[test]
fn input_is_empty() {
    check("cat", "exit code 0 | ");
    check("read line || echo end", "exit code 0 | end\n");
}

#[test]
fn output_is_untouched() {
    check("printf '10%%\\r100%%\\r\\n'", "exit code 0 | 10%\r100%\r\n");
    check("printf 'no newline'", "exit code 0 | no newline");
    check("printf '\\033[1mx\\000y'", "exit code 0 | \u{1b}[1mx\0y");
}

#[test]
fn bytes_that_are_no_text_are_counted() {
    check("printf 'a\\377\\376b\\303'", "exit code 0 | a\u{fffd}\u{fffd}b\u{fffd}");
    let (_folder, path) = folder();
    let output = run(&command("printf 'a\\377\\376b\\303'", &path)).output;
    assert_eq!(output.replaced_bytes, 3);
    assert_eq!(run(&command("echo é", &path)).output.replaced_bytes, 0);
}

#[test]
fn a_time_out_kills_the_grandchildren() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    // The grandchild ignores the request to end, and holds the output.
    let text =
        "echo begun; sh -c 'trap \"\" TERM; sh -c \"echo \\$\\$ >pid; exec sleep 1000\"' & wait";
    let mut command = command(text, &path);
    command.limits.time_out = Duration::from_secs(2);
    command.limits.grace = Duration::from_millis(50);
    let ran = run(&command);
    assert_eq!(ran.outcome.to_string(), "timed out after 2 s; the process group was killed");
    assert_eq!(ran.output.text(), "begun\n");
    let pid = pid_in(&path.join("pid"));
    assert!(!is_running(&pid), "{pid} goes on");
}

#[test]
fn a_killed_command_may_say_good_bye() {
    let (_folder, path) = folder();
    let mut command = command("trap 'echo bye; exit 1' TERM; while :; do sleep 0.01; done", &path);
    command.limits.time_out = Duration::from_secs(1);
    command.limits.grace = PATIENCE;
    let ran = run(&command);
    assert!(ran.output.text().ends_with("bye\n"), "{:?}", ran.output);
}

#[test]
fn cancelled_while_it_runs() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    let file = path.join("pid");
    let command = command("sleep 1000 & echo $! >pid; wait", &path);
    let ran = command.run(&mut |_| (), &CancelToken::from_fn(&|| file.exists())).expect("starts");
    assert_eq!(ran.outcome, CommandOutcome::Cancelled);
    assert_eq!(ran.outcome.to_string(), "stopped on request; the process group was killed");
    let pid = pid_in(&file);
    assert!(!is_running(&pid), "{pid} goes on");
}

#[test]
fn cancelled_before_it_starts() {
    let (_folder, path) = folder();
    let ran = command("echo x >file", &path)
        .run(&mut |_| (), &CancelToken::from_fn(&|| true))
        .expect("no failure");
    assert_eq!(ran.outcome, CommandOutcome::Cancelled);
    assert!(!path.join("file").exists());
}

#[test]
fn background_jobs_end_with_their_command() {
    if !has_linux_proc() {
        return;
    }
    for (text, output) in [
        ("sleep 1000 & echo $! >pid; echo done", "done\n"),
        ("sleep 1000 >/dev/null 2>&1 & echo $! >pid", ""),
    ] {
        let (_folder, path) = folder();
        let ran = run(&command(text, &path));
        assert_eq!(ran.outcome.to_string(), "exit code 0");
        assert_eq!(ran.output.text(), output);
        assert!(ran.left_background);
        assert!(!is_running(&pid_in(&path.join("pid"))), "{text}");
    }
    let (_folder, path) = folder();
    assert!(!run(&command("seq 1 9 | sort | head -1; true", &path)).left_background);
}

#[test]
fn a_background_job_that_writes_for_ever_holds_nothing_up() {
    let (_folder, path) = folder();
    let ran = run(&command("yes & echo $! >pid; exit 3", &path));
    assert_eq!(ran.outcome.to_string(), "exit code 3");
    if has_linux_proc() {
        assert!(!is_running(&pid_in(&path.join("pid"))));
    }
}

/// Runs a command whose output is read only to its first piece before its shell has ended.
fn run_read_late(command: &ShellCommand, cancel: &CancelToken<'_>) -> CompletedCommand {
    let file = command.directory.join("pid");
    let mut is_first = true;
    let mut wait_once = |_: &str| {
        let pid = if std::mem::take(&mut is_first) { pid_in(&file) } else { return };
        let start = Instant::now();
        while is_running(&pid) {
            assert!(start.elapsed() < PATIENCE, "{pid} never ends");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    command.run(&mut wait_once, cancel).expect("it starts")
}

#[test]
fn what_was_written_before_the_end_is_all_read() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    let mut command = command("echo $$ >pid; sleep 1000 & echo a; seq 1 9000", &path);
    command.limits.drain = Duration::ZERO;
    let ran = run_read_late(&command, &CancelToken::NEVER);
    assert!(ran.output.text().ends_with("\n9000\n"), "{} bytes", ran.output.bytes);

    let (_folder, path) = folder();
    let has_ended = || pid_file_says_ended(&path.join("pid"));
    let command = self::command("echo $$ >pid; echo a; sleep 0.1; seq 1 9000", &path);
    let ran = run_read_late(&command, &CancelToken::from_fn(&has_ended));
    assert_eq!(ran.outcome, CommandOutcome::Cancelled);
    assert!(ran.output.text().ends_with("\n9000\n"), "{} bytes", ran.output.bytes);
}

fn pid_file_says_ended(file: &Path) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.ends_with('\n') && !is_running(text.trim())
}

#[test]
fn endless_output_is_cut_by_time_and_by_size() {
    let (_folder, path) = folder();
    let mut command = command("yes", &path);
    command.limits.keep = OutputRetention { head: 1000, tail: 1000 };
    command.limits.time_out = Duration::from_secs(1);
    let ran = run(&command);
    assert!(matches!(ran.outcome, CommandOutcome::TimedOut { .. }));
    assert!(ran.output.text().len() < 2100);

    command.limits.time_out = PATIENCE;
    command.limits.output_bytes_max = Some(3_000_000);
    let ran = run(&command);
    assert_eq!(
        ran.outcome.to_string(),
        "wrote more than 3000000 bytes; the process group was killed"
    );
    assert!(ran.output.bytes > 3_000_000);
}

#[test]
fn counts_of_a_big_output_are_exact() {
    let (_folder, path) = folder();
    let mut command = command("seq 1 1000000", &path);
    command.limits.keep = OutputRetention { head: 20, tail: 40 };
    let mut streamed = 0;
    let ran =
        command.run(&mut |piece| streamed += piece.len(), &CancelToken::NEVER).expect("starts");
    assert_eq!(
        ran.output.text(),
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n[999986 lines (6888842 bytes) of output left out here]\n\
         999996\n999997\n999998\n999999\n1000000\n"
    );
    assert_eq!(ran.output.bytes, 6_888_896);
    assert_eq!(streamed, 6_888_896);
}

/// Returns the final directory of the command, relative to its first.
#[track_caller]
fn check_directory(text: &str, expected: &str) {
    let (_folder, path) = folder();
    std::fs::create_dir_all(path.join("a/b c")).expect("a folder of ours");
    std::os::unix::fs::symlink("a/b c", path.join("link")).expect("a folder of ours");
    let ran = run(&command(text, &path));
    let seen = ran.directory.map_or("unknown".to_owned(), |directory| {
        let relative = directory.strip_prefix(&path).map(Path::to_path_buf);
        relative.unwrap_or(directory).display().to_string()
    });
    assert_eq!(seen, expected, "{text}");
}

#[test]
fn the_last_directory_is_told() {
    check_directory("true", "");
    check_directory("cd a", "a");
    check_directory("cd 'a/b c' && false", "a/b c");
    check_directory("cd link", "a/b c");
    check_directory("cd a; exit 3", "a");
    check_directory("set -e; cd a; false; cd ..", "a");
    check_directory("trap 'echo mine' EXIT; cd a", "a");
    check_directory("(cd a)", "");
    check_directory("cd /", "/");
    check_directory("mkdir 'new\nline'; cd new*; set -C", "new\nline");
    check_directory("cd a; exec true", "unknown");
    check_directory("cd a; kill -KILL $$", "unknown");
    check_directory("mkdir gone; cd gone; rmdir ../gone", "unknown");
    check_directory("if", "");
    check_directory(
        "rm \"$__foveal_directory\"; mkfifo \"$__foveal_directory\"; exec true",
        "unknown",
    );
    check_directory("rm \"$__foveal_directory\"; cd a", "unknown");
    check_directory("printf '/%020000d\\n' 0 >\"$__foveal_directory\"; exec true", "unknown");
    check_directory("yes >\"$__foveal_directory\" & sleep 0.1; exec true", "unknown");
}

#[test]
fn variables_are_inherited_but_for_a_table() {
    let variables = [("FOVEAL_KEY", "k"), ("EDITOR", "vi"), ("TERM", "xterm"), ("MINE", "m")];
    let environment =
        CommandEnvironment::from_inherited(variables.map(|(n, v)| (n.into(), v.into())))
            .with_variable("MORE", "o");
    let (_folder, path) = folder();
    let mut command = command("echo $FOVEAL_KEY-$EDITOR-$TERM-$MINE-$MORE-$NO_COLOR-$PAGER", &path);
    command.environment = environment;
    assert_eq!(run(&command).output.text(), "--dumb-m-o-1-cat\n");
}

#[test]
fn what_cannot_start_is_said() {
    let (_folder, path) = folder();
    let refusal = |command: &ShellCommand| {
        let error: CommandError =
            command.run(&mut |_| (), &CancelToken::NEVER).expect_err("cannot start");
        error.to_string().replace(path.to_str().expect("plain"), "HERE")
    };
    assert_eq!(
        refusal(&command("a\0b", &path)),
        "the command contains a NUL character; leave it out, or write it as \\0 in a string"
    );
    assert_eq!(
        refusal(&command(&"x".repeat(200_000), &path)),
        "the command is 200000 bytes long, and a shell accepts at most 130048; \
         write it to a file and run that"
    );
    assert_eq!(
        refusal(&command("true", &path.join("missing"))),
        "the working directory HERE/missing does not exist or is not a directory; choose another"
    );
    let mut no_shell = command("true", &path);
    no_shell.shell = ShellProgram::from_path(path.join("shell"));
    assert_eq!(
        refusal(&no_shell),
        "the shell HERE/shell could not be started: No such file or directory (os error 2)"
    );
    let longest = format!("echo {} | wc -c", "x".repeat(130_048 - 13));
    assert_eq!(run(&command(&longest, &path)).outcome.to_string(), "exit code 0");
}

#[test]
fn nothing_runs_on_after_a_panic_of_the_reader() {
    if !has_linux_proc() {
        return;
    }
    let (_folder, path) = folder();
    let command = command("echo $$ >pid; echo boo; sleep 1000", &path);
    let run = || command.run(&mut |_| panic!("reader gives up"), &CancelToken::NEVER);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).is_err());
    assert!(!is_running(&pid_in(&path.join("pid"))));
}

#[test]
fn a_shell_is_found_along_the_path() {
    let (_folder, path) = folder();
    let found = |variable: Option<&Path>| {
        ShellProgram::find(variable.map(Path::as_os_str)).map(|shell| shell.path().to_path_buf())
    };
    let usual = found(None);
    assert_eq!(found(Some(&path)), usual);
    std::fs::create_dir(path.join("sh")).expect("a folder of ours");
    assert_eq!(found(Some(&path)), usual);
    std::fs::write(path.join("bash"), "").expect("a folder of ours");
    assert_eq!(found(Some(&path)), Some(path.join("bash")));
    assert_eq!(found(Some(Path::new("."))), usual);
}

#[test]
fn limits_are_generous_by_default() {
    let CommandLimits { time_out, keep, output_bytes_max, .. } = CommandLimits::default();
    assert_eq!((time_out.as_secs(), keep.head + keep.tail), (120, 1024 * 1024));
    assert_eq!(output_bytes_max, None);
}
