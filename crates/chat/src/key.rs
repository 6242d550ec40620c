//! Keys, as every terminal has them.

/// A key with what is held down beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// Which.
    pub code: KeyCode,
    /// Whether Control is held.
    pub ctrl: bool,
    /// Whether Alt is held.
    pub alt: bool,
    /// Whether Shift is held, where the key alone does not say so.
    pub shift: bool,
}

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyCode {
    /// A sign.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
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

impl Key {
    /// A key alone.
    pub const fn plain(code: KeyCode) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// A sign with Control.
    pub const fn ctrl(sign: char) -> Self {
        Self { ctrl: true, ..Self::plain(KeyCode::Char(sign)) }
    }

    /// A key with Alt.
    pub const fn alt(code: KeyCode) -> Self {
        Self { alt: true, ..Self::plain(code) }
    }

    /// Whether it is this sign with Control and nothing else.
    pub(crate) fn is_ctrl(self, sign: char) -> bool {
        self == Self::ctrl(sign)
    }

    /// The sign that it types, if it types one.
    pub(crate) fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(sign) if !self.ctrl && !self.alt => Some(sign),
            _ => None,
        }
    }
}
