//! How `foveal chat` looks.

use foveal_chat::Colours;
use serde::Deserialize;

/// What the user wants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ChatSettings {
    pub(crate) colours: ColoursWish,
}

/// Which colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) enum ColoursWish {
    /// As many as the terminal says that it has.
    #[default]
    Auto,
    /// Those of the table of 256.
    Indexed,
    /// The sixteen of the terminal's own scheme.
    Basic,
    /// None.
    None,
}

/// What may be written.
pub(super) const WISHES: [&str; 4] = ["auto", "256", "16", "none"];

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Written {
    Count(u64),
    Name(String),
}

/// What names no colours.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` names no colours: give one of {all}", all = WISHES.join(", "))]
struct NoColours(String);

impl TryFrom<Written> for ColoursWish {
    type Error = NoColours;

    fn try_from(written: Written) -> Result<Self, NoColours> {
        let name = match written {
            Written::Count(count) => count.to_string(),
            Written::Name(name) => name,
        };
        let wishes = [Self::Auto, Self::Indexed, Self::Basic, Self::None];
        let found = WISHES.iter().zip(wishes).find(|(known, _)| **known == name);
        found.map(|(_, wish)| wish).ok_or(NoColours(name))
    }
}

impl ColoursWish {
    /// The colours that are used, where there may be some and where the terminal says that it has
    /// 256. Where there may be none, whoever said so is obeyed.
    pub(crate) fn colours(self, may_be: bool, has_256: bool) -> Colours {
        match self {
            _ if !may_be => Colours::None,
            Self::Auto if has_256 => Colours::Indexed,
            Self::Auto | Self::Basic => Colours::Basic,
            Self::Indexed => Colours::Indexed,
            Self::None => Colours::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_chooses_and_no_colour_is_none() {
        let all = |wish: ColoursWish| {
            [(true, true), (true, false), (false, true)]
                .map(|(may_be, has_256)| wish.colours(may_be, has_256))
        };
        use Colours::{Basic, Indexed};
        assert_eq!(all(ColoursWish::Auto), [Indexed, Basic, Colours::None]);
        assert_eq!(all(ColoursWish::Indexed), [Indexed, Indexed, Colours::None]);
        assert_eq!(all(ColoursWish::Basic), [Basic, Basic, Colours::None]);
        assert_eq!(all(ColoursWish::None), [Colours::None; 3]);
    }
}
