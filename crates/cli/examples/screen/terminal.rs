//! A terminal in memory, with colours: the program on one side, its screen on the other.

use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use foveal_testkit::terminal_screen::{ScreenCell, TerminalScreen};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

/// How long something on the screen is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The screen, and when it changed last.
struct Shown {
    screen: TerminalScreen,
    changed: Instant,
}

impl Shown {
    /// Returns the text with ordinary blanks: labels of keys have non-breaking ones.
    fn text(&self) -> String {
        self.screen.rows().collect::<Vec<_>>().join("\n").replace('\u{a0}', " ")
    }
}

/// A program at a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    _slave: Box<dyn SlavePty + Send>,
    writer: Box<dyn Write + Send>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
}

impl Terminal {
    /// Starts `foveal chat` in a folder, asking the server at this address.
    pub(crate) fn chat(
        program: &Path,
        folder: &Path,
        url: &str,
        options: &[&str],
        (columns, rows): (u16, u16),
    ) -> anyhow::Result<Self> {
        let mut command = CommandBuilder::new(program);
        command.args(["chat", "--model", &format!("messages:claude-sonnet-4-5@{url}")]);
        command.args(options);
        command.cwd(folder);
        command.env_clear();
        command.env("HOME", folder.join("home"));
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // The pictures show the sixteen colours.
        command.env("TERM", "xterm");
        command.env("FOVEAL_MODEL_KEY", "a key");
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        let pair = native_pty_system().openpty(size)?;
        let child = pair.slave.spawn_command(command)?;
        let mut reader = pair.master.try_clone_reader()?;
        let writer = pair.master.take_writer()?;
        let shown = Shown { screen: TerminalScreen::new(columns, rows), changed: Instant::now() };
        let shown = Arc::new((Mutex::new(shown), Condvar::new()));
        let fill = Arc::clone(&shown);
        std::thread::spawn(move || {
            let (mut piece, mut open) = ([0; 16_384], Vec::new());
            while let Ok(count @ 1..) = reader.read(&mut piece) {
                open.extend_from_slice(&piece[..count]);
                let (shown, change) = &*fill;
                let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
                let done = shown.screen.write_output(&open);
                shown.changed = Instant::now();
                open.drain(..done);
                change.notify_all();
            }
        });
        Ok(Self { child, _master: pair.master, _slave: pair.slave, writer, shown })
    }

    /// Types a text.
    pub(crate) fn types(&mut self, text: &str) -> anyhow::Result<&mut Self> {
        self.writer.write_all(text.as_bytes())?;
        Ok(self)
    }

    /// Waits until these words are on the screen; since when they are.
    pub(crate) fn shows(&mut self, words: &str) -> anyhow::Result<Instant> {
        let (shown, change) = &*self.shown;
        let begun = Instant::now();
        let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
        while !shown.text().contains(words) {
            if begun.elapsed() > PATIENCE {
                bail!("`{words}` is not shown:\n{}", shown.text());
            }
            let waited = change.wait_timeout(shown, Duration::from_millis(100));
            shown = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(shown.changed)
    }

    /// The cells of the screen.
    pub(crate) fn cells(&self) -> Vec<Vec<ScreenCell>> {
        let shown = self.shown.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.screen.cells().to_vec()
    }

    /// Ends the chat.
    pub(crate) fn quits(&mut self) -> anyhow::Result<()> {
        self.types("\x15\x04")?;
        let begun = Instant::now();
        while self.child.try_wait()?.is_none() {
            if begun.elapsed() > PATIENCE {
                self.child.kill().context("it does not end")?;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}
