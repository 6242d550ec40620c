//! The colours of `foveal chat`.

use foveal_settings::ColourPalette;
use foveal_tui::ColourSupport;

/// Returns the colours to use. `may_be` says whether the output may be coloured at all, and
/// `has_256` whether the terminal supports 256 colours.
pub(super) fn resolve_colours(choice: ColourPalette, may_be: bool, has_256: bool) -> ColourSupport {
    match choice {
        _ if !may_be => ColourSupport::None,
        ColourPalette::Auto if has_256 => ColourSupport::Indexed,
        ColourPalette::Auto | ColourPalette::Basic => ColourSupport::Basic,
        ColourPalette::Indexed => ColourSupport::Indexed,
        ColourPalette::None => ColourSupport::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_chooses_and_no_colour_is_none() {
        let all = |wish: ColourPalette| {
            [(true, true), (true, false), (false, true)]
                .map(|(may_be, has_256)| resolve_colours(wish, may_be, has_256))
        };
        use ColourSupport::{Basic, Indexed};
        assert_eq!(all(ColourPalette::Auto), [Indexed, Basic, ColourSupport::None]);
        assert_eq!(all(ColourPalette::Indexed), [Indexed, Indexed, ColourSupport::None]);
        assert_eq!(all(ColourPalette::Basic), [Basic, Basic, ColourSupport::None]);
        assert_eq!(all(ColourPalette::None), [ColourSupport::None; 3]);
    }
}
