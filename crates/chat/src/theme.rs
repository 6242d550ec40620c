//! What looks how. Texts keep the colours of the terminal's own scheme; what stands out from them has
//! a colour that can be read on dark and on light, whichever the scheme is. Where there are sixteen
//! colours, those are the scheme's own; where there are none, weight alone tells.

use foveal_code::highlight::HighlightClass;
use ratatui_core::style::{Color, Modifier, Style};

/// Which colours there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// None: bold, dim and reversed alone.
    None,
    /// The basic ones, which the terminal's scheme chooses.
    #[default]
    Basic,
    /// Those of the table of 256 that are the same everywhere, the first sixteen left out.
    Indexed,
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
    /// That something is well.
    Good,
    /// What was added.
    Added,
    /// What was removed.
    Removed,
    /// What of the context is sent.
    Gauge,
    /// What is chosen.
    Chosen,
}

/// Colours of the table: none is a text's whose background is not set with it and that cannot be read
/// on black and on white.
mod table {
    use ratatui_core::style::Color::{self, Indexed};

    pub(super) const GREY: Color = Indexed(243);
    pub(super) const BLUE: Color = Indexed(32);
    pub(super) const CYAN: Color = Indexed(31);
    pub(super) const TEAL: Color = Indexed(66);
    pub(super) const GREEN: Color = Indexed(28);
    pub(super) const OLIVE: Color = Indexed(64);
    pub(super) const OCHRE: Color = Indexed(136);
    pub(super) const ORANGE: Color = Indexed(166);
    pub(super) const BROWN: Color = Indexed(130);
    pub(super) const RED: Color = Indexed(160);
    pub(super) const PURPLE: Color = Indexed(133);
    /// On what was added, and what it is written in.
    pub(super) const ADDED: [Color; 2] = [Indexed(22), Indexed(194)];
    /// The same of what was removed.
    pub(super) const REMOVED: [Color; 2] = [Indexed(52), Indexed(224)];
}

impl Colours {
    /// How a text of this kind looks.
    pub(crate) fn style(self, role: Role) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let underlined = plain.add_modifier(Modifier::UNDERLINED);
        match role {
            Role::Plain => plain,
            Role::Aside => self.dim(),
            Role::User => self.coloured(bold, Color::Cyan, table::CYAN),
            Role::Strong => bold,
            Role::Stressed => plain.add_modifier(Modifier::ITALIC),
            Role::Struck => plain.add_modifier(Modifier::CROSSED_OUT),
            Role::Code => self.coloured(plain, Color::Cyan, table::CYAN),
            Role::Place => self.coloured(underlined, Color::Cyan, table::CYAN),
            Role::Error => self.coloured(bold, Color::Red, table::RED),
            Role::Warning => self.coloured(plain, Color::Yellow, table::OCHRE),
            Role::Good => self.coloured(plain, Color::Green, table::GREEN),
            Role::Added => self.changed(Color::Green, table::ADDED),
            Role::Removed => self.changed(Color::Red, table::REMOVED),
            Role::Gauge => match self {
                Self::None | Self::Basic => self.dim(),
                Self::Indexed => plain.fg(table::TEAL),
            },
            Role::Chosen => plain.add_modifier(Modifier::REVERSED),
        }
    }

    /// How a word of code looks.
    pub(crate) fn of_code(self, class: HighlightClass) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        match class {
            HighlightClass::Comment => self.dim(),
            HighlightClass::Function => match self {
                Self::None | Self::Basic => bold,
                Self::Indexed => plain.fg(table::BLUE),
            },
            HighlightClass::Keyword => self.coloured(plain, Color::Magenta, table::PURPLE),
            HighlightClass::Attribute => self.coloured(plain, Color::Magenta, table::TEAL),
            HighlightClass::Text => self.coloured(plain, Color::Green, table::OLIVE),
            HighlightClass::Constant => self.coloured(plain, Color::Red, table::BROWN),
            HighlightClass::Escape => self.coloured(plain, Color::Cyan, table::ORANGE),
            HighlightClass::Type | HighlightClass::Key => {
                self.coloured(plain, Color::Cyan, table::CYAN)
            }
        }
    }

    /// What is no louder than it has to be. Many terminals show dim text like any other, or hardly
    /// at all.
    fn dim(self) -> Style {
        match self {
            Self::None | Self::Basic => Style::new().add_modifier(Modifier::DIM),
            Self::Indexed => Style::new().fg(table::GREY),
        }
    }

    fn coloured(self, base: Style, basic: Color, indexed: Color) -> Style {
        match self {
            Self::None => base,
            Self::Basic => base.fg(basic),
            Self::Indexed => base.fg(indexed),
        }
    }

    /// A changed line: with a background where that can be quiet, and then its own text on it.
    fn changed(self, basic: Color, [under, text]: [Color; 2]) -> Style {
        let plain = Style::new();
        match self {
            Self::None => plain,
            Self::Basic => plain.fg(basic),
            Self::Indexed => plain.fg(text).bg(under),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROLES: [Role; 15] = [
        Role::Plain,
        Role::Aside,
        Role::User,
        Role::Strong,
        Role::Stressed,
        Role::Struck,
        Role::Code,
        Role::Place,
        Role::Error,
        Role::Warning,
        Role::Good,
        Role::Added,
        Role::Removed,
        Role::Gauge,
        Role::Chosen,
    ];

    const CLASSES: [HighlightClass; 9] = [
        HighlightClass::Comment,
        HighlightClass::Function,
        HighlightClass::Keyword,
        HighlightClass::Attribute,
        HighlightClass::Text,
        HighlightClass::Constant,
        HighlightClass::Type,
        HighlightClass::Escape,
        HighlightClass::Key,
    ];

    fn all(colours: Colours) -> impl Iterator<Item = Style> {
        let roles = ROLES.into_iter().map(move |role| colours.style(role));
        roles.chain(CLASSES.into_iter().map(move |class| colours.of_code(class)))
    }

    /// The relative luminance of a colour of the table, by WCAG 2.2.
    fn luminance(index: u8) -> f64 {
        assert!(index >= 16, "the scheme chooses {index}");
        let level = |step: u8| if step == 0 { 0 } else { 55 + 40 * u32::from(step) };
        let [red, green, blue] = match index {
            232.. => [8 + 10 * u32::from(index - 232); 3],
            _ => [(index - 16) / 36, (index - 16) / 6 % 6, (index - 16) % 6].map(level),
        };
        let linear = |value: u32| {
            let value = f64::from(value) / 255.0;
            if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }

    fn contrast(one: f64, other: f64) -> f64 {
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    /// Nobody has to tell whether the terminal is dark or light.
    #[test]
    fn all_can_be_read_on_dark_and_on_light() {
        let indexed = |colour: Option<Color>| match colour {
            Some(Color::Indexed(index)) => Some(luminance(index)),
            None => None,
            Some(other) => panic!("{other:?} is none of the table"),
        };
        for style in all(Colours::Indexed) {
            match (indexed(style.fg), indexed(style.bg)) {
                (Some(text), None) => {
                    assert!(contrast(text, 0.0) >= 3.0 && contrast(text, 1.0) >= 3.0, "{style:?}");
                }
                // For a text, by the same rules.
                (Some(text), Some(under)) => assert!(contrast(text, under) >= 4.5, "{style:?}"),
                (None, under) => assert_eq!(under, None, "a text of any colour is on it"),
            }
        }
    }

    #[test]
    fn where_there_are_sixteen_or_none_nothing_else_is_used() {
        for style in all(Colours::None) {
            assert_eq!((style.fg, style.bg), (None, None));
        }
        for style in all(Colours::Basic) {
            let is_basic = |colour| !matches!(colour, Color::Indexed(_) | Color::Rgb(..));
            assert!(style.bg.is_none() && style.fg.is_none_or(is_basic), "{style:?}");
        }
    }
}
