//! Key presses, independent of the terminal library.

/// A key with its modifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPress {
    /// The key.
    pub code: KeyCode,
    /// Whether Control is held.
    pub ctrl: bool,
    /// Whether Alt is held.
    pub alt: bool,
    /// Whether Shift is held, where the key code does not imply it.
    pub shift: bool,
}

/// A key of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCode {
    /// A character.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab without Shift.
    Tab,
    /// Tab with Shift.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Left.
    Left,
    /// Right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
}

impl KeyPress {
    /// Returns a key without modifiers.
    pub const fn from_code(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// Returns a character with Control.
    pub const fn ctrl(sign: char) -> Self {
        Self { ctrl: true, ..Self::from_code(KeyCode::Char(sign)) }
    }

    /// Returns a key with Alt.
    pub const fn alt(code: KeyCode) -> Self {
        Self { alt: true, ..Self::from_code(code) }
    }

    /// Returns whether this is `sign` with Control and no other modifier.
    pub(crate) fn is_ctrl(self, sign: char) -> bool {
        self == Self::ctrl(sign)
    }

    /// Returns the number of rows by which the key moves in a list with `page` visible rows,
    /// negative upwards. Returns `None` for keys that do not move.
    pub(crate) fn row_movement(self, page: usize) -> Option<isize> {
        let page = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        match (self.code, self.typed_char()) {
            (KeyCode::Up, _) | (_, Some('k')) => Some(-1),
            (KeyCode::Down, _) | (_, Some('j')) => Some(1),
            (KeyCode::PageUp, _) => Some(-page),
            (KeyCode::PageDown, _) => Some(page),
            (KeyCode::Home, _) => Some(isize::MIN + 1),
            (KeyCode::End, _) => Some(isize::MAX),
            _ => None,
        }
    }

    /// Returns the character that the key types, if any.
    pub(crate) fn typed_char(self) -> Option<char> {
        match self.code {
            KeyCode::Char(sign) if !self.ctrl && !self.alt => Some(sign),
            _ => None,
        }
    }
}
