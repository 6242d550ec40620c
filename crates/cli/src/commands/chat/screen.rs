//! The terminal while a chat is drawn on it, and its restoration.
//!
//! A chat uses the alternate screen: blocks can be opened and closed at any time, and lines that
//! scrolled out of the normal screen cannot be redrawn. The normal screen is restored afterwards,
//! whatever ends the program.

mod basic_colours;

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use foveal_tui::{Chat, draw_chat};
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    KeyboardEnhancementFlags, PopKeyboardEnhancementFlags, PushKeyboardEnhancementFlags,
};
use ratatui_crossterm::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    SetTitle, disable_raw_mode, enable_raw_mode,
};
use ratatui_crossterm::crossterm::{cursor, execute, queue};

use self::basic_colours::BasicColourWriter;
use crate::notice;

/// Bytes of the buffer for a frame.
const FRAME_BYTES: usize = 64 << 10;

/// Whether the terminal must be restored. One for the process, as there is one terminal.
static NEEDS_RESTORATION: AtomicBool = AtomicBool::new(false);

/// The terminal in the mode of the chat, restored on drop.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<BasicColourWriter<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Switches the terminal to the mode of the chat.
    ///
    /// # Errors
    /// If it cannot be drawn on; it is restored then.
    pub(super) fn enter() -> io::Result<Self> {
        restore_terminal_on_panic();
        NEEDS_RESTORATION.store(true, Ordering::SeqCst);
        let taken = Self::set_terminal_modes();
        if taken.is_err() {
            restore_terminal();
        }
        taken
    }

    fn set_terminal_modes() -> io::Result<Self> {
        enable_raw_mode()?;
        execute!(
            stdout(),
            EnterAlternateScreen,
            EnableMouseCapture,
            EnableBracketedPaste,
            // Distinguishes Shift+Enter from Enter. Terminals without support ignore it.
            PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
            SetTitle("foveal chat"),
        )?;
        let writer = BasicColourWriter::new(BufWriter::with_capacity(FRAME_BYTES, stdout()));
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(writer))? })
    }

    /// Draws the chat, as one synchronized update where the terminal supports that.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn draw(&mut self, chat: &mut Chat) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw_chat(chat, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.terminal.backend_mut())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Restores the terminal, once.
pub(super) fn restore_terminal() {
    if !NEEDS_RESTORATION.swap(false, Ordering::SeqCst) {
        return;
    }
    notice::redirect_notices(None);
    // Errors are ignored: a terminal that is gone needs no restoration.
    drop(execute!(
        stdout(),
        EndSynchronizedUpdate,
        PopKeyboardEnhancementFlags,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show,
    ));
    drop(disable_raw_mode());
}

/// Installs a panic hook. A panic of the drawing thread restores the terminal before its message; a
/// panic of another thread becomes a note, and the chat goes on.
fn restore_terminal_on_panic() {
    let drawing = thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == drawing {
            restore_terminal();
        }
        match NEEDS_RESTORATION.load(Ordering::SeqCst) {
            true => notice::print_notice(format_args!("a part of foveal crashed: {panic}")),
            false => before(panic),
        }
    }));
}

#[cfg(test)]
mod tests;
