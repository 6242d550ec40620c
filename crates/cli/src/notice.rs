//! What a person is told beside the output: the only place that writes to standard error.
//!
//! Whatever it is and wherever it goes, what cannot be seen is spelled out.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_screen::in_lines;
use foveal_secrets::without;

use crate::environment;
use crate::table::wrapped;

/// Writes a line, or several, to standard error. Where that is closed or full there is nobody to
/// tell, and what was asked for is done all the same.
/// On a narrow terminal lines are broken between words.
pub(crate) fn say(text: impl Display) {
    let screen = SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(screen) = &*screen {
        // What a full screen does not take is not missed more than a closed standard error.
        return drop(screen.try_send(without(&text.to_string()).into_owned()));
    }
    let _ = io::stderr().write_all(told(&text.to_string()).as_bytes());
}

/// Who shows messages while a screen is drawn, which they would tear: one for the process, as
/// standard error is.
static SCREEN: Mutex<Option<SyncSender<String>>> = Mutex::new(None);

/// Has `screen` show all messages from now on; `None`: standard error again.
pub(crate) fn divert(screen: Option<SyncSender<String>>) {
    *SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = screen;
}

/// The lines of a message as they are written.
fn told(text: &str) -> String {
    // Clients keep what servers write there: an address may have a password.
    let text = &without(text);
    let text = in_lines(text);
    match environment::width_of_messages() {
        Some(width) => text.lines().map(|line| wrapped(line, width, "  ")).collect(),
        None => format!("{text}\n"),
    }
}

/// Asks a question and reads one line. Anything but `y` or `yes` is no.
pub(crate) fn confirm(question: &str) -> bool {
    asked(question) && is_yes(read_line())
}

/// The same, unless it is over before there is an answer: then it is no. Only what ends soon may
/// ask so: whoever reads the line goes on waiting for it. What was typed before the question stood
/// there does not count, since a model chooses when it asks.
pub(crate) fn confirm_unless(question: &str, is_over: &dyn Fn() -> bool) -> bool {
    discard_typed_input();
    if !asked(question) {
        return false;
    }
    let (sender, lines) = sync_channel(1);
    thread::spawn(move || drop(sender.try_send(read_line())));
    loop {
        match lines.recv_timeout(LOOK_UP_TIME) {
            Ok(line) => return is_yes(line),
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) if is_over() => {
                say("");
                return false;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// How often it is looked whether a question is over.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

fn asked(question: &str) -> bool {
    let question = told(&format!("{question} [y/N]"));
    let mut error = io::stderr();
    write!(error, "{} ", question.trim_end()).and_then(|()| error.flush()).is_ok()
}

/// Drops what was typed at the terminal and not read: nobody meant it for a question that they had
/// not seen.
#[cfg(unix)]
fn discard_typed_input() {
    use std::io::IsTerminal;

    use rustix::termios::{QueueSelector, tcflush};

    let input = io::stdin();
    if input.is_terminal() {
        // A terminal that cannot do it is asked all the same.
        tcflush(&input, QueueSelector::IFlush).ok();
    }
}

#[cfg(not(unix))]
fn discard_typed_input() {}

fn read_line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

fn is_yes(line: io::Result<String>) -> bool {
    line.is_ok_and(|line| matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// An error with its causes, without those that repeat what was said.
pub(crate) fn in_one_line(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let cause = error.to_string();
        // SQLite's errors have their own text for a cause, with its number.
        let is_said = text.rsplit(": ").next().is_some_and(|last| cause.ends_with(last));
        if !is_said {
            text = format!("{text}: {cause}");
        }
        next = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        let full = foveal_store::StoreError::from(rusqlite::Error::SqliteFailure(full, None));
        let told = in_one_line(&full);
        assert_eq!(told.matches("full").count(), 1, "{told}");
        assert!(told.starts_with("the store cannot be read or written: "), "{told}");
    }
}
