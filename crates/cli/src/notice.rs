//! Messages for the user beside the output: the only module that writes to standard error.
//!
//! Invisible characters are escaped in every message.

use std::fmt::Display;
use std::io::{self, BufRead, Write};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use foveal_redaction::redact_text;
use foveal_screen::escape_lines;

pub(crate) use foveal_screen::describe_error;

use crate::environment;
use crate::interrupt::exit_at_question;
use crate::text_table::wrap_text;

/// Writes one or more lines to standard error. Write errors are ignored, so that the work goes on
/// if standard error is closed or full. On a narrow terminal lines are broken between words.
pub(crate) fn print_notice(text: impl Display) {
    let screen = NOTICE_SCREEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(screen) = &*screen {
        // A message that a full channel does not take is dropped, as with a closed standard error.
        return drop(screen.try_send(redact_text(&text.to_string()).into_owned()));
    }
    let _ = io::stderr().write_all(format_message(&text.to_string()).as_bytes());
}

/// The screen that shows messages while it is drawn, since text on standard error would tear it.
/// One for the process, as standard error is.
static NOTICE_SCREEN: Mutex<Option<SyncSender<String>>> = Mutex::new(None);

/// Sends all messages to `screen` from now on; `None` restores standard error.
pub(crate) fn redirect_notices(screen: Option<SyncSender<String>>) {
    *NOTICE_SCREEN.lock().unwrap_or_else(PoisonError::into_inner) = screen;
}

/// Returns a message as it is written: redacted, escaped, wrapped.
fn format_message(text: &str) -> String {
    // Clients keep the standard error of servers, and an address may contain a password.
    let text = &redact_text(text);
    let text = escape_lines(text);
    match environment::stderr_columns() {
        Some(width) => text.lines().map(|line| wrap_text(line, width, "  ")).collect(),
        None => format!("{text}\n"),
    }
}

/// Asks a question and reads one line. Only `y` or `yes` counts as yes.
pub(crate) fn confirm(question: &str) -> bool {
    exit_at_question(close_question, || print_question(question, "[y/N]") && is_yes(read_line()))
}

/// Asks a question until it is answered with yes or no; `d` calls `show_details` before it is
/// asked again.
///
/// # Errors
/// If the details cannot be shown.
pub(crate) fn confirm_with_details(
    question: &str,
    mut show_details: impl FnMut() -> io::Result<()>,
) -> io::Result<bool> {
    loop {
        let ask = || print_question(question, "[y/N/d]").then(read_line);
        let Some(line) = exit_at_question(close_question, ask) else { return Ok(false) };
        let wants_details = line.as_ref().is_ok_and(|line| line.trim().eq_ignore_ascii_case("d"));
        if !wants_details {
            return Ok(is_yes(line));
        }
        show_details()?;
    }
}

/// Asks a question until `is_over` holds; that counts as no. Only for programs that end soon,
/// because a thread goes on waiting for the line. Input typed before the question is dropped, since
/// a model chooses the moment of the question.
pub(crate) fn confirm_until(question: &str, is_over: &dyn Fn() -> bool) -> bool {
    discard_typed_input();
    if !print_question(question, "[y/N]") {
        return false;
    }
    let (sender, lines) = sync_channel(1);
    thread::spawn(move || drop(sender.try_send(read_line())));
    loop {
        match lines.recv_timeout(POLL_INTERVAL) {
            Ok(line) => return is_yes(line),
            Err(RecvTimeoutError::Disconnected) => return false,
            Err(RecvTimeoutError::Timeout) if is_over() => {
                close_question();
                return false;
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Interval between two looks at `is_over`.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

fn print_question(question: &str, answers: &str) -> bool {
    let question = format_message(&format!("{question} {answers}"));
    let mut error = io::stderr();
    write!(error, "{} ", question.trim_end()).and_then(|()| error.flush()).is_ok()
}

/// Drops unread input of the terminal: the user typed it before seeing the question.
#[cfg(unix)]
fn discard_typed_input() {
    use std::io::IsTerminal;

    use rustix::termios::{QueueSelector, tcflush};

    let input = io::stdin();
    if input.is_terminal() {
        // If the terminal cannot do this, the question is asked nevertheless.
        tcflush(&input, QueueSelector::IFlush).ok();
    }
}

#[cfg(not(unix))]
fn discard_typed_input() {}

/// Ends the line of a question that is not answered.
fn close_question() {
    print_notice("");
}

fn read_line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line)
}

fn is_yes(line: io::Result<String>) -> bool {
    line.is_ok_and(|line| matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        let full = foveal_store::StoreError::from(rusqlite::Error::SqliteFailure(full, None));
        let told = describe_error(&full);
        assert_eq!(told.matches("full").count(), 1, "{told}");
        assert!(told.starts_with("the store cannot be read or written: "), "{told}");
    }
}
