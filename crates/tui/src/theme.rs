//! The styles of texts. Text keeps the terminal's own colours; emphasis has colours that are
//! legible on dark and on light backgrounds alike. With sixteen colours, the styles use those of
//! the terminal's scheme; without colours, only weight.

use foveal_syntax::highlighting::HighlightClass;
use ratatui_core::style::{Color, Modifier, Style};

/// The colours that the terminal supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourSupport {
    /// No colours: only bold, dim and reversed text.
    None,
    /// The sixteen colours, which the terminal's scheme defines.
    #[default]
    Basic,
    /// The 256-colour table without its first sixteen entries; the others are the same in every
    /// terminal.
    Indexed,
}

/// The role of a text, which selects its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextRole {
    /// Ordinary text.
    Plain,
    /// Secondary text.
    Aside,
    /// Text of the user.
    User,
    /// A heading, or a name.
    Strong,
    /// Emphasised words.
    Stressed,
    /// Struck-through words.
    Struck,
    /// Inline code.
    Code,
    /// A path or an address.
    Place,
    /// A failure.
    Error,
    /// A warning.
    Warning,
    /// A success.
    Good,
    /// An added line.
    Added,
    /// A removed line.
    Removed,
    /// The context gauge.
    Gauge,
    /// The selected item.
    Selected,
}

/// Colours of the 256-colour table. Each text colour is legible on black and on white, unless its
/// background is set with it.
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
    /// The background and text colour of added lines.
    pub(super) const ADDED: [Color; 2] = [Indexed(22), Indexed(194)];
    /// The background and text colour of removed lines.
    pub(super) const REMOVED: [Color; 2] = [Indexed(52), Indexed(224)];
}

impl ColourSupport {
    /// Returns the style of a text with this role.
    pub(crate) fn role_style(self, role: TextRole) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        let underlined = plain.add_modifier(Modifier::UNDERLINED);
        match role {
            TextRole::Plain => plain,
            TextRole::Aside => self.dim_style(),
            TextRole::User => self.with_colour(bold, Color::Cyan, table::CYAN),
            TextRole::Strong => bold,
            TextRole::Stressed => plain.add_modifier(Modifier::ITALIC),
            TextRole::Struck => plain.add_modifier(Modifier::CROSSED_OUT),
            TextRole::Code => self.with_colour(plain, Color::Cyan, table::CYAN),
            TextRole::Place => self.with_colour(underlined, Color::Cyan, table::CYAN),
            TextRole::Error => self.with_colour(bold, Color::Red, table::RED),
            TextRole::Warning => self.with_colour(plain, Color::Yellow, table::OCHRE),
            TextRole::Good => self.with_colour(plain, Color::Green, table::GREEN),
            TextRole::Added => self.changed_line_style(Color::Green, table::ADDED),
            TextRole::Removed => self.changed_line_style(Color::Red, table::REMOVED),
            TextRole::Gauge => match self {
                Self::None | Self::Basic => self.dim_style(),
                Self::Indexed => plain.fg(table::TEAL),
            },
            TextRole::Selected => plain.add_modifier(Modifier::REVERSED),
        }
    }

    /// Returns the style of a highlighted piece of code.
    pub(crate) fn highlight_style(self, class: HighlightClass) -> Style {
        let plain = Style::new();
        let bold = plain.add_modifier(Modifier::BOLD);
        match class {
            HighlightClass::Comment => self.dim_style(),
            HighlightClass::Function => match self {
                Self::None | Self::Basic => bold,
                Self::Indexed => plain.fg(table::BLUE),
            },
            HighlightClass::Keyword => self.with_colour(plain, Color::Magenta, table::PURPLE),
            HighlightClass::Attribute => self.with_colour(plain, Color::Magenta, table::TEAL),
            HighlightClass::Text => self.with_colour(plain, Color::Green, table::OLIVE),
            HighlightClass::Constant => self.with_colour(plain, Color::Red, table::BROWN),
            HighlightClass::Escape => self.with_colour(plain, Color::Cyan, table::ORANGE),
            HighlightClass::Type | HighlightClass::Key => {
                self.with_colour(plain, Color::Cyan, table::CYAN)
            }
        }
    }

    /// Returns the style of secondary text. A grey is used where possible, since many terminals
    /// show dim text like any other, or hardly at all.
    fn dim_style(self) -> Style {
        match self {
            Self::None | Self::Basic => Style::new().add_modifier(Modifier::DIM),
            Self::Indexed => Style::new().fg(table::GREY),
        }
    }

    fn with_colour(self, base: Style, basic: Color, indexed: Color) -> Style {
        match self {
            Self::None => base,
            Self::Basic => base.fg(basic),
            Self::Indexed => base.fg(indexed),
        }
    }

    /// Returns the style of a changed line: a text colour on a quiet background where the terminal
    /// has one, else a text colour alone.
    fn changed_line_style(self, basic: Color, [under, text]: [Color; 2]) -> Style {
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

    const ROLES: [TextRole; 15] = [
        TextRole::Plain,
        TextRole::Aside,
        TextRole::User,
        TextRole::Strong,
        TextRole::Stressed,
        TextRole::Struck,
        TextRole::Code,
        TextRole::Place,
        TextRole::Error,
        TextRole::Warning,
        TextRole::Good,
        TextRole::Added,
        TextRole::Removed,
        TextRole::Gauge,
        TextRole::Selected,
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

    fn all(colours: ColourSupport) -> impl Iterator<Item = Style> {
        let roles = ROLES.into_iter().map(move |role| colours.role_style(role));
        roles.chain(CLASSES.into_iter().map(move |class| colours.highlight_style(class)))
    }

    /// Returns the relative luminance of a table colour, by WCAG 2.2.
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

    /// The user need not configure whether the terminal is dark or light.
    #[test]
    fn all_can_be_read_on_dark_and_on_light() {
        let indexed = |colour: Option<Color>| match colour {
            Some(Color::Indexed(index)) => Some(luminance(index)),
            None => None,
            Some(other) => panic!("{other:?} is none of the table"),
        };
        for style in all(ColourSupport::Indexed) {
            match (indexed(style.fg), indexed(style.bg)) {
                (Some(text), None) => {
                    assert!(contrast(text, 0.0) >= 3.0 && contrast(text, 1.0) >= 3.0, "{style:?}");
                }
                // The minimum contrast of text in WCAG 2.2.
                (Some(text), Some(under)) => assert!(contrast(text, under) >= 4.5, "{style:?}"),
                (None, under) => assert_eq!(under, None, "a text of any colour is on it"),
            }
        }
    }

    #[test]
    fn where_there_are_sixteen_or_none_nothing_else_is_used() {
        for style in all(ColourSupport::None) {
            assert_eq!((style.fg, style.bg), (None, None));
        }
        for style in all(ColourSupport::Basic) {
            let is_basic = |colour| !matches!(colour, Color::Indexed(_) | Color::Rgb(..));
            assert!(style.bg.is_none() && style.fg.is_none_or(is_basic), "{style:?}");
        }
    }
}
