//! The appearance of `foveal chat`.

use foveal_tui::ColourSupport;
use serde::Deserialize;

/// The user's settings of `foveal chat`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChatSettings {
    pub(crate) colours: ColourPalette,
}

/// The colours of the user's choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) enum ColourPalette {
    /// As many as the terminal supports.
    #[default]
    Auto,
    /// The colours of the 256-colour palette.
    Indexed,
    /// The 16 colours of the terminal's own scheme.
    Basic,
    /// No colours.
    None,
}

/// The accepted values.
pub(super) const WISHES: [&str; 4] = ["auto", "256", "16", "none"];

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    Count(u64),
    Name(String),
}

/// A value that is none of the accepted ones.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` names no colours: give one of {all}", all = WISHES.join(", "))]
struct UnknownColours(String);

impl TryFrom<Written> for ColourPalette {
    type Error = UnknownColours;

    fn try_from(written: Written) -> Result<Self, UnknownColours> {
        let name = match written {
            Written::Count(count) => count.to_string(),
            Written::Name(name) => name,
        };
        let wishes = [Self::Auto, Self::Indexed, Self::Basic, Self::None];
        let found = WISHES.iter().zip(wishes).find(|(known, _)| **known == name);
        found.map(|(_, wish)| wish).ok_or(UnknownColours(name))
    }
}

impl ColourPalette {
    /// Returns the colours to use. `may_be` says whether the output may be coloured at all, and
    /// `has_256` whether the terminal supports 256 colours.
    pub(crate) fn resolve_colours(self, may_be: bool, has_256: bool) -> ColourSupport {
        match self {
            _ if !may_be => ColourSupport::None,
            Self::Auto if has_256 => ColourSupport::Indexed,
            Self::Auto | Self::Basic => ColourSupport::Basic,
            Self::Indexed => ColourSupport::Indexed,
            Self::None => ColourSupport::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_chooses_and_no_colour_is_none() {
        let all = |wish: ColourPalette| {
            [(true, true), (true, false), (false, true)]
                .map(|(may_be, has_256)| wish.resolve_colours(may_be, has_256))
        };
        use ColourSupport::{Basic, Indexed};
        assert_eq!(all(ColourPalette::Auto), [Indexed, Basic, ColourSupport::None]);
        assert_eq!(all(ColourPalette::Indexed), [Indexed, Indexed, ColourSupport::None]);
        assert_eq!(all(ColourPalette::Basic), [Basic, Basic, ColourSupport::None]);
        assert_eq!(all(ColourPalette::None), [ColourSupport::None; 3]);
    }
}
