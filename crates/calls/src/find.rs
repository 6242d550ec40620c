//! Which remembered call answers a call.

use serde_json::Value;

use foveal_transcript::Timestamp;

use crate::history::{Record, Session};
use crate::key::{Extent, Key, Query};
use crate::settings::CallSettings;
use crate::similarity::{Declared, Rules, Similarity};

/// A record that answers a call, if its dependencies are unchanged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit<'a, R, D> {
    /// The earlier call.
    pub record: &'a Record<R, D>,
    /// Whether it may show more than is asked for.
    pub extent: Extent,
}

/// Why a call is to be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Miss {
    /// Nobody asked this before, as far as is remembered.
    New,
    /// It was asked, but too long ago.
    TooOld,
    /// The same call was answered from a record just before: who asks again needs it done.
    AskedAgain,
    /// Calls of this tool are never answered from records.
    Never,
    /// Looking up is switched off for the call, the tool, the session or all.
    Off,
}

/// What it takes for a call to ask for what an earlier one answered.
pub(crate) struct Likeness<'a> {
    query: &'a Query,
    threshold: f64,
    custom: Option<Similarity>,
}

impl<'a> Likeness<'a> {
    pub(crate) fn of(query: &'a Query, settings: &CallSettings, rules: &Rules) -> Self {
        let is_custom = query.key == Key::Custom;
        let custom = is_custom.then(|| rules.of(&query.tool, Declared::Other));
        Self { query, threshold: settings.of(&query.tool).threshold, custom }
    }

    pub(crate) fn extent(&self, tool: &str, arguments: &Value, key: &Key) -> Option<Extent> {
        if *tool != *self.query.tool {
            return None;
        }
        match (&self.custom, key) {
            (Some(Similarity::Custom(compare)), Key::Custom) => {
                compare(&self.query.arguments, arguments).then_some(Extent::Same)
            }
            (Some(_), _) => None,
            (None, _) => self.query.key.asks_for(key, self.threshold),
        }
    }
}

/// The place of the latest record that answers a call.
pub(crate) fn find<R, D>(
    session: &mut Session<R, D>,
    query: &Query,
    now: Timestamp,
    (settings, rules): (&CallSettings, &Rules),
    is_usable: impl Fn(&Hit<'_, R, D>) -> bool,
) -> Result<(usize, Extent), Miss> {
    let likeness = Likeness::of(query, settings, rules);
    session.forget_answers(settings);
    let again = session.answered.iter().position(|answered| {
        likeness.extent(&answered.tool, &answered.arguments, &answered.key).is_some()
    });
    if let Some(at) = again {
        // Once carried out, its new record may answer the next.
        session.answered.remove(at);
        return Err(Miss::AskedAgain);
    }
    let age_ms_max = settings.of(&query.tool).age_ms_max;
    let mut miss = Miss::New;
    for (at, record) in session.records.iter().enumerate().rev() {
        let extent = likeness.extent(&record.tool, &record.arguments, &record.key);
        match extent {
            Some(_) if now.since_ms(record.time) > age_ms_max => miss = Miss::TooOld,
            Some(extent) if is_usable(&Hit { record, extent }) => return Ok((at, extent)),
            Some(_) | None => {}
        }
    }
    Err(miss)
}
