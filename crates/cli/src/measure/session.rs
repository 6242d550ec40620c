//! One session under every profile.

use foveal_replay::figures::Figures;
use foveal_replay::oracle::Hindsight;
use foveal_replay::{Prepared, Replay, replay};
use foveal_report::{Fill, FillSampler, Measured};
use foveal_transcript::Session;
use rayon::prelude::*;

use super::plan::{Candidate, Plan, candidates};
use super::tools;
use crate::figures::SessionFigures;
use crate::prompt_log::{ConversationLog, conversation_name};

/// What came of one session.
pub(super) struct SessionOutcome {
    pub(super) figures: SessionFigures,
    /// Lines of the prompt log, where one is written.
    pub(super) prompt_lines: Vec<u8>,
    /// The session's conversations for the report, where one is drawn.
    pub(super) measured: Vec<Measured>,
}

/// One conversation under one profile.
struct Run {
    replay: Replay,
    fill: Option<Fill>,
    prompt_lines: Vec<u8>,
}

/// Replays `session`; `None` where the plan was interrupted.
pub(super) fn measure(plan: &Plan<'_>, mut session: Session, file: &str) -> Option<SessionOutcome> {
    let mut outcome = SessionOutcome {
        figures: SessionFigures {
            session: session.id.clone(),
            file: file.to_owned(),
            conversations: session.conversations.len() as u64,
            raw: Figures::default(),
            profiles: vec![Figures::default(); candidates(plan.profiles).len()],
            pauses: Vec::new(),
            tools: Vec::new(),
        },
        prompt_lines: Vec::new(),
        measured: Vec::new(),
    };
    for at in 0..session.conversations.len() {
        let name = conversation_name(&session, at);
        if plan.cancel.is_cancelled() {
            return None;
        }
        let conversation = std::mem::take(&mut session.conversations[at]);
        outcome.figures.tools.push(tools::conversed(plan, &conversation));
        let prepared = Prepared::new(conversation, plan.tokenizer);
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
    let mut projector = plan.start(candidate, hindsight);
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
