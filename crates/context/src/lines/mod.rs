//! Lines of tool results as the model reads them: text, and the file and number a tool printed.
//!
//! Numbers come from a gutter where the tool printed one ([`gutter`]), from search hits
//! ([`hits`]), or from what the call asked for when it printed bare lines ([`bare`]). What
//! wraps a result ([`body`], [`wrappers`]) has neither file nor number. A line whose place is in doubt
//! gets none.

mod bare;
mod body;
mod excerpt_source;
mod gutter;
mod hits;
mod output_body;
mod page;
mod printed;
mod prior_shaping;
#[cfg(test)]
mod tests;
mod truncation;
mod wrappers;

use foveal_effects::{Effect, EffectKind};

use self::page::Page;

pub use self::body::printed_directory;
pub use self::excerpt_source::ExcerptSource;
pub use self::printed::{ClientPrefix, Printed, PrintedLine, PriorShaping};
pub(crate) use self::prior_shaping::has_handle;

/// Splits `content`, the result of a call with `effect`, into lines and finds which file
/// and number each is. Takes time linear in the content; a content of 4 GiB or more, whose
/// places no range could hold, gives no lines.
pub fn printed_lines(content: &str, effect: &Effect) -> Printed {
    if u32::try_from(content.len()).is_err() {
        return Printed::default();
    }
    let mut page = Page::new(content, effect.directory.as_deref());
    let body = body::find(&mut page, effect);
    page.windows = gutter::windows(&mut page, &body, effect);
    match effect.kind {
        EffectKind::Search | EffectKind::List => hits::number(&mut page, &body, effect),
        _ if prior_shaping::number(&mut page, &body, effect) => {}
        _ if effect.reads.is_empty() || gutter::number(&mut page, &body, effect) => {}
        _ => bare::number(&mut page, &body, effect),
    }
    page.printed
}
