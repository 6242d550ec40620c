//! What looks how. Of the sixteen basic colours only those that can be read on dark and on light, so
//! that every terminal's own scheme holds; where there are none, weight alone.

use foveal_code::highlight::HighlightClass;
use ratatui_core::style::{Color, Modifier, Style};

/// Whether there are colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// None: bold, dim and reversed alone.
    None,
    /// The basic ones.
    #[default]
    Basic,
}

/// What a text is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Any text.
    Plain,
    /// What is said beside it.
    Aside,
    /// What the person said.
    User,
    /// A heading, or a name.
    Strong,
    /// Words that are stressed.
    Stressed,
    /// Words that do not count any more.
    Struck,
    /// Code inside a line.
    Code,
    /// Where something is.
    Place,
    /// That something failed.
    Error,
    /// That something is to be looked at.
    Warning,
    /// That something is well, and what was added.
    Good,
    /// What was removed.
    Removed,
    /// What is chosen.
    Chosen,
}

impl Colours {
    /// How a text of this kind looks.
    pub(crate) fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let dim = plain.add_modifier(Modifier::DIM);
        let has_none = self == Self::None;
        let coloured = |base: Style, colour: Color| match has_none {
            true => base,
            false => base.fg(colour),
        };
        match role {
            Role::Plain => plain,
            Role::Aside => dim,
            Role::User => coloured(bold, Color::Cyan),
            Role::Strong => bold,
            Role::Stressed => plain.add_modifier(Modifier::ITALIC),
            Role::Struck => plain.add_modifier(Modifier::CROSSED_OUT),
            Role::Code => coloured(plain, Color::Cyan),
            Role::Place => coloured(plain.add_modifier(Modifier::UNDERLINED), Color::Cyan),
            Role::Error => coloured(bold, Color::Red),
            Role::Warning => coloured(plain, Color::Yellow),
            Role::Good => coloured(plain, Color::Green),
            Role::Removed => coloured(plain, Color::Red),
            Role::Chosen => plain.add_modifier(Modifier::REVERSED),
        }
    }

    /// How a word of code looks.
    pub(crate) fn of_code(self, class: HighlightClass) -> Style {
        let plain = Style::new();
        let colour = match class {
            HighlightClass::Comment => return plain.add_modifier(Modifier::DIM),
            HighlightClass::Function => return plain.add_modifier(Modifier::BOLD),
            HighlightClass::Keyword | HighlightClass::Attribute => Color::Magenta,
            HighlightClass::Text => Color::Green,
            HighlightClass::Constant => Color::Red,
            HighlightClass::Type | HighlightClass::Escape | HighlightClass::Key => Color::Cyan,
        };
        match self {
            Self::None => plain,
            Self::Basic => plain.fg(colour),
        }
    }
}
