//! One session under every profile.

use foveal_replay::copies::{ConversationPlace, RequestOwners};
use foveal_replay::figures::Figures;
use foveal_replay::oracle::Hindsight;
use foveal_replay::{Prepared, Replay, replay};
use foveal_report::{Fill, FillSampler, Measured};
use foveal_transcript::Session;
use rayon::prelude::*;

use super::past_savings::Unshaped;
use super::plan::{Candidate, Plan, candidates};
use crate::figures::SessionFigures;
use crate::prompt_log::{ConversationLog, conversation_name};

/// What came of one session.
pub(super) struct SessionOutcome {
    pub(super) figures: SessionFigures,
    /// Lines of the prompt log, where one is written.
    pub(super) prompt_lines: Vec<u8>,
    /// The session's conversations for the report, where one is drawn.
    pub(super) measured: Vec<Measured>,
    /// Requests whose bills hold savings of foveal already.
    pub(super) discounted: u64,
}

/// One conversation under one profile.
struct Run {
    replay: Replay,
    fill: Option<Fill>,
    prompt_lines: Vec<u8>,
}

/// Where a session was read, and which requests of it count elsewhere.
pub(super) struct Origin<'a> {
    pub(super) file: &'a str,
    pub(super) owners: &'a RequestOwners,
    /// The place of its first conversation.
    pub(super) first: ConversationPlace,
}

/// Replays `session`; `None` where the plan was interrupted. Conversations all of whose requests
/// count elsewhere are left out.
pub(super) fn measure(
    plan: &Plan<'_>,
    mut session: Session,
    origin: &Origin<'_>,
) -> Option<SessionOutcome> {
    let mut outcome = SessionOutcome {
        figures: SessionFigures {
            session: session.id.clone(),
            file: origin.file.to_owned(),
            conversations: 0,
            raw: Figures::default(),
            profiles: vec![Figures::default(); candidates(plan.profiles).len()],
            pauses: Vec::new(),
        },
        prompt_lines: Vec::new(),
        measured: Vec::new(),
        discounted: 0,
    };
    for at in 0..session.conversations.len() {
        let name = conversation_name(&session, at);
        if plan.cancel.is_cancelled() {
            return None;
        }
        let conversation = std::mem::take(&mut session.conversations[at]);
        let place =
            ConversationPlace { conversation: origin.first.conversation + at, ..origin.first };
        let copies = origin.owners.copies(place, &conversation);
        if !copies.is_empty() && copies.len() == conversation.responses().count() {
            continue;
        }
        outcome.figures.conversations += 1;
        let Unshaped { conversation, discounted } =
            plan.past.savings.undo(&session.id, conversation, plan.past.store);
        outcome.discounted += discounted.len() as u64;
        let prepared = Prepared::new(conversation, plan.tokenizer)
            .with_copies(copies)
            .with_discounted(discounted);
        let runs = every_run(plan, &prepared, &name)?;
        if let Some(report) = &plan.report {
            let conversation = prepared.record.conversation();
            let mut measured = Measured::new(&name, conversation, plan.prices, report.limits);
            for place in &report.order {
                let run = &runs[*place];
                measured.add(&run.replay, run.fill.clone());
            }
            outcome.measured.push(measured);
        }
        for (place, run) in runs.into_iter().enumerate() {
            if place == 0 {
                outcome.figures.raw += Figures::raw(&run.replay);
                let long = run.replay.pauses.iter().filter(|pause| !pause.is_short());
                outcome.figures.pauses.extend(long);
                outcome.prompt_lines.extend(run.prompt_lines);
            }
            outcome.figures.profiles[place] += Figures::projected(&run.replay);
        }
    }
    Some(outcome)
}

/// One run for each profile and each oracle.
fn every_run(plan: &Plan<'_>, prepared: &Prepared, name: &str) -> Option<Vec<Run>> {
    let hindsight = &Hindsight::of(prepared);
    let places: Vec<_> = candidates(plan.profiles).into_iter().enumerate().collect();
    places
        .par_iter()
        .map(|(place, candidate)| {
            let drawn = plan.report.as_ref().is_some_and(|report| report.draws(*place));
            let logged = plan.prompt_log.is_some() && *place == 0;
            let conversation = prepared.record.conversation();
            let log = || ConversationLog::new(name.to_owned(), conversation, plan.keeps_secrets);
            let log = logged.then(log);
            (!plan.cancel.is_cancelled())
                .then(|| run(plan, (prepared, hindsight), *candidate, log, drawn))
        })
        .collect()
}

fn run(
    plan: &Plan<'_>,
    (prepared, hindsight): (&Prepared, &Hindsight<'_>),
    candidate: Candidate,
    mut log: Option<ConversationLog<'_>>,
    drawn: bool,
) -> Run {
    let conversation = prepared.record.conversation();
    let mut projector = plan.start(candidate, conversation, hindsight);
    let mut sampler = drawn.then(|| FillSampler::new(prepared));
    let replay = replay(prepared, &mut projector, plan.prices, &mut |projector, step| {
        if let Some(log) = &mut log {
            log.request(projector, step);
        }
        if let Some(sampler) = &mut sampler {
            sampler.observe(projector, step);
        }
    });
    Run {
        replay,
        fill: sampler.map(FillSampler::finish),
        prompt_lines: log.map(ConversationLog::into_lines).unwrap_or_default(),
    }
}
