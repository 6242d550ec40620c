//! Laws on determinism: one conversation has one plan, independent of earlier or other
//! calculations.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::overrides::RequestOverrides;
use foveal_engine::plan_step::PlanStep;
use foveal_engine::planner::Planner;
use foveal_engine::settings::Settings;
use foveal_engine::views::ViewSource;
use foveal_pricing::prices::PriceCard;

use super::{answers_to_plan, request_time};

fn plan_request(planner: &mut Planner, record: &ConversationRecord, at: usize) -> PlanStep {
    let answer = answers_to_plan(record)[at];
    planner.advance(record, answer, request_time(record, answer))
}

/// Returns a planner at the start with `views`.
fn new_planner(settings: &Settings, views: &Arc<dyn ViewSource>) -> Planner {
    Planner::new(settings.clone(), PriceCard::anthropic_5m()).with_view_source(Arc::clone(views))
}

/// Returns the steps of the uninterrupted plan, and the planner at its end.
fn plan_all_requests(
    settings: &Settings,
    views: &Arc<dyn ViewSource>,
    record: &ConversationRecord,
) -> (Vec<PlanStep>, Planner) {
    let mut planner = new_planner(settings, views);
    let requests = 0..answers_to_plan(record).len();
    let steps = requests.map(|at| plan_request(&mut planner, record, at)).collect();
    (steps, planner)
}

/// A plan with overrides that is resumed from the recorded steps at any request continues as the
/// uninterrupted one. `steps` were planned with `wishes`, one for each request.
pub fn resuming_preserves_overrides(
    settings: &Settings,
    views: &Arc<dyn ViewSource>,
    record: &ConversationRecord,
    steps: &[PlanStep],
    wishes: &[RequestOverrides],
) {
    let prices = PriceCard::anthropic_5m();
    for at in 0..=steps.len() {
        let stored = serde_json::to_string(&steps[..at]).expect("steps are plain data");
        let recorded: Vec<PlanStep> = serde_json::from_str(&stored).expect("what was written");
        let other = Planner::new(settings.clone(), prices.clone()).with_steps(record, &recorded);
        let mut other = other.with_view_source(Arc::clone(views));
        for (request, step) in steps.iter().enumerate().skip(at) {
            let answer = answers_to_plan(record)[request];
            let now = request_time(record, answer);
            let ours = other.advance_with_overrides(record, answer, now, &wishes[request]);
            assert_eq!(ours, *step, "resumed at {at}");
        }
    }
}

fn assert_same_state(one: &Planner, other: &Planner) {
    assert_eq!(one.window(), other.window());
    assert_eq!((one.tokens(), one.request_count()), (other.tokens(), other.request_count()));
    for index in one.window() {
        let (ours, theirs) = (one.entry_state(*index), other.entry_state(*index));
        assert_eq!(ours.decision, theirs.decision, "{index:?}");
        assert_eq!((ours.tokens, ours.level), (theirs.tokens, theirs.level), "{index:?}");
    }
}

/// Planning twice gives equal steps; a plan resumed from the recorded steps at one of `resumed`
/// continues as the uninterrupted one. The steps go through JSON, as in a store. Views are recorded
/// and not requested again.
pub fn resuming_is_deterministic(
    settings: &Settings,
    views: &Arc<dyn ViewSource>,
    record: &ConversationRecord,
    resumed: impl IntoIterator<Item = usize>,
) {
    let (steps, planner) = plan_all_requests(settings, views, record);
    let (again, _) = plan_all_requests(settings, views, record);
    assert_eq!(steps, again, "planned twice");
    for at in resumed.into_iter().chain([steps.len()]) {
        let at = at % (steps.len() + 1);
        let stored = serde_json::to_string(&steps[..at]).expect("steps are plain data");
        let recorded: Vec<PlanStep> = serde_json::from_str(&stored).expect("what was written");
        let prices = PriceCard::anthropic_5m();
        let other = Planner::new(settings.clone(), prices).with_steps(record, &recorded);
        let mut other = other.with_view_source(Arc::clone(views));
        for (request, step) in steps.iter().enumerate().skip(at) {
            let ours = plan_request(&mut other, record, request);
            assert_eq!(ours, *step, "resumed at {at}");
        }
        assert_same_state(&planner, &other);
    }
}

/// A planner that only took over the earlier steps makes each step as the planner that decided
/// them: the memory of own decisions saves work but changes no step.
pub fn taking_over_is_deterministic(
    settings: &Settings,
    views: &Arc<dyn ViewSource>,
    record: &ConversationRecord,
) {
    let (steps, _) = plan_all_requests(settings, views, record);
    let mut told = new_planner(settings, views);
    for (request, step) in steps.iter().enumerate() {
        let ours = plan_request(&mut told.clone(), record, request);
        assert_eq!(ours, *step, "taken up at {request}");
        told.adopt_step(record, step);
    }
}

/// A step does not depend on entries after its request: planned while the conversation grows, every
/// step is the same.
pub fn later_entries_change_no_step(
    settings: &Settings,
    views: &Arc<dyn ViewSource>,
    record: &ConversationRecord,
) {
    let (steps, _) = plan_all_requests(settings, views, record);
    let mut growing = ConversationRecord::from_conversation(
        record.conversation().without_entries(),
        record.tokenizer(),
    );
    let mut planner = new_planner(settings, views);
    for step in &steps {
        while growing.len() < step.answer.as_usize() {
            growing.push(record.entries()[growing.len()].clone());
        }
        let now = request_time(record, step.answer);
        assert_eq!(planner.advance(&growing, step.answer, now), *step);
    }
}
