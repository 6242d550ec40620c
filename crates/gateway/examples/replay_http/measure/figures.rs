//! The bills with the gateway and without it, and the prediction of a replay.

use std::fmt::Write as _;
use std::sync::Arc;

use foveal_engine::planner::Planner;
use foveal_engine::profile::Profile;
use foveal_engine::projector::Projector;
use foveal_mock_provider::TokenBill;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_proxy::rules::ShapingRules;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_replay::{ConversationReplay, PreparedConversation, RequestFigures, replay};
use foveal_transcript::{ContentBlock, Conversation};
use rayon::prelude::*;

use super::profile_run::{Load, Outcome, course};
use super::recorded_requests::system_prompt;
use super::route::Route;

/// A recorded conversation.
pub(crate) struct Recording {
    file: String,
    prepared: PreparedConversation,
}

impl Recording {
    pub(crate) fn new(file: String, conversation: Conversation) -> Self {
        Self { file, prepared: PreparedConversation::new(conversation, Tokenizer::O200k) }
    }

    pub(crate) fn conversation(&self) -> &Conversation {
        self.prepared.record.conversation()
    }
}

/// A session that cost more through the gateway than without it.
#[derive(Debug)]
pub(crate) struct Dearer {
    pub(crate) card: &'static str,
    pub(crate) file: String,
    /// The difference, as a share of the cost without it.
    pub(crate) by: f64,
}

/// One profile on one route.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) route: &'static str,
    pub(crate) profile: &'static str,
    /// Whether the provider reads from its cache in steps.
    pub(crate) in_steps: bool,
    /// Whether clients set no breakpoints although the provider needs some.
    pub(crate) is_unmarked: bool,
    pub(crate) requests: usize,
    /// Dollars on the route's first card without and with the gateway.
    pub(crate) raw: f64,
    pub(crate) sent: f64,
    /// The saving by `foveal replay`, as a share, without repairs.
    pub(crate) replayed_saved: f64,
    /// The saving by a replay with the gateway's knowledge and rules: it does not know of failed
    /// tools if the API has no field for that, and leaves the model's edits unchanged.
    pub(crate) alike_saved: f64,
    pub(crate) rewrites: usize,
    pub(crate) alike_rewrites: usize,
    /// Prompts whose prefix changed although neither the client changed it nor a rewrite was
    /// reported.
    pub(crate) breaks: usize,
    /// Rules of the API that are broken, but not by the client.
    pub(crate) broken_rules: usize,
    /// Bodies with a change outside of results and reported breakpoints, or longer than the
    /// client's.
    pub(crate) foreign: usize,
    /// Requests that were forwarded unchanged, for a reported reason.
    pub(crate) undecided: usize,
    pub(crate) dearer: Vec<Dearer>,
}

impl Measured {
    /// Returns the saving, as a share of the cost without the gateway.
    pub(crate) fn saved(&self) -> f64 {
        1.0 - self.sent / self.raw
    }
}

/// Replays all recordings on each route without a gateway and under each profile, and computes the
/// predictions. `progress` is called with the route, the profile and the number of recordings done.
pub(crate) fn measure(
    recordings: &[Recording],
    routes: &[&'static Route],
    profiles: &[&'static Profile],
    load: Load,
    progress: &(dyn Fn(&str, &str, usize) + Sync),
) -> std::io::Result<Vec<Measured>> {
    let jobs = routes.iter().flat_map(|route| {
        std::iter::once((*route, None)).chain(profiles.iter().map(|it| (*route, Some(*it))))
    });
    let jobs: Vec<_> = jobs.collect();
    let courses: std::io::Result<Vec<_>> = jobs
        .par_iter()
        .with_max_len(1)
        .map(|(route, profile)| {
            course(route, profile.map(|it| it.name), recordings, load, progress)
        })
        .collect();
    let courses = courses?;
    let mut all = Vec::new();
    for (at, (route, profile)) in jobs.iter().enumerate() {
        let Some(profile) = profile else { continue };
        let raw = at - at % (profiles.len() + 1);
        all.push(compare(route, profile, recordings, &courses[raw], &courses[at]));
    }
    Ok(all)
}

fn compare(
    route: &'static Route,
    profile: &'static Profile,
    recordings: &[Recording],
    raw: &[Vec<Outcome>],
    sent: &[Vec<Outcome>],
) -> Measured {
    let cards: Vec<PriceCard> =
        route.cards.iter().filter_map(|name| PriceCard::find(name)).collect();
    let alike = alike(route, recordings, profile.name, &cards[0]);
    let pairs = || raw.iter().flatten().zip(sent.iter().flatten());
    let is_break = |(raw, sent): &(&Outcome, &Outcome)| {
        let is_earlier = match (raw.broken_at, sent.broken_at) {
            (_, None) => false,
            (None, Some(_)) => true,
            (Some(raw), Some(sent)) => sent < raw,
        };
        is_earlier && !sent.is_rewrite
    };
    let mut measured = Measured {
        route: route.name,
        profile: profile.name,
        in_steps: route.in_steps,
        is_unmarked: route.is_unmarked(),
        requests: pairs().count(),
        raw: 0.0,
        sent: 0.0,
        replayed_saved: saved(&replays(recordings, profile, &cards[0])),
        alike_saved: saved(&alike),
        rewrites: pairs().filter(|(_, sent)| sent.is_rewrite).count(),
        alike_rewrites: requests(&alike).filter(|request| request.rewrite.is_some()).count(),
        breaks: pairs().filter(is_break).count(),
        broken_rules: pairs()
            .map(|(raw, sent)| sent.broken_rules.saturating_sub(raw.broken_rules))
            .sum(),
        foreign: pairs().filter(|(_, sent)| sent.is_foreign).count(),
        undecided: pairs().filter(|(_, sent)| sent.is_undecided).count(),
        dearer: Vec::new(),
    };
    for (at, recording) in recordings.iter().enumerate() {
        let system = route.tokenizer().count(&system_prompt(&at.to_string())).0;
        for (number, card) in cards.iter().enumerate() {
            let sum = |outcomes: &[Outcome]| -> f64 {
                outcomes.iter().map(|outcome| dollars(outcome.bill, card, system)).sum()
            };
            let (raw, sent) = (sum(&raw[at]), sum(&sent[at]));
            if number == 0 {
                measured.raw += raw;
                measured.sent += sent;
            }
            if sent > raw * (1.0 + 1e-9) {
                let (card, file) = (route.cards[number], recording.file.clone());
                measured.dearer.push(Dearer { card, file, by: sent / raw - 1.0 });
            }
        }
    }
    measured
}

fn requests(replays: &[ConversationReplay]) -> impl Iterator<Item = &RequestFigures> {
    replays.iter().flat_map(|replay| &replay.requests)
}

/// Returns the predicted saving, as a share.
fn saved(replays: &[ConversationReplay]) -> f64 {
    let raw: f64 = requests(replays).map(|request| request.raw.dollars).sum();
    let sent: f64 = requests(replays).map(|request| request.projected.dollars).sum();
    1.0 - sent / raw
}

/// Replays a recording as `foveal replay` does.
fn replays(
    recordings: &[Recording],
    profile: &Profile,
    card: &PriceCard,
) -> Vec<ConversationReplay> {
    let views = Arc::new(CuratedViewSource::default());
    let one = |recording: &Recording| {
        let mut projector = profile.new_projector(card).with_view_source(Arc::clone(&views) as _);
        replay(&recording.prepared, &mut projector, card, &mut |_, _| {})
    };
    recordings.par_iter().map(one).collect()
}

/// Replays a recording with the rules for live conversations and the knowledge that the API
/// transmits.
fn alike(
    route: &Route,
    recordings: &[Recording],
    profile: &str,
    card: &PriceCard,
) -> Vec<ConversationReplay> {
    let views = Arc::new(CuratedViewSource::default());
    let settings = ShapingRules::from_profile(profile).expect("a live profile").settings;
    let one = |recording: &Recording| {
        let planner = Planner::new(settings.clone(), card.clone());
        let mut projector =
            Projector::Engine(Box::new(planner)).with_view_source(Arc::clone(&views) as _);
        if route.tells_failures() {
            return replay(&recording.prepared, &mut projector, card, &mut |_, _| {});
        }
        let told = recording.conversation().clone().map_entries(|entry| {
            for block in &mut entry.blocks {
                if let ContentBlock::Result(result) = block {
                    result.is_error = false;
                }
            }
        });
        replay(
            &PreparedConversation::new(told, Tokenizer::O200k),
            &mut projector,
            card,
            &mut |_, _| {},
        )
    };
    recordings.par_iter().map(one).collect()
}

/// Returns the cost of a bill without the system prompt of so many tokens. A replay does not count
/// it, and it stands in front of all else.
fn dollars(bill: TokenBill, card: &PriceCard, system: u64) -> f64 {
    let TokenBill { mut uncached, mut read, mut written_5m, mut written_1h, .. } = bill;
    let mut left = system;
    for part in [&mut read, &mut written_1h, &mut written_5m, &mut uncached] {
        let taken = left.min(*part);
        *part -= taken;
        left -= taken;
    }
    let written = (written_5m + written_1h) as f64;
    (uncached as f64 * card.input + read as f64 * card.cache_read + written * card.cache_write)
        / 1e6
}

/// Renders the figures as a table.
pub(crate) fn table(all: &[Measured]) -> String {
    let mut text = String::from(
        "route          profile   requests       raw      sent    saved    alike     diff   \
         replay  rewrites   (alike)  breaks  rules  foreign  undecided  dearer\n",
    );
    for one in all {
        let (saved, alike) = (one.saved() * 100.0, one.alike_saved * 100.0);
        let difference = match one.is_unmarked {
            true => "-".to_owned(),
            false => format!("{:+.2} %", saved - alike),
        };
        let _ = writeln!(
            text,
            "{:<14} {:<9} {:>8} {:>9.2} {:>9.2} {saved:>6.2} % {alike:>6.2} % {difference:>8}{} \
             {:>5.2} % {:>9} {:>9} {:>7} {:>6} {:>8} {:>10} {:>7}",
            one.route,
            one.profile,
            one.requests,
            one.raw,
            one.sent,
            if one.in_steps { '*' } else { ' ' },
            one.replayed_saved * 100.0,
            one.rewrites,
            one.alike_rewrites,
            one.breaks,
            one.broken_rules,
            one.foreign,
            one.undecided,
            one.dearer.len(),
        );
        for dearer in &one.dearer {
            let by = dearer.by * 100.0;
            let _ = writeln!(text, "    dearer by {by:.2} % on {}: {}", dearer.card, dearer.file);
        }
    }
    text.push_str(
        "* this provider reads from its cache in steps of 128 tokens, which a replay does not count\n",
    );
    text
}
