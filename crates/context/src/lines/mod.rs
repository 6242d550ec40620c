//! Lines of tool results as the model reads them: text, and the file and number a tool printed.
//!
//! Numbers come from a gutter where the tool printed one ([`gutter`]), from search hits
//! ([`hits`]), or from what the call asked for when it printed bare lines ([`bare`]). What
//! wraps a result ([`body`], [`wrappers`]) has neither file nor number. A line whose place is in doubt
//! gets none.

mod bare;
mod body;
mod cut;
mod gutter;
mod hits;
mod own;
mod page;
mod printed;
#[cfg(test)]
mod tests;
mod wrappers;

use foveal_effects::{Effect, EffectKind};

use self::page::Page;

pub use self::body::printed_directory;
pub(crate) use self::own::has_handle;
pub use self::printed::{OwnParts, Printed, PrintedLine};

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
        _ if own::number(&mut page, &body, effect) => {}
        _ if effect.reads.is_empty() || gutter::number(&mut page, &body, effect) => {}
        _ => bare::number(&mut page, &body, effect),
    }
    page.printed
}
