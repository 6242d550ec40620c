//! Replays one session under every profile and oracle.

use std::collections::{HashMap, HashSet};

use foveal_agent::usage_cost;
use foveal_pricing::prices::PriceCard;
use foveal_replay::copied_requests::{ConversationPlace, RequestOwners};
use foveal_replay::figures::ReplayFigures;
use foveal_replay::oracle::Hindsight;
use foveal_replay::{ConversationReplay, PreparedConversation, replay};
use foveal_report::{
    CompositionSampler, ConversationLabel, MeasuredConversation, PromptComposition,
};
use foveal_transcript::{Conversation, EntryIndex, RecordedSession};
use rayon::prelude::*;

use super::past_savings::UnshapedConversation;
use super::replay_plan::{ReplayCandidate, ReplayPlan, ShapingHistory, list_candidates};
use crate::prompt_log::{ConversationLog, conversation_name};
use crate::replay_prices::ConversationPrices;
use crate::replay_totals::SessionFigures;

/// The outcome of one session.
pub(super) struct SessionOutcome {
    pub(super) figures: SessionFigures,
    /// The lines of the prompt log, if one is written.
    pub(super) prompt_lines: Vec<u8>,
    /// The session's conversations for the report, if one is drawn.
    pub(super) report_conversations: Vec<MeasuredConversation>,
    /// The number of requests whose bills already include savings of foveal.
    pub(super) discounted_requests: u64,
    /// The number of such requests of foveal's own agent.
    pub(super) discounted_run_requests: u64,
}

/// The replay of one conversation under one candidate.
struct CandidateReplay {
    replay: ConversationReplay,
    fill: Option<PromptComposition>,
    prompt_lines: Vec<u8>,
}

/// The file of a session, and the owners of requests that several sessions hold.
pub(super) struct SessionOrigin<'a> {
    pub(super) file: &'a str,
    pub(super) owners: &'a RequestOwners,
    /// The place of the session's first conversation.
    pub(super) first_conversation: ConversationPlace,
}

/// Replays `session` under every candidate; `None` if the plan was cancelled. Conversations whose
/// requests all count elsewhere are left out.
pub(super) fn replay_session(
    plan: &ReplayPlan<'_>,
    mut session: RecordedSession,
    origin: &SessionOrigin<'_>,
) -> Option<SessionOutcome> {
    let mut outcome = SessionOutcome {
        figures: SessionFigures {
            session: session.id.clone(),
            file: origin.file.to_owned(),
            label: session
                .conversations
                .first()
                .map(ConversationLabel::from_conversation)
                .unwrap_or_default(),
            conversations: 0,
            prices: Vec::new(),
            has_assumed_prices: false,
            raw: ReplayFigures::default(),
            profiles: vec![ReplayFigures::default(); list_candidates(plan.profiles).len()],
            pauses: Vec::new(),
        },
        prompt_lines: Vec::new(),
        report_conversations: Vec::new(),
        discounted_requests: 0,
        discounted_run_requests: 0,
    };
    for at in 0..session.conversations.len() {
        let name = conversation_name(&session, at);
        if plan.cancel.is_cancelled() {
            return None;
        }
        let conversation = std::mem::take(&mut session.conversations[at]);
        let place = ConversationPlace {
            conversation: origin.first_conversation.conversation + at,
            ..origin.first_conversation
        };
        let copies = origin.owners.copied_answers(place, &conversation);
        if !copies.is_empty() && copies.len() == conversation.response_indices().count() {
            continue;
        }
        outcome.figures.conversations += 1;
        let UnshapedConversation { conversation, discounted_answers: discounted } =
            unshape_conversation(plan, conversation, &mut outcome);
        let ConversationPrices { card, is_assumed } =
            plan.prices.conversation_prices(&conversation);
        let bills = shortened_bills(plan, &conversation, discounted, &card);
        let prepared = PreparedConversation::new(conversation, plan.tokenizer)
            .with_copies(copies)
            .with_shortened_bills(bills);
        outcome.figures.has_assumed_prices |= is_assumed;
        let runs = replay_candidates(plan, &prepared, &name, &card)?;
        if let Some(report) = &plan.report {
            let conversation = prepared.record.conversation();
            let mut measured = MeasuredConversation::new(&name, conversation, &card, report.limits);
            for place in &report.order {
                let run = &runs[*place];
                measured.add(&run.replay, run.fill.clone());
            }
            outcome.report_conversations.push(measured);
        }
        for (place, run) in runs.into_iter().enumerate() {
            if place == 0 {
                outcome.figures.raw += ReplayFigures::from_recording(&run.replay);
                let long = run.replay.pauses.iter().filter(|pause| !pause.is_short());
                outcome.figures.pauses.extend(long);
                outcome.prompt_lines.extend(run.prompt_lines);
            }
            outcome.figures.profiles[place] += ReplayFigures::from_projection(&run.replay);
        }
        if !outcome.figures.prices.contains(&card) {
            outcome.figures.prices.push(card);
        }
    }
    Some(outcome)
}

/// Returns the dollars of the bills of `answers`. Without a price of their model they are those of
/// `assumed`.
fn shortened_bills(
    plan: &ReplayPlan<'_>,
    conversation: &Conversation,
    answers: HashSet<EntryIndex>,
    assumed: &PriceCard,
) -> HashMap<EntryIndex, f64> {
    let dollars = |answer: EntryIndex| {
        let entry = &conversation.entries()[answer.as_usize()];
        let assumed = || entry.usage.as_ref().map(|usage| usage_cost(usage, assumed));
        plan.prices.billed_dollars(entry).or_else(assumed).unwrap_or_default()
    };
    answers.into_iter().map(|answer| (answer, dollars(answer))).collect()
}

/// Restores the original texts of a conversation, and counts the requests whose bills include
/// savings.
fn unshape_conversation(
    plan: &ReplayPlan<'_>,
    conversation: Conversation,
    outcome: &mut SessionOutcome,
) -> UnshapedConversation {
    let (session, ShapingHistory { savings, store, parse_step }) =
        (&outcome.figures.session, plan.shaping_history);
    if savings.is_shortened_run(session, &conversation, store, parse_step) {
        let billed = |at: &EntryIndex| conversation.entries()[at.as_usize()].usage.is_some();
        let all: HashSet<_> = conversation.response_indices().filter(billed).collect();
        outcome.discounted_run_requests += all.len() as u64;
        return UnshapedConversation { conversation, discounted_answers: all };
    }
    let unshaped = savings.restore_texts(session, conversation, store);
    outcome.discounted_requests += unshaped.discounted_answers.len() as u64;
    unshaped
}

/// Replays a conversation under each candidate, in parallel; `None` if the plan was cancelled.
fn replay_candidates(
    plan: &ReplayPlan<'_>,
    prepared: &PreparedConversation,
    name: &str,
    prices: &PriceCard,
) -> Option<Vec<CandidateReplay>> {
    let hindsight = &Hindsight::from_prepared(prepared);
    let places: Vec<_> = list_candidates(plan.profiles).into_iter().enumerate().collect();
    places
        .par_iter()
        .map(|(place, candidate)| {
            let drawn = plan.report.as_ref().is_some_and(|report| report.draws_profile(*place));
            let logged = plan.prompt_log.is_some() && *place == 0;
            let conversation = prepared.record.conversation();
            let log = || ConversationLog::new(name.to_owned(), conversation, plan.keeps_secrets);
            let log = logged.then(log);
            (!plan.cancel.is_cancelled()).then(|| {
                replay_candidate(plan, prepared, prices, hindsight, *candidate, log, drawn)
            })
        })
        .collect()
}

fn replay_candidate(
    plan: &ReplayPlan<'_>,
    prepared: &PreparedConversation,
    prices: &PriceCard,
    hindsight: &Hindsight<'_>,
    candidate: ReplayCandidate,
    mut log: Option<ConversationLog<'_>>,
    drawn: bool,
) -> CandidateReplay {
    let conversation = prepared.record.conversation();
    let mut projector = plan.start_projector(candidate, conversation, hindsight, prices);
    let mut sampler = drawn.then(|| CompositionSampler::new(prepared));
    let replay = replay(prepared, &mut projector, prices, &mut |projector, step| {
        if let Some(log) = &mut log {
            log.push_request(projector, step);
        }
        if let Some(sampler) = &mut sampler {
            sampler.observe(projector, step);
        }
    });
    CandidateReplay {
        replay,
        fill: sampler.map(CompositionSampler::finish),
        prompt_lines: log.map(ConversationLog::into_lines).unwrap_or_default(),
    }
}
