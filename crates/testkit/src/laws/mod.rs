//! The engine's laws as checks of the prompt, request by request.
//!
//! Each check panics with a message that names the entry. The checks read the rendered prompt and
//! depend on as little of the engine as possible: their reference calculations are simple and slow.

pub mod content;
pub mod determinism;
pub mod frozen_prefix;
pub mod pointers;
pub mod result_overrides;
pub mod rewrites;

use std::collections::HashMap;
use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::message_shape::{Decision, MessageShape};
use foveal_engine::overrides::{OverrideState, RequestOverrides};
use foveal_engine::plan_step::PlanStep;
use foveal_engine::planner::Planner;
use foveal_engine::projector::Projector;
use foveal_engine::reduction_level::ReductionLevel;
use foveal_engine::settings::{CurateSettings, OldReadSettings};
use foveal_engine::settings::{RewriteSettings, Settings};
use foveal_engine::shaping::gutter::GutterNumbers;
use foveal_engine::views::{CurationAmount, ViewRequest, ViewSource};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{EntryIndex, EntryMark, Timestamp};

use crate::random_views::RandomViews;
use crate::render::sent_text;

/// A check of one request.
pub type Law = fn(&CheckedRequest<'_>);

/// Returns foveal's profiles by name, one that rewrites at every opportunity, and one that also
/// asks for views of reads at every opportunity.
pub fn own_profiles() -> Vec<(&'static str, Settings)> {
    vec![
        ("lossless", Settings::lossless()),
        ("balanced", Settings::balanced()),
        ("max", Settings::max()),
        ("curated", Settings::curated()),
        ("eager", eager_settings()),
        ("viewed", eager_view_settings()),
    ]
}

/// Returns settings under which every rule and every reason to rewrite occurs in a short
/// conversation.
pub fn eager_settings() -> Settings {
    let mut settings = Settings::max();
    settings.pointer_bytes_min = 20;
    settings.pointer_bytes_min_elsewhere = 20;
    settings.numbers = GutterNumbers::Every(10);
    settings.run_bytes_max = Some(600);
    settings.search_bytes_max = Some(400);
    settings.read_bytes_max = Some(800);
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.high = Tokens(2_500);
        rewrite.low = Tokens(1_200);
        rewrite.recent_requests = 1;
        rewrite.uses_min = 1.0;
        rewrite.tokens_min = Tokens(30);
        rewrite.free_factor = 2.0;
        rewrite.uncached_factor = 2.0;
        rewrite.loss_max = f64::INFINITY;
        rewrite.rental = 0.5;
        rewrite.old_reads = None;
    }
    settings
}

/// Returns [`eager_settings`] with views of first and of old reads wherever possible.
pub fn eager_view_settings() -> Settings {
    let mut settings = eager_settings();
    settings.read_bytes_max = None;
    settings.curate = Some(CurateSettings {
        lines_min: 8,
        amount: CurationAmount::Adaptive,
        saving_min: 0.1,
        again: true,
        states_share: true,
    });
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.old_reads =
            Some(OldReadSettings { lines_min: 6, wanted: ViewRequest::Summary(Tokens(80)) });
    }
    settings
}

/// The sent prompts so far.
#[derive(Debug, Default)]
pub struct SentHistory {
    /// The entries of the last prompt.
    pub window: Vec<EntryIndex>,
    /// The text of each entry as sent.
    pub texts: Vec<String>,
    /// The tokens of each entry.
    pub tokens: Vec<Tokens>,
    /// The last decision on every entry that was ever sent.
    pub decisions: HashMap<EntryIndex, Decision>,
    /// The raised levels so far.
    pub levels: HashMap<EntryIndex, ReductionLevel>,
    /// The number of requests that each entry was sent with.
    pub requests: HashMap<EntryIndex, u64>,
    /// The number of entries known at the last request.
    pub entries: usize,
    /// The time of the last request with a recorded time.
    pub time: Option<Timestamp>,
    /// The override states of results that the user changed.
    pub override_states: HashMap<EntryIndex, OverrideState>,
}

/// One request and the history before it.
#[derive(Debug)]
pub struct CheckedRequest<'a> {
    /// The conversation and its facts.
    pub record: &'a ConversationRecord,
    /// The projector after the request was planned.
    pub projector: &'a Projector,
    /// The step of the request.
    pub step: &'a PlanStep,
    /// The text of each entry of the prompt as sent.
    pub texts: &'a [String],
    /// The prompts sent before.
    pub before: &'a SentHistory,
    /// The user's overrides at the request.
    pub overrides: &'a RequestOverrides,
    /// The rewrite settings, under a profile of foveal's.
    pub settings: Option<&'a RewriteSettings>,
    /// The prices of the plan.
    pub prices: &'a PriceCard,
    /// The first window position to check; earlier ones were checked at an earlier request.
    pub first_position: usize,
}

impl<'a> CheckedRequest<'a> {
    /// Returns the entries of the prompt.
    pub fn window(&self) -> &'a [EntryIndex] {
        self.projector.window()
    }

    /// Returns the position of an entry in the prompt.
    pub fn position(&self, index: EntryIndex) -> Option<usize> {
        self.window().iter().position(|at| *at == index)
    }

    /// Returns the replaced results to check: position, entry, shape and original.
    pub fn replaced_results(
        &self,
    ) -> impl Iterator<Item = (usize, EntryIndex, &'a MessageShape, &'a str)> + '_ {
        self.window().iter().enumerate().skip(self.first_position).filter_map(|(at, index)| {
            let shape = self.projector.entry_state(*index).decision.shape()?;
            let result = self.record.entry(*index).tool_result()?;
            Some((at, *index, shape, result.content.as_str()))
        })
    }

    /// Returns whether the client compacted or rewound since the last request.
    pub fn has_client_cut(&self) -> bool {
        let known = self.step.answer.as_usize().min(self.record.len());
        self.record.entries()[self.before.entries..known]
            .iter()
            .any(|e| matches!(e.mark, EntryMark::CompactBoundary { .. } | EntryMark::Rewind { .. }))
    }

    /// Returns the planner, if it is the projector.
    pub fn planner(&self) -> Option<&'a Planner> {
        match self.projector {
            Projector::Engine(planner) => Some(planner),
            Projector::Comparison(_) => None,
        }
    }
}

/// The extent of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckScope {
    /// The whole prompt at every request.
    WholePrompt,
    /// The changes of a request; the rest equals the last request, which [`frozen_prefix`] checks.
    Changes,
}

/// A projector to check, with its settings.
#[derive(Debug)]
pub struct LawSubject {
    /// The projector at the start of a conversation.
    pub projector: Projector,
    /// The rewrite settings.
    pub settings: Option<RewriteSettings>,
    /// The prices of the plan.
    pub prices: PriceCard,
}

impl LawSubject {
    /// Returns the planner under `settings` with [`RandomViews`].
    pub fn from_settings(settings: Settings) -> Self {
        Self::from_settings_and_views(settings, Arc::new(RandomViews::default()))
    }

    /// Returns the planner under `settings` with `views`.
    pub fn from_settings_and_views(settings: Settings, views: Arc<dyn ViewSource>) -> Self {
        let prices = PriceCard::anthropic_5m();
        let rewrite = settings.rewrite.clone();
        let planner = Planner::new(settings, prices.clone()).with_view_source(views);
        Self { projector: Projector::Engine(Box::new(planner)), settings: rewrite, prices }
    }
}

/// Returns the time of the request that `answer` answers: that of the last entry before it.
pub fn request_time(record: &ConversationRecord, answer: EntryIndex) -> Option<Timestamp> {
    answer.as_usize().checked_sub(1).and_then(|at| record.entries()[at].time)
}

/// Returns the answers to plan for: every response, and one more after the last entry.
pub fn answers_to_plan(record: &ConversationRecord) -> Vec<EntryIndex> {
    let end = EntryIndex(record.len() as u32);
    record.conversation().response_indices().chain([end]).collect()
}

/// Advances `subject` through all requests and checks `laws` after each; returns the steps.
pub fn check_laws(
    record: &ConversationRecord,
    subject: LawSubject,
    scope: CheckScope,
    laws: &[Law],
) -> Vec<PlanStep> {
    check_laws_with_overrides(record, subject, scope, laws, |_, _| RequestOverrides::NONE)
}

/// As [`check_laws`], with the user's overrides: `wished` gets the number of the request and the
/// projector before it.
pub fn check_laws_with_overrides(
    record: &ConversationRecord,
    subject: LawSubject,
    scope: CheckScope,
    laws: &[Law],
    mut wished: impl FnMut(usize, &Projector) -> RequestOverrides,
) -> Vec<PlanStep> {
    let LawSubject { mut projector, settings, prices } = subject;
    let mut before = SentHistory::default();
    let mut steps = Vec::new();
    for (number, answer) in answers_to_plan(record).into_iter().enumerate() {
        let now = request_time(record, answer);
        let wishes = wished(number, &projector);
        let step = match &mut projector {
            Projector::Engine(planner) => {
                planner.advance_with_overrides(record, answer, now, &wishes)
            }
            Projector::Comparison(other) => other.advance(record, answer, now),
        };
        let entries = projector.window().iter();
        let texts: Vec<String> = entries
            .map(|index| sent_text(record.entry(*index), projector.entry_state(*index)))
            .collect();
        let from = if scope == CheckScope::WholePrompt { 0 } else { step.kept };
        let moment = CheckedRequest {
            record,
            projector: &projector,
            step: &step,
            texts: &texts,
            before: &before,
            overrides: &wishes,
            settings: settings.as_ref(),
            prices: &prices,
            first_position: from,
        };
        for law in laws {
            law(&moment);
        }
        before.record_step(&projector, &step, texts);
        steps.push(step);
    }
    steps
}

impl SentHistory {
    fn record_step(&mut self, projector: &Projector, step: &PlanStep, texts: Vec<String>) {
        self.window = projector.window().to_vec();
        self.tokens =
            self.window.iter().map(|index| projector.entry_state(*index).tokens).collect();
        self.texts = texts;
        for index in &self.window {
            *self.requests.entry(*index).or_default() += 1;
        }
        self.decisions.extend(step.changed.iter().cloned());
        self.levels.extend(step.wished.iter().map(|wish| (wish.entry, wish.level)));
        self.override_states.extend(step.wished.iter().map(|wish| (wish.entry, wish.standing)));
        self.levels.extend(step.levels.iter().copied());
        self.entries = step.answer.as_usize();
        self.time = step.time.or(self.time);
    }
}
