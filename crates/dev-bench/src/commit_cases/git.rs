//! Runs `git` on one repository.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail, ensure};

/// Variables that would make git use another repository or fetch.
const VARIABLES: &[&str] =
    &["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"];

/// A repository, bare or not.
#[derive(Debug, Clone)]
pub(super) struct GitRepository {
    folder: PathBuf,
}

impl GitRepository {
    /// Opens the repository at `folder`.
    ///
    /// # Errors
    /// If there is none, or its history is shallow: every commit at its edge would seem to add
    /// all files.
    pub(super) fn open(folder: &Path) -> anyhow::Result<Self> {
        let repository = Self { folder: folder.to_owned() };
        let shallow = repository.output(&["rev-parse", "--is-shallow-repository"])?;
        ensure!(
            shallow.trim_ascii() != b"true",
            "`{name}` has a shallow history: get the rest with `git -C {name} fetch --unshallow`",
            name = folder.display()
        );
        Ok(repository)
    }

    /// Returns the log of the newest `commits_max` commits with at most one parent: for each
    /// `\x1e`, its id, `\x1f`, its message, `\x1f`, and its changes in the form of `--raw -z`.
    ///
    /// # Errors
    /// If git fails.
    pub(super) fn log(&self, commits_max: usize) -> anyhow::Result<Vec<u8>> {
        self.output(&[
            "log",
            &format!("--max-count={commits_max}"),
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
        ])
    }

    /// Starts an object reader.
    ///
    /// # Errors
    /// If git cannot be started.
    pub(super) fn open_objects(&self) -> anyhow::Result<ObjectReader> {
        let mut child = self.start(&["cat-file", "--batch"], Stdio::null())?;
        let input = child.stdin.take().context("`git` takes no input")?;
        let output = BufReader::new(child.stdout.take().context("`git` gives no output")?);
        Ok(ObjectReader { child, input, output })
    }

    /// Starts `git` with `arguments`; its standard error goes to `stderr`.
    fn start(&self, arguments: &[&str], stderr: Stdio) -> anyhow::Result<Child> {
        let mut command = Command::new("git");
        command.args(["--no-pager", "--no-replace-objects", "-C"]).arg(&self.folder);
        command.args(arguments);
        VARIABLES.iter().for_each(|variable| {
            command.env_remove(variable);
        });
        // A partial clone would otherwise ask its server for every file.
        command.env("GIT_NO_LAZY_FETCH", "1").env("LC_ALL", "C");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        command.spawn().context("`git` cannot be started")
    }

    /// Runs git to its end and returns its output.
    fn output(&self, arguments: &[&str]) -> anyhow::Result<Vec<u8>> {
        let output = self.start(arguments, Stdio::piped())?.wait_with_output()?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            let (command, folder) = (arguments.first().unwrap_or(&""), self.folder.display());
            bail!("`git {command}` failed in `{folder}`: {}", reason.trim());
        }
        Ok(output.stdout)
    }
}

/// A running `git cat-file --batch`, which returns one object at a time.
#[derive(Debug)]
pub(super) struct ObjectReader {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl ObjectReader {
    /// Returns the text of a blob; `None` if it is missing, larger than `bytes_max` or no UTF-8.
    ///
    /// # Errors
    /// If git stops answering.
    pub(super) fn read_text(
        &mut self,
        id: &str,
        bytes_max: u64,
    ) -> std::io::Result<Option<String>> {
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

impl Drop for ObjectReader {
    fn drop(&mut self) {
        // The exit status is irrelevant; the wait avoids a zombie process.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
