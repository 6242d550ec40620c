//! Events of the terminal as those of the chat.

use foveal_chat::{Input, Key, KeyCode};
use ratatui_crossterm::crossterm::event::{
    Event, KeyCode as Code, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind,
};

use super::arrived::Arrived;

/// Lines that the mouse wheel moves at a time.
const WHEEL_LINES: isize = 3;

/// What an event of the terminal is for the chat; `None`: nothing.
pub(super) fn arrived(event: Event) -> Option<Arrived> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => {
            Some(Arrived::Input(Input::Key(key_of(key)?)))
        }
        Event::Paste(text) => Some(Arrived::Input(Input::Paste(text))),
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(Arrived::Input(Input::Scroll(-WHEEL_LINES))),
            MouseEventKind::Down(MouseButton::Left) => {
                Some(Arrived::Input(Input::Click(mouse.row.into())))
            }
            MouseEventKind::ScrollDown => Some(Arrived::Input(Input::Scroll(WHEEL_LINES))),
            _ => None,
        },
        Event::Resize(..) => Some(Arrived::Resized),
        Event::Key(_) | Event::FocusGained | Event::FocusLost => None,
    }
}

fn key_of(key: KeyEvent) -> Option<Key> {
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
    // Of a sign, Shift is told by the sign.
    let shift = held(KeyModifiers::SHIFT) && !matches!(code, KeyCode::Char(_));
    Some(Key { code, ctrl: held(KeyModifiers::CONTROL), alt: held(KeyModifiers::ALT), shift })
}
