//! One new result, shaped by what the model can see, for callers that never change what was sent.

use std::sync::Arc;

use crate::level::Level;
use crate::record::Record;
use crate::room::Room;
use crate::settings::Settings;
use crate::shape::Decision;
use crate::shaping::arrival::{self, Outcome};
use crate::shaping::fit::{Fit, fit};
use crate::step::Item;
use crate::tokens::TokenCache;
use crate::views::{self, Views};
use crate::visible::Visible;
use foveal_transcript::EntryIndex;

/// Everything the decision on a new result depends on.
#[derive(Debug, Clone, Copy)]
pub struct NewResult<'a> {
    /// The conversation, of which the result is the last entry, and its facts.
    pub record: &'a Record,
    /// What is visible before the result.
    pub visible: &'a Visible,
    /// What may be done. What they say of rewrites is not asked.
    pub settings: &'a Settings,
    /// Chooses lines of first reads, as far as the settings want any.
    pub views: Option<&'a dyn Views>,
    /// How much of it may be sent; the rest is left out, from the end.
    pub room: Room,
    /// Bytes at its end that are notes, and stay in any case.
    pub end_bytes: usize,
}

impl NewResult<'_> {
    /// What is sent of the result.
    ///
    /// # Panics
    /// If the record is empty.
    pub fn decide(&self) -> Decision {
        let Self { record, visible, settings, views, room, end_bytes } = *self;
        let index = EntryIndex(record.len() as u32 - 1);
        let chosen = views.zip(settings.curate.as_ref()).and_then(|(views, curate)| {
            let before: Vec<_> = visible.ledger().entries().collect();
            views::choose_first(views, record, curate, &before, index)
        });
        let ask = arrival::Ask {
            record,
            ledger: visible.ledger(),
            settings,
            index,
            level: Level::Arrival,
            asked_again: visible.asked_again(record, index),
            before: &Item::default(),
            inputs: None,
            outlined_later: false,
            chosen: chosen.as_ref(),
            first: None,
        };
        let decision = match arrival::shape(&ask, &mut TokenCache::default()) {
            Outcome::Shaped(Some((shape, _)), _) => Decision::Replace(Arc::new(shape)),
            Outcome::Shaped(None, _) | Outcome::Same => Decision::Keep,
        };
        match record.entry(index).result() {
            Some(result) => {
                let facts = record.facts(index);
                fit(decision, &result.content, facts, Fit { room, end_bytes, views })
            }
            None => decision,
        }
    }
}
