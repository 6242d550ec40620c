//! The look-up of a recorded call that answers a new one.

use serde_json::Value;

use foveal_transcript::Timestamp;

use super::call_history::{RecordedCall, SessionCalls};
use super::key::{CallQuery, ComparisonKey, MatchExtent};
use super::settings::CallSettings;
use super::similarity::{Similarity, SimilarityRules};

/// A recorded call that answers a new one, if its dependencies are unchanged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LookupHit<'a, R, D> {
    /// The earlier call.
    pub record: &'a RecordedCall<R, D>,
    /// Whether the earlier call may show more than the new one asks for.
    pub extent: MatchExtent,
}

/// The reason why a call must be carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LookupMiss {
    /// No remembered call matches.
    New,
    /// A matching call is too old.
    TooOld,
    /// A record answered the same call just before; a client that repeats it needs it carried out.
    AskedAgain,
    /// Calls of this tool are never answered from records.
    Never,
    /// Detection is disabled for the call, the tool, the session or all.
    Off,
}

/// The conditions under which an earlier call answers a new one.
pub(crate) struct CallMatcher<'a> {
    query: &'a CallQuery,
    custom: Option<Similarity>,
}

impl<'a> CallMatcher<'a> {
    pub(crate) fn new(query: &'a CallQuery, rules: &SimilarityRules) -> Self {
        let is_custom = query.key == ComparisonKey::Custom;
        let custom = is_custom.then(|| rules.rule_for(&query.tool));
        Self { query, custom }
    }

    pub(crate) fn match_extent(
        &self,
        tool: &str,
        arguments: &Value,
        key: &ComparisonKey,
    ) -> Option<MatchExtent> {
        if *tool != *self.query.tool {
            return None;
        }
        match (&self.custom, key) {
            (Some(Similarity::Custom(compare)), ComparisonKey::Custom) => {
                compare(&self.query.arguments, arguments).then_some(MatchExtent::Same)
            }
            (Some(_), _) => None,
            (None, _) => self.query.key.match_earlier(key),
        }
    }
}

/// Returns the place of the latest record that answers a call.
pub(crate) fn find_record<R, D>(
    session: &mut SessionCalls<R, D>,
    query: &CallQuery,
    now: Timestamp,
    settings: &CallSettings,
    rules: &SimilarityRules,
    is_usable: impl Fn(&LookupHit<'_, R, D>) -> bool,
) -> Result<(usize, MatchExtent), LookupMiss> {
    let likeness = CallMatcher::new(query, rules);
    session.forget_old_repeats(settings);
    let again = session.answered.iter().position(|answered| {
        likeness.match_extent(&answered.tool, &answered.arguments, &answered.key).is_some()
    });
    if let Some(at) = again {
        // Once the call is carried out, its new record may answer the next one.
        session.answered.remove(at);
        return Err(LookupMiss::AskedAgain);
    }
    let age_ms_max = settings.limits_for(&query.tool).age_ms_max;
    let mut miss = LookupMiss::New;
    for (at, record) in session.records.iter().enumerate().rev() {
        let extent = likeness.match_extent(&record.tool, &record.arguments, &record.key);
        match extent {
            Some(_) if now.since_ms(record.time) > age_ms_max => miss = LookupMiss::TooOld,
            Some(extent) if is_usable(&LookupHit { record, extent }) => return Ok((at, extent)),
            Some(_) | None => {}
        }
    }
    Err(miss)
}
