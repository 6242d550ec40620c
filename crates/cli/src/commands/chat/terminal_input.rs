//! Conversion of the terminal's events.

use foveal_tui::{ChatInput, KeyCode, KeyPress};
use ratatui_crossterm::crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use super::chat_event::ChatEvent;

/// Lines that the mouse wheel moves at a time.
const WHEEL_LINES: isize = 3;

/// Returns the chat event for an event of the terminal, or `None` for an event that the chat
/// ignores.
pub(super) fn convert_terminal_event(event: Event) -> Option<ChatEvent> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            Some(ChatEvent::Input(ChatInput::Key(convert_key(key)?)))
        }
        Event::Paste(text) => Some(ChatEvent::Input(ChatInput::Paste(text))),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(ChatEvent::Input(ChatInput::Scroll(-WHEEL_LINES))),
            MouseEventKind::Down(MouseButton::Left) => {
                Some(ChatEvent::Input(ChatInput::Click(mouse.row.into())))
            }
            MouseEventKind::ScrollDown => Some(ChatEvent::Input(ChatInput::Scroll(WHEEL_LINES))),
            _ => None,
        },
        Event::Resize(..) => Some(ChatEvent::Resized),
        Event::Key(_) | Event::FocusGained | Event::FocusLost => None,
    }
}

fn convert_key(key: KeyEvent) -> Option<KeyPress> {
    let code = match key.code {
        Code::Char(sign) => KeyCode::Char(sign),
        Code::Enter => KeyCode::Enter,
        Code::Esc => KeyCode::Esc,
        Code::Tab => KeyCode::Tab,
        Code::BackTab => KeyCode::BackTab,
        Code::Backspace => KeyCode::Backspace,
        Code::Delete => KeyCode::Delete,
        Code::Left => KeyCode::Left,
        Code::Right => KeyCode::Right,
        Code::Up => KeyCode::Up,
        Code::Down => KeyCode::Down,
        Code::Home => KeyCode::Home,
        Code::End => KeyCode::End,
        Code::PageUp => KeyCode::PageUp,
        Code::PageDown => KeyCode::PageDown,
        _ => return None,
    };
    let held = |modifier| key.modifiers.contains(modifier);
    // For a character, Shift is part of the character.
    let shift = held(KeyModifiers::SHIFT) && !matches!(code, KeyCode::Char(_));
    Some(KeyPress { code, ctrl: held(KeyModifiers::CONTROL), alt: held(KeyModifiers::ALT), shift })
}
