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

    /// How many rows it moves in a list of which so many are seen at once, up where they are fewer
    /// than none; `None`: it is no such key.
    pub(crate) fn moves(self, page: usize) -> Option<isize> {
        let page = isize::try_from(page.max(1)).unwrap_or(isize::MAX);
        match (self.code, self.typed()) {
            (KeyCode::Up, _) | (_, Some('k')) => Some(-1),
            (KeyCode::Down, _) | (_, Some('j')) => Some(1),
            (KeyCode::PageUp, _) => Some(-page),
            (KeyCode::PageDown, _) => Some(page),
            (KeyCode::Home, _) => Some(isize::MIN + 1),
            (KeyCode::End, _) => Some(isize::MAX),
            _ => None,
        }
    }

    /// The sign that it types, if it types one.
    pub(crate) fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(sign) if !self.ctrl && !self.alt => Some(sign),
            _ => None,
        }
    }
}
