//! Lines of tool results as the model reads them: text, and the file and number that a tool
//! printed.
//!
//! Numbers come from a gutter that the tool printed ([`gutter`]), from search hits
//! ([`search_hits`]), or from the range that the call requested, if it printed bare lines
//! ([`requested_range`]). The wrapping of a result ([`body_detection`], [`wrappers`]) has neither
//! file nor number. A line whose place is in doubt gets none.

mod body_detection;
mod excerpt_source;
mod gutter;
mod output_body;
mod prior_shaping;
mod requested_range;
mod result_lines;
mod result_lines_builder;
mod search_hits;
#[cfg(test)]
mod tests;
mod truncation;
mod wrappers;

use foveal_tool_effects::{Effect, EffectKind};

use self::result_lines_builder::ResultLinesBuilder;

pub use self::body_detection::parse_working_directory;
pub use self::excerpt_source::ExcerptSource;
pub(crate) use self::prior_shaping::{count_reuse_note_lines, has_note_handle};
pub use self::result_lines::{ClientPrefix, PriorShaping, ResultLine, ResultLines};

/// Splits `content`, the result of a call with `effect`, into lines and finds the file and number
/// of each. Takes time linear in the content. Returns no lines for a content of 4 GiB or more,
/// since ranges are 32-bit.
pub fn parse_result_lines(content: &str, effect: &Effect) -> ResultLines {
    if u32::try_from(content.len()).is_err() {
        return ResultLines::default();
    }
    let mut page = ResultLinesBuilder::new(content, effect.directory.as_deref());
    let body = body_detection::find_body(&mut page, effect);
    page.has_announced_excerpts = gutter::number_announced_excerpts(&mut page, &body, effect);
    match effect.kind {
        EffectKind::Search | EffectKind::List => search_hits::number_hits(&mut page, &body, effect),
        _ if prior_shaping::number_shaped_lines(&mut page, &body, effect) => {}
        _ if effect.reads.is_empty() || gutter::number_by_gutter(&mut page, &body, effect) => {}
        _ => requested_range::number_by_requested_range(&mut page, &body, effect),
    }
    page.printed
}
