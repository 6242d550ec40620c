//! Collects replays for the page; keeps details of the most expensive conversations only.

use std::collections::HashMap;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_replay::ConversationReplay;
use foveal_transcript::Conversation;

use crate::conversation_label::ConversationLabel;
use crate::data::{
    ConversationDetail, FileTokens, PromptComposition, ReportConversation, ReportData,
    ReportLimits, ReportProfile, ReportTotals, RequestPoint,
};
use crate::sampler::{is_evenly_sampled, truncate_to_largest};

/// The most marks of one kind in one drawing.
const MARKS_MAX: usize = 300;
/// The most files that are summed over all conversations at any time.
const FILES_MAX: usize = 20_000;

/// The figures of one conversation under every profile. It can be filled on any thread.
#[derive(Debug, Clone)]
pub struct MeasuredConversation {
    line: ReportConversation,
    cache_lifetime_ms: Option<i64>,
    limits: ReportLimits,
}

impl MeasuredConversation {
    /// Creates a value without replays. `session` is the displayed name; `limits` are those given to
    /// [`ReportBuilder::new`].
    pub fn new(
        session: &str,
        conversation: &Conversation,
        prices: &PriceCard,
        limits: ReportLimits,
    ) -> Self {
        let line = ReportConversation {
            session: session.to_owned(),
            agent: conversation.agent.clone(),
            label: ConversationLabel::from_conversation(conversation),
            ..ReportConversation::default()
        };
        Self { line, cache_lifetime_ms: prices.cache_lifetime_ms, limits }
    }

    /// Adds the replay under the next profile, in the order given to [`ReportBuilder::new`]. Uses
    /// `fill` only for the first [`ReportLimits::profiles_drawn`] profiles, which are drawn.
    pub fn add(&mut self, replay: &ConversationReplay, fill: Option<PromptComposition>) {
        let place = self.line.totals.len();
        self.line.totals.push(ReportTotals::from_replay(replay));
        if place < self.limits.profiles_drawn {
            let detail = self.build_detail(replay, fill.unwrap_or_default());
            self.line.details.push(detail);
        }
    }

    fn build_detail(
        &self,
        replay: &ConversationReplay,
        fill: PromptComposition,
    ) -> ConversationDetail {
        let all = replay.requests.len();
        let mut detail = ConversationDetail { fill, ..ConversationDetail::default() };
        let (mut raw_dollars, mut net_dollars) = (0.0, 0.0);
        let mut before = None;
        for (at, request) in replay.requests.iter().enumerate() {
            raw_dollars += request.raw.dollars;
            net_dollars += request.projected.dollars + request.repair_dollars;
            let number = u32::try_from(at + 1).unwrap_or(u32::MAX);
            if is_evenly_sampled(at, all, self.limits.points) {
                detail.points.push(RequestPoint {
                    request: number,
                    raw: request.raw.prompt.0,
                    tokens: request.projected.prompt.0,
                    cached: request.projected.cached.0,
                    raw_dollars,
                    net_dollars,
                });
            }
            if request.rewrite.is_some() {
                detail.rewrites.push(number);
            }
            let waited = before.zip(request.time).map(|(before, now)| now.since_ms(before));
            if waited
                .zip(self.cache_lifetime_ms)
                .is_some_and(|(waited, lifetime)| waited > lifetime)
            {
                detail.cold.push(number);
            }
            before = request.time.or(before);
        }
        for marks in [&mut detail.rewrites, &mut detail.cold] {
            let (mut at, all) = (0, marks.len());
            marks.retain(|_| {
                at += 1;
                is_evenly_sampled(at - 1, all, MARKS_MAX)
            });
        }
        detail
    }
}

/// Collects conversations into a [`ReportData`].
#[derive(Debug)]
pub struct ReportBuilder {
    data: ReportData,
    files: Vec<HashMap<String, (Tokens, Tokens)>>,
}

impl ReportBuilder {
    /// Creates an empty builder. The page shows the first profile at first; its user can select the
    /// first [`ReportLimits::profiles_drawn`] (at most 4).
    pub fn new(profiles: Vec<ReportProfile>, limits: ReportLimits) -> Self {
        let drawn = profiles.len().min(limits.profiles_drawn).min(4);
        let data = ReportData {
            prices: Vec::new(),
            limits,
            totals: vec![ReportTotals::default(); profiles.len()],
            fills: vec![PromptComposition::default(); drawn],
            drawn,
            profiles,
            sessions: Vec::new(),
        };
        Self { files: vec![HashMap::new(); drawn], data }
    }

    /// Adds one conversation. The order does not matter.
    pub fn add(&mut self, measured: MeasuredConversation) {
        let mut line = measured.line;
        line.totals.resize(self.data.profiles.len(), ReportTotals::default());
        line.details.truncate(self.data.drawn);
        for (sum, totals) in self.data.totals.iter_mut().zip(&line.totals) {
            sum.add(totals);
        }
        for (at, detail) in line.details.iter_mut().enumerate() {
            self.add_fill(at, detail);
        }
        let sessions = &mut self.data.sessions;
        let dearer = |other: &ReportConversation| {
            other
                .raw_dollars()
                .total_cmp(&line.raw_dollars())
                .reverse()
                .then_with(|| other.session.cmp(&line.session))
        };
        let at = sessions.partition_point(|other| dearer(other).is_lt());
        sessions.insert(at, line);
        // At any time one row more than may be drawn has details: the new one, or the row that it
        // displaced.
        let beyond = at.max(self.data.limits.conversations_drawn);
        if let Some(cheaper) = sessions.get_mut(beyond) {
            cheaper.details = Vec::new();
        }
    }

    fn add_fill(&mut self, at: usize, detail: &mut ConversationDetail) {
        let fill = &mut self.data.fills[at];
        for (sum, tokens) in fill.raw.iter_mut().zip(detail.fill.raw) {
            *sum += tokens;
        }
        for (sum, tokens) in fill.projected.iter_mut().zip(detail.fill.projected) {
            *sum += tokens;
        }
        let files = &mut self.files[at];
        for file in &detail.fill.files {
            let sums = files.entry(file.path.clone()).or_default();
            sums.0 += file.raw;
            sums.1 += file.projected;
        }
        if files.len() > FILES_MAX {
            let largest = largest_files(files, FILES_MAX / 2);
            *files = largest.into_iter().map(|f| (f.path, (f.raw, f.projected))).collect();
        }
        truncate_to_largest(&mut detail.fill.files, self.data.limits.files);
    }

    /// Returns the collected data. `prices` are the price cards of the conversations.
    pub fn finish(mut self, prices: Vec<PriceCard>) -> ReportData {
        self.data.prices = prices;
        for (fill, files) in self.data.fills.iter_mut().zip(&self.files) {
            fill.files = largest_files(files, self.data.limits.files);
        }
        self.data
    }
}

fn largest_files(files: &HashMap<String, (Tokens, Tokens)>, most: usize) -> Vec<FileTokens> {
    let mut all: Vec<FileTokens> = files
        .iter()
        .map(|(path, (raw, projected))| FileTokens {
            path: path.clone(),
            raw: *raw,
            projected: *projected,
        })
        .collect();
    truncate_to_largest(&mut all, most);
    all
}
