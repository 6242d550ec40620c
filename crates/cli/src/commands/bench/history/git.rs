//! The `git` program, asked about one repository.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};

/// Variables that would make git look elsewhere than at the folder it is given, or fetch.
const VARIABLES: &[&str] =
    &["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"];

/// What git said to a short command.
struct Answer {
    /// Whether it did what it was asked.
    done: bool,
    /// Its output, or if it failed its complaint.
    text: String,
}

/// A repository, bare or not.
#[derive(Debug, Clone)]
pub(super) struct Git {
    folder: PathBuf,
}

impl Git {
    /// The repository at `folder`, which needs commits and a full history.
    ///
    /// # Errors
    /// If there is no such repository, or `git` cannot be run.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let name = folder.display();
        if !folder.exists() {
            bail!("`{name}` does not exist: check the path");
        }
        if !folder.is_dir() {
            bail!("`{name}` is a file: name the folder of a git repository");
        }
        let git = Self { folder: folder.to_owned() };
        let inside = git.ask(&["rev-parse", "--git-dir"])?;
        if !inside.done {
            let owner = inside.text.contains("dubious ownership");
            let why = if owner {
                "git refuses it, as it belongs to someone else"
            } else {
                "no git repository"
            };
            bail!("`{name}` is not usable: {why}");
        }
        if !git.ask(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?.done {
            bail!("`{name}` has no commit at HEAD: nothing to sample");
        }
        if git.ask(&["rev-parse", "--is-shallow-repository"])?.text == "true" {
            bail!(
                "`{name}` has a shallow history: get the rest with `git -C {name} fetch --unshallow`"
            );
        }
        Ok(git)
    }

    /// Starts `git` with `arguments`; what it says on standard error goes to `complaints`.
    fn start(&self, arguments: &[&str], complaints: Stdio) -> anyhow::Result<Child> {
        let mut command = Command::new("git");
        command.args(["--no-pager", "--no-replace-objects", "-C"]).arg(&self.folder);
        command.args(arguments);
        VARIABLES.iter().for_each(|variable| {
            command.env_remove(variable);
        });
        // A partial clone would otherwise ask its server for every file.
        command.env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(complaints);
        match command.spawn() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                bail!("`git` was not found: install it, or use --cases")
            }
            spawned => spawned.context("`git` cannot be started"),
        }
    }

    /// Runs a short command.
    fn ask(&self, arguments: &[&str]) -> anyhow::Result<Answer> {
        let output = self.start(arguments, Stdio::piped())?.wait_with_output();
        let output = output.context("`git` failed")?;
        let done = output.status.success();
        let bytes = if done { &output.stdout } else { &output.stderr };
        Ok(Answer { done, text: String::from_utf8_lossy(bytes).trim().to_owned() })
    }

    /// The log of the newest `commits_max` commits with at most one parent: for each `\x1e`,
    /// its id, `\x1f`, its message, `\x1f`, and its changes as `--raw -z` writes them.
    ///
    /// # Errors
    /// If git cannot give it.
    pub(super) fn log(&self, commits_max: usize) -> anyhow::Result<Vec<u8>> {
        let count = format!("--max-count={commits_max}");
        let child = self.start(
            &[
                "log",
                &count,
                "-z",
                "--raw",
                "--no-abbrev",
                "--find-renames",
                "--no-merges",
                "--no-show-signature",
                "--no-notes",
                "--no-color",
                "--no-ext-diff",
                "--ignore-submodules=none",
                "--encoding=UTF-8",
                "--format=%x1e%H%x1f%B%x1f",
                "HEAD",
            ],
            Stdio::piped(),
        )?;
        let output = child.wait_with_output().context("`git log` failed")?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            let reason = reason.lines().next().unwrap_or("it says nothing");
            bail!("`git log` failed in `{}`: {reason}", self.folder.display());
        }
        Ok(output.stdout)
    }

    /// Starts to read objects.
    ///
    /// # Errors
    /// If git cannot be started.
    pub(super) fn objects(&self) -> anyhow::Result<Objects> {
        let mut child = self.start(&["cat-file", "--batch"], Stdio::null())?;
        let input = child.stdin.take().context("`git` takes no input")?;
        let output = BufReader::new(child.stdout.take().context("`git` gives no output")?);
        Ok(Objects { child, input, output })
    }
}

/// `git cat-file --batch`, asked one object at a time.
#[derive(Debug)]
pub(super) struct Objects {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Objects {
    /// The text of a blob; `None` if it is missing, larger than `bytes_max` or no UTF-8.
    ///
    /// # Errors
    /// If git stops to answer.
    pub(super) fn text(&mut self, id: &str, bytes_max: u64) -> std::io::Result<Option<String>> {
        writeln!(self.input, "{id}")?;
        self.input.flush()?;
        let mut heading = String::new();
        if self.output.read_line(&mut heading)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        // `<id> <type> <size>`, or `<id> missing`.
        let words: Vec<&str> = heading.split_whitespace().collect();
        let [_, kind, size] = words.as_slice() else { return Ok(None) };
        let Ok(size) = size.parse::<u64>() else { return Ok(None) };
        let mut content = Vec::new();
        // One line break follows the content.
        let mut body = self.output.by_ref().take(size + 1);
        if size > bytes_max || *kind != "blob" {
            std::io::copy(&mut body, &mut std::io::sink())?;
            return Ok(None);
        }
        body.read_to_end(&mut content)?;
        content.pop();
        Ok(String::from_utf8(content).ok())
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // Nothing depends on how it ends; it is waited for so that no process is left behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
