//! A terminal in memory, with colours: the program on one side, its screen on the other.

use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

/// How long something on the screen is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A sign on the screen, and how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) sign: char,
    pub(crate) look: Look,
}

/// How a sign looks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// One of the sixteen colours.
    pub(crate) colour: Option<u8>,
    pub(crate) bold: bool,
    pub(crate) dim: bool,
    pub(crate) italic: bool,
    pub(crate) underlined: bool,
    pub(crate) reversed: bool,
}

const BLANK: Cell = Cell {
    sign: ' ',
    look: Look {
        colour: None,
        bold: false,
        dim: false,
        italic: false,
        underlined: false,
        reversed: false,
    },
};

/// The screen.
struct Screen {
    cells: Vec<Vec<Cell>>,
    cursor: (usize, usize),
    look: Look,
    /// When it changed last.
    changed: Instant,
}

/// A program at a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    _slave: Box<dyn SlavePty + Send>,
    writer: Box<dyn Write + Send>,
    screen: Arc<(Mutex<Screen>, Condvar)>,
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
        command.env("TERM", "xterm-256color");
        command.env("FOVEAL_MODEL_KEY", "a key");
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        let pair = native_pty_system().openpty(size)?;
        let child = pair.slave.spawn_command(command)?;
        let mut reader = pair.master.try_clone_reader()?;
        let writer = pair.master.take_writer()?;
        let cells = vec![vec![BLANK; columns.into()]; rows.into()];
        let screen =
            Screen { cells, cursor: (0, 0), look: Look::default(), changed: Instant::now() };
        let screen = Arc::new((Mutex::new(screen), Condvar::new()));
        let fill = Arc::clone(&screen);
        std::thread::spawn(move || {
            let (mut piece, mut open) = ([0; 16_384], Vec::new());
            while let Ok(count @ 1..) = reader.read(&mut piece) {
                open.extend_from_slice(&piece[..count]);
                let (screen, change) = &*fill;
                let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
                let done = screen.take(&open);
                screen.changed = Instant::now();
                open.drain(..done);
                change.notify_all();
            }
        });
        Ok(Self { child, _master: pair.master, _slave: pair.slave, writer, screen })
    }

    /// Types a text.
    pub(crate) fn types(&mut self, text: &str) -> anyhow::Result<&mut Self> {
        self.writer.write_all(text.as_bytes())?;
        Ok(self)
    }

    /// Waits until these words are on the screen; since when they are.
    pub(crate) fn shows(&mut self, words: &str) -> anyhow::Result<Instant> {
        let (screen, change) = &*self.screen;
        let begun = Instant::now();
        let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
        while !screen.text().contains(words) {
            if begun.elapsed() > PATIENCE {
                bail!("`{words}` is not shown:\n{}", screen.text());
            }
            let waited = change.wait_timeout(screen, Duration::from_millis(100));
            screen = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(screen.changed)
    }

    /// The cells of the screen.
    pub(crate) fn cells(&self) -> Vec<Vec<Cell>> {
        self.screen.0.lock().unwrap_or_else(PoisonError::into_inner).cells.clone()
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

impl Screen {
    fn text(&self) -> String {
        let row = |row: &Vec<Cell>| row.iter().map(|cell| cell.sign).collect::<String>();
        self.cells.iter().map(row).collect::<Vec<_>>().join("\n")
    }

    /// Takes what is complete; how many bytes that was.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let whole = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                std::str::from_utf8(&bytes[..error.valid_up_to()]).expect("it is text up to there")
            }
        };
        let mut rest = whole;
        while let Some(sign) = rest.chars().next() {
            let length = match sign {
                '\x1b' => match self.escape(rest) {
                    Some(length) => length,
                    None => break,
                },
                _ => {
                    self.put(sign);
                    sign.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        whole.len() - rest.len()
    }

    /// Obeys what begins with an escape; its length, once it is complete.
    fn escape(&mut self, text: &str) -> Option<usize> {
        let body = &text[1..];
        if let Some(title) = body.strip_prefix(']') {
            return Some(2 + title.find('\x07')? + 1);
        }
        let Some(body) = body.strip_prefix('[') else {
            return (!body.is_empty()).then_some(2);
        };
        let end = body.find(|sign: char| ('@'..='~').contains(&sign))?;
        let numbers: Vec<usize> =
            body[..end].split(';').map(|number| number.parse().unwrap_or(0)).collect();
        match &body[end..=end] {
            "H" => {
                let at = |place: usize| numbers.get(place).copied().unwrap_or(1).max(1) - 1;
                self.cursor = (at(0), at(1));
            }
            "J" => self.cells.iter_mut().for_each(|row| row.fill(BLANK)),
            "m" => self.look = looks(self.look, &numbers),
            _ => {}
        }
        Some(2 + end + 1)
    }

    fn put(&mut self, sign: char) {
        match sign {
            '\r' => self.cursor.1 = 0,
            '\n' => self.cursor.0 += 1,
            _ => {
                let (row, column) = self.cursor;
                let look = self.look;
                let cell = self.cells.get_mut(row).and_then(|row| row.get_mut(column));
                cell.into_iter().for_each(|cell| *cell = Cell { sign, look });
                self.cursor.1 += 1;
            }
        }
    }
}

/// A look after codes of "Select Graphic Rendition" (ECMA-48, 8.3.117).
fn looks(mut look: Look, codes: &[usize]) -> Look {
    let mut codes = codes.iter().copied();
    while let Some(code) = codes.next() {
        match code {
            0 => look = Look::default(),
            1 => look.bold = true,
            2 => look.dim = true,
            3 => look.italic = true,
            4 => look.underlined = true,
            7 => look.reversed = true,
            22 => (look.bold, look.dim) = (false, false),
            23 => look.italic = false,
            24 => look.underlined = false,
            27 => look.reversed = false,
            30..=37 => look.colour = u8::try_from(code - 30).ok(),
            90..=97 => look.colour = u8::try_from(code - 82).ok(),
            // `38;5;N`: one of 256, of which these programs use the first sixteen.
            38 => look.colour = codes.nth(1).and_then(|number| u8::try_from(number).ok()),
            48 => drop(codes.nth(1)),
            39 => look.colour = None,
            _ => {}
        }
    }
    look
}
