//! What was billed through the gateway, without it, and what a replay of the same says.

use std::fmt::Write as _;
use std::sync::Arc;

use foveal_code::views::CuratedViews;
use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::profile::Profile;
use foveal_context::projector::Projector;
use foveal_context::tokens::Tokenizer;
use foveal_live::rules::Rules;
use foveal_replay::{Prepared, Replay, RequestFigures, replay};
use foveal_transcript::{Block, Conversation};
use foveal_upstream::Bill;
use rayon::prelude::*;

use super::asks::system_prompt;
use super::course::{Load, Outcome, course};
use super::route::Route;

/// A recorded conversation.
pub(crate) struct Recording {
    file: String,
    prepared: Prepared,
}

impl Recording {
    pub(crate) fn new(file: String, conversation: Conversation) -> Self {
        Self { file, prepared: Prepared::new(conversation, Tokenizer::O200k) }
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
    /// By how much, as a share of the cost without it.
    pub(crate) by: f64,
}

/// One profile on one route.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) route: &'static str,
    pub(crate) profile: &'static str,
    /// Whether the provider reads from its cache in steps.
    pub(crate) in_steps: bool,
    /// Whether clients set no marks though the provider wants some.
    pub(crate) is_unmarked: bool,
    pub(crate) requests: usize,
    /// Dollars on the route's first card without and with the gateway.
    pub(crate) raw: f64,
    pub(crate) sent: f64,
    /// What `foveal replay` says is saved, as a share, repairs left out.
    pub(crate) replayed_saved: f64,
    /// The same of a replay that knows and does no more than the gateway can: it is not told of
    /// tools that failed where the API has no word for that, and leaves the model's edits alone.
    pub(crate) alike_saved: f64,
    pub(crate) rewrites: usize,
    pub(crate) alike_rewrites: usize,
    /// Prompts whose beginning changed though neither the client changed it nor a rewrite was
    /// told.
    pub(crate) breaks: usize,
    /// Rules of the API that are broken and were not by the client.
    pub(crate) broken_rules: usize,
    /// Bodies with a change outside of results and of marks that are told, or longer than the
    /// client's.
    pub(crate) foreign: usize,
    /// Requests that passed as they came, for a reason that was told.
    pub(crate) undecided: usize,
    pub(crate) dearer: Vec<Dearer>,
}

impl Measured {
    /// What was saved, as a share of the cost without the gateway.
    pub(crate) fn saved(&self) -> f64 {
        1.0 - self.sent / self.raw
    }
}

/// Asks for all recordings on each route without a gateway and under each profile, and replays
/// them. `progress` is called with route, profile and how many recordings are done.
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
        route.cards.iter().filter_map(|name| PriceCard::named(name)).collect();
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

fn requests(replays: &[Replay]) -> impl Iterator<Item = &RequestFigures> {
    replays.iter().flat_map(|replay| &replay.requests)
}

/// What replays say is saved, as a share.
fn saved(replays: &[Replay]) -> f64 {
    let raw: f64 = requests(replays).map(|request| request.raw.dollars).sum();
    let sent: f64 = requests(replays).map(|request| request.projected.dollars).sum();
    1.0 - sent / raw
}

/// What `foveal replay` does.
fn replays(recordings: &[Recording], profile: &Profile, card: &PriceCard) -> Vec<Replay> {
    let views = Arc::new(CuratedViews::default());
    let one = |recording: &Recording| {
        let mut projector = profile.start(card).with_views(Arc::clone(&views) as _);
        replay(&recording.prepared, &mut projector, card, &mut |_, _| {})
    };
    recordings.par_iter().map(one).collect()
}

/// The same with the rules of live conversations and what the API can tell.
fn alike(route: &Route, recordings: &[Recording], profile: &str, card: &PriceCard) -> Vec<Replay> {
    let views = Arc::new(CuratedViews::default());
    let settings = Rules::named(profile).expect("a live profile").settings;
    let one = |recording: &Recording| {
        let planner = Planner::new(settings.clone(), card.clone());
        let mut projector =
            Projector::Engine(Box::new(planner)).with_views(Arc::clone(&views) as _);
        if route.tells_failures() {
            return replay(&recording.prepared, &mut projector, card, &mut |_, _| {});
        }
        let told = recording.conversation().clone().edited(|entry| {
            for block in &mut entry.blocks {
                if let Block::Result(result) = block {
                    result.is_error = false;
                }
            }
        });
        replay(&Prepared::new(told, Tokenizer::O200k), &mut projector, card, &mut |_, _| {})
    };
    recordings.par_iter().map(one).collect()
}

/// What a bill costs without the system prompt of so many tokens, which a replay does not count
/// and which stands before all else.
fn dollars(bill: Bill, card: &PriceCard, system: u64) -> f64 {
    let Bill { mut uncached, mut read, mut written_5m, mut written_1h, .. } = bill;
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

/// The figures as a table.
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
