//! The terminal while a chat is drawn on it, and as it was before.
//!
//! A chat takes the alternate screen: any block can be opened and closed at any time, and what has
//! scrolled away in the terminal's own lines cannot be drawn again. What stood there before is there
//! again afterwards, whatever ends the program.

mod sixteen;

use std::io::{self, BufWriter, Stdout, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use foveal_chat::{Chat, draw};
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

use self::sixteen::Sixteen;
use crate::notice;

/// Bytes of a frame that are written at once.
const FRAME_BYTES: usize = 64 << 10;

/// Whether the terminal is to be put back. One for the process, as the terminal is.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, drawn on until this is dropped.
pub(super) struct Screen {
    terminal: Terminal<CrosstermBackend<Sixteen<BufWriter<Stdout>>>>,
}

impl Screen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// If it cannot be drawn on; it is as it was then.
    pub(super) fn enter() -> io::Result<Self> {
        put_back_on_panic();
        IS_TAKEN.store(true, Ordering::SeqCst);
        let taken = Self::take();
        if taken.is_err() {
            put_back();
        }
        taken
    }

    fn take() -> io::Result<Self> {
        enable_raw_mode()?;
        execute!(
            stdout(),
            EnterAlternateScreen,
            EnableMouseCapture,
            EnableBracketedPaste,
            // With it Shift+Enter is another key than Enter. Terminals that do not know it pass it
            // over.
            PushKeyboardEnhancementFlags(KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES),
            SetTitle("foveal chat"),
        )?;
        let writer = Sixteen::new(BufWriter::with_capacity(FRAME_BYTES, stdout()));
        Ok(Self { terminal: Terminal::new(CrosstermBackend::new(writer))? })
    }

    /// Draws the chat, all at once where the terminal can.
    ///
    /// # Errors
    /// If the terminal is gone.
    pub(super) fn draw(&mut self, chat: &mut Chat) -> io::Result<()> {
        queue!(self.terminal.backend_mut(), BeginSynchronizedUpdate)?;
        self.terminal.draw(|frame| draw(chat, frame))?;
        queue!(self.terminal.backend_mut(), EndSynchronizedUpdate)?;
        Write::flush(self.terminal.backend_mut())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        put_back();
    }
}

/// Puts the terminal back as it was, once.
pub(super) fn put_back() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    notice::divert(None);
    // Where the terminal is gone there is nothing to put back.
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

/// Has a panic of the thread that draws put the terminal back before it is told of. One of another
/// thread is a message: the chat goes on.
fn put_back_on_panic() {
    let drawing = thread::current().id();
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current().id() == drawing {
            put_back();
        }
        match IS_TAKEN.load(Ordering::SeqCst) {
            true => notice::say(format_args!("a part of foveal broke off: {panic}")),
            false => before(panic),
        }
    }));
}

#[cfg(test)]
mod tests;
