//! The engine's laws as checks of what would be sent, request by request.
//!
//! Each check panics with a message that names the entry. They read the rendered prompt and
//! know as little of the engine as they can: what they compare with is naive and slow.

pub mod content;
pub mod determinism;
pub mod folds;
pub mod frozen;
pub mod pointers;
pub mod rewrites;
pub mod wishes;

use std::collections::HashMap;
use std::sync::Arc;

use foveal_context::level::Level;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::projector::Projector;
use foveal_context::record::Record;
use foveal_context::settings::{CurateSettings, OldReads};
use foveal_context::settings::{EditSettings, RewriteSettings, Settings};
use foveal_context::shape::{Decision, Shape};
use foveal_context::shaping::gutter::Numbers;
use foveal_context::step::Step;
use foveal_context::tokens::Tokens;
use foveal_context::views::{Amount, Views, Wanted};
use foveal_context::wish::{Standing, Wishes};
use foveal_transcript::{EntryIndex, Mark, Role, Timestamp};

use crate::render::shown_text;
use crate::scripted_views::ScriptedViews;

/// What is checked at every request.
pub type Law = fn(&Moment<'_>);

/// The engine's own profiles by name, one that rewrites at every chance, and one that also
/// asks for views of reads at every chance.
pub fn own_profiles() -> Vec<(&'static str, Settings)> {
    vec![
        ("lossless", Settings::lossless()),
        ("balanced", Settings::balanced()),
        ("max", Settings::max()),
        ("curated", Settings::curated()),
        ("eager", eager()),
        ("viewed", viewed()),
    ]
}

/// Settings under which every rule and every reason to rewrite comes up in a short
/// conversation.
pub fn eager() -> Settings {
    let mut settings = Settings::max();
    settings.pointer_bytes_min = 20;
    settings.pointer_bytes_min_elsewhere = 20;
    settings.numbers = Numbers::Every(10);
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
        rewrite.edits = Some(EditSettings { old_factor: 0.1, new_factor: 1.0 });
        rewrite.old_reads = None;
    }
    settings
}

/// As [`eager`], with views of first and of old reads wherever they can be had.
pub fn viewed() -> Settings {
    let mut settings = eager();
    settings.read_bytes_max = None;
    settings.curate = Some(CurateSettings {
        lines_min: 8,
        amount: Amount::Adaptive,
        saving_min: 0.1,
        again: true,
    });
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.old_reads = Some(OldReads { lines_min: 6, wanted: Wanted::Summary(Tokens(80)) });
    }
    settings
}

/// What was sent before, as the checks remember it.
#[derive(Debug, Default)]
pub struct Before {
    /// The entries of the last prompt.
    pub window: Vec<EntryIndex>,
    /// What each of them was sent as.
    pub texts: Vec<String>,
    /// The tokens of each of them.
    pub tokens: Vec<Tokens>,
    /// The last decision on every entry ever sent.
    pub decisions: HashMap<EntryIndex, Decision>,
    /// Levels raised so far.
    pub levels: HashMap<EntryIndex, Level>,
    /// With how many requests each entry was sent.
    pub requests: HashMap<EntryIndex, u64>,
    /// Entries that the last request knew of.
    pub entries: usize,
    /// When the last request with a known time was sent.
    pub time: Option<Timestamp>,
    /// How results stand by what the person wished, where they wished something.
    pub standings: HashMap<EntryIndex, Standing>,
}

/// One request and the one before it.
#[derive(Debug)]
pub struct Moment<'a> {
    /// The conversation and its facts.
    pub record: &'a Record,
    /// The projector, after the request was planned.
    pub projector: &'a Projector,
    /// What the request changed.
    pub step: &'a Step,
    /// What each entry of the prompt is sent as.
    pub texts: &'a [String],
    /// What was sent before.
    pub before: &'a Before,
    /// What the person wanted of the request.
    pub wishes: &'a Wishes,
    /// When results may be rewritten, under a profile of the engine's.
    pub settings: Option<&'a RewriteSettings>,
    /// The prices planned with.
    pub prices: &'a PriceCard,
    /// First window position to check; earlier ones were checked with an earlier request.
    pub from: usize,
}

impl<'a> Moment<'a> {
    /// The entries of the prompt.
    pub fn window(&self) -> &'a [EntryIndex] {
        self.projector.window()
    }

    /// The position of an entry in the prompt.
    pub fn position(&self, index: EntryIndex) -> Option<usize> {
        self.window().iter().position(|at| *at == index)
    }

    /// The replaced results to check: position, entry, shape and original.
    pub fn replaced(&self) -> impl Iterator<Item = (usize, EntryIndex, &'a Shape, &'a str)> + '_ {
        self.window().iter().enumerate().skip(self.from).filter_map(|(at, index)| {
            let shape = self.projector.item(*index).decision.shape()?;
            let result = self.record.entry(*index).result()?;
            Some((at, *index, shape, result.content.as_str()))
        })
    }

    /// The responses whose edits are told, to check: position, entry, shape and original.
    pub fn folded(&self) -> impl Iterator<Item = (usize, EntryIndex, &'a Shape, String)> + '_ {
        self.window().iter().enumerate().skip(self.from).filter_map(|(at, index)| {
            let shape = self.projector.item(*index).decision.shape()?;
            let entry = self.record.entry(*index);
            (entry.role == Role::Assistant).then(|| (at, *index, shape, entry.prompt_text()))
        })
    }

    /// Whether the client compacted or went back since the last request.
    pub fn is_cut(&self) -> bool {
        let known = self.step.answer.at().min(self.record.len());
        self.record.entries()[self.before.entries..known]
            .iter()
            .any(|e| matches!(e.mark, Mark::CompactBoundary { .. } | Mark::Rewind { .. }))
    }

    /// Whether the projector may tell the model's own edits in a few words.
    pub fn tells_edits(&self) -> bool {
        let rewrite = self.planner().and_then(|planner| planner.settings().rewrite.as_ref());
        rewrite.is_some_and(|rewrite| rewrite.edits.is_some())
    }

    /// The engine, if it is the projector.
    pub fn planner(&self) -> Option<&'a Planner> {
        match self.projector {
            Projector::Engine(planner) => Some(planner),
            Projector::Recomputed(_) | Projector::Fixed(_) => None,
        }
    }
}

/// How closely to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The whole prompt at every request.
    Everything,
    /// What a request changed; the rest is the last request's, which [`frozen`] checks.
    Changes,
}

/// A way to plan, and what it is allowed.
#[derive(Debug, Clone)]
pub struct Subject {
    /// At the start of a conversation.
    pub projector: Projector,
    /// When results may be rewritten.
    pub settings: Option<RewriteSettings>,
    /// The prices it plans with.
    pub prices: PriceCard,
}

impl Subject {
    /// The engine under `settings`, with [`ScriptedViews`] to ask.
    pub fn engine(settings: Settings) -> Self {
        Self::engine_with(settings, Arc::new(ScriptedViews::default()))
    }

    /// The engine under `settings`, with `views` to ask.
    pub fn engine_with(settings: Settings, views: Arc<dyn Views>) -> Self {
        let prices = PriceCard::anthropic_5m();
        let rewrite = settings.rewrite.clone();
        let planner = Planner::new(settings, prices.clone()).with_views(views);
        Self { projector: Projector::Engine(Box::new(planner)), settings: rewrite, prices }
    }
}

/// When the request that `answer` answers was sent: with the last entry before it.
pub fn request_time(record: &Record, answer: EntryIndex) -> Option<Timestamp> {
    answer.at().checked_sub(1).and_then(|at| record.entries()[at].time)
}

/// The answers to plan for: every response, and one more behind the last entry.
pub fn answers(record: &Record) -> Vec<EntryIndex> {
    let end = EntryIndex(record.len() as u32);
    record.conversation().responses().chain([end]).collect()
}

/// Takes `subject` through all requests and checks `laws` after each; returns the steps.
pub fn check(record: &Record, subject: Subject, scope: Scope, laws: &[Law]) -> Vec<Step> {
    check_with(record, subject, (scope, laws), |_, _| Wishes::NONE)
}

/// The same with a person who wishes something of requests, each by its number and the projector
/// before it.
pub fn check_with(
    record: &Record,
    subject: Subject,
    (scope, laws): (Scope, &[Law]),
    mut wished: impl FnMut(usize, &Projector) -> Wishes,
) -> Vec<Step> {
    let Subject { mut projector, settings, prices } = subject;
    let mut before = Before::default();
    let mut steps = Vec::new();
    for (number, answer) in answers(record).into_iter().enumerate() {
        let now = request_time(record, answer);
        let wishes = wished(number, &projector);
        let step = match &mut projector {
            Projector::Engine(planner) => planner.advance_with(record, answer, now, &wishes),
            other => other.advance(record, answer, now),
        };
        let entries = projector.window().iter();
        let texts: Vec<String> =
            entries.map(|index| shown_text(record.entry(*index), projector.item(*index))).collect();
        let from = if scope == Scope::Everything { 0 } else { step.kept };
        let moment = Moment {
            record,
            projector: &projector,
            step: &step,
            texts: &texts,
            before: &before,
            wishes: &wishes,
            settings: settings.as_ref(),
            prices: &prices,
            from,
        };
        for law in laws {
            law(&moment);
        }
        before.take(&projector, &step, texts);
        steps.push(step);
    }
    steps
}

impl Before {
    fn take(&mut self, projector: &Projector, step: &Step, texts: Vec<String>) {
        self.window = projector.window().to_vec();
        self.tokens = self.window.iter().map(|index| projector.item(*index).tokens).collect();
        self.texts = texts;
        for index in &self.window {
            *self.requests.entry(*index).or_default() += 1;
        }
        self.decisions.extend(step.changed.iter().cloned());
        self.levels.extend(step.wished.iter().map(|wish| (wish.entry, wish.level)));
        self.standings.extend(step.wished.iter().map(|wish| (wish.entry, wish.standing)));
        self.levels.extend(step.levels.iter().copied());
        self.entries = step.answer.at();
        self.time = step.time.or(self.time);
    }
}
