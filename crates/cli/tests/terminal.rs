//! A terminal in memory: the program on one side, its screen as text on the other.

use std::fs::File;
use std::io::{Read as _, Write};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use foveal_testkit::terminal_screen::TerminalScreen;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};

/// How long something on the screen is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is written behind a program's last byte: a sequence that changes nothing on a screen.
const END: &[u8] = b"\x1b[0;0;0m";

/// A program at a terminal.
pub(crate) struct Terminal {
    pub(crate) child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    /// Held, so that the terminal is there after the program's end.
    _slave: Box<dyn SlavePty + Send>,
    writer: Box<dyn Write + Send>,
    seen: Arc<Mutex<Seen>>,
}

/// What was written, and the screen that it leads to.
struct Seen {
    bytes: Vec<u8>,
    screen: TerminalScreen,
}

impl Terminal {
    /// Starts a program at a terminal of this size.
    pub(crate) fn start(command: CommandBuilder, (columns, rows): (u16, u16)) -> Self {
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).expect("a terminal");
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let screen = TerminalScreen::new(columns, rows);
        let seen = Arc::new(Mutex::new(Seen { bytes: Vec::new(), screen }));
        let fill = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            let mut open = Vec::new();
            while let Ok(count @ 1..) = reader.read(&mut piece) {
                let mut seen = fill.lock().expect("no panic");
                seen.bytes.extend_from_slice(&piece[..count]);
                open.extend_from_slice(&piece[..count]);
                let done = seen.screen.write_output(&open);
                open.drain(..done);
            }
        });
        Self { child, master: pair.master, _slave: pair.slave, writer, seen }
    }

    /// Types a text.
    pub(crate) fn types(&mut self, text: &str) -> &mut Self {
        self.writer.write_all(text.as_bytes()).expect("room for a word");
        self
    }

    /// The screen, without blanks at the ends of rows.
    pub(crate) fn screen(&self) -> String {
        let seen = self.seen.lock().expect("no panic");
        let rows = seen.screen.rows().map(|row| row.trim_end().to_owned());
        rows.collect::<Vec<_>>().join("\n")
    }

    /// All that was written.
    pub(crate) fn written(&self) -> String {
        let seen = self.seen.lock().expect("no panic");
        String::from_utf8_lossy(&seen.bytes).into_owned()
    }

    /// Waits until these words are on the screen.
    #[track_caller]
    pub(crate) fn shows(&mut self, words: &str) -> &mut Self {
        self.waits(|screen| screen.contains(words), words)
    }

    /// Waits until these words are not on the screen.
    #[track_caller]
    pub(crate) fn shows_no(&mut self, words: &str) -> &mut Self {
        self.waits(|screen| !screen.contains(words), words)
    }

    #[track_caller]
    fn waits(&mut self, is_it: impl Fn(&str) -> bool, what: &str) -> &mut Self {
        let begun = Instant::now();
        while !is_it(&self.screen()) {
            assert!(begun.elapsed() < PATIENCE, "`{what}`:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
        self
    }

    /// Answers a question once it takes keys: it does so after a pause.
    #[track_caller]
    pub(crate) fn answers(&mut self, key: &str) -> &mut Self {
        let takes_keys = |screen: &str| {
            screen.contains("? ") && screen.contains("once") && !screen.contains("… y")
        };
        self.waits(takes_keys, "a question that takes keys").types(key)
    }

    /// Changes the size.
    pub(crate) fn resizes(&mut self, (columns, rows): (u16, u16)) -> &mut Self {
        self.seen.lock().expect("no panic").screen.resize(columns, rows);
        let size = PtySize { rows, cols: columns, ..PtySize::default() };
        self.master.resize(size).expect("a new size");
        self
    }

    /// Waits for the end; the exit code.
    #[track_caller]
    pub(crate) fn ends(&mut self) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child of ours") {
                self.reads_to_its_end();
                return status.exit_code();
            }
            assert!(begun.elapsed() < PATIENCE, "it goes on:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until all that the program wrote is read, which may be later than its end.
    #[track_caller]
    fn reads_to_its_end(&self) {
        let name = self.master.tty_name().expect("a name");
        let tty = File::options().write(true).open(name);
        tty.and_then(|mut tty| tty.write_all(END)).expect("the terminal outlives it");
        let begun = Instant::now();
        while !self.seen.lock().expect("no panic").bytes.ends_with(END) {
            assert!(begun.elapsed() < PATIENCE, "it is not read:\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Panics unless the terminal is as it was: alternate screen left, lines and echo as usual.
    #[track_caller]
    pub(crate) fn is_put_back(&self) {
        let name = self.master.tty_name().expect("a name");
        let told = Command::new("stty").arg("-F").arg(name).arg("-a").output().expect("stty");
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let has =
            |word: &str| told.split_whitespace().any(|told| told.trim_end_matches(';') == word);
        assert!(has("icanon") && has("echo") && has("isig"), "{told}");
        let written = self.written();
        let last = |on: &str, off: &str| {
            let (on, off) = (written.rfind(on), written.rfind(off));
            assert!(on.is_some() && off > on, "{on:?} {off:?}: {written:?}");
        };
        last("\x1b[?1049h", "\x1b[?1049l");
        last("\x1b[?2004h", "\x1b[?2004l");
        last("\x1b[?1000h", "\x1b[?1000l");
        assert!(written.rfind("\x1b[?25h") > written.rfind("\x1b[?25l"), "{written:?}");
    }
}
