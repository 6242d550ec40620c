//! One conversation, one plan: whatever was computed before, elsewhere or later.

use std::sync::Arc;

use foveal_context::planner::Planner;
use foveal_context::prices::PriceCard;
use foveal_context::record::Record;
use foveal_context::settings::Settings;
use foveal_context::step::Step;
use foveal_context::views::Views;
use foveal_context::wish::Wishes;

use super::{answers, request_time};

fn advance(planner: &mut Planner, record: &Record, at: usize) -> Step {
    let answer = answers(record)[at];
    planner.advance(record, answer, request_time(record, answer))
}

/// A planner at the start that asks `views`.
fn start(settings: &Settings, views: &Arc<dyn Views>) -> Planner {
    Planner::new(settings.clone(), PriceCard::anthropic_5m()).with_views(Arc::clone(views))
}

/// The steps of the uninterrupted plan, and the planner at its end.
fn plan(settings: &Settings, views: &Arc<dyn Views>, record: &Record) -> (Vec<Step>, Planner) {
    let mut planner = start(settings, views);
    let requests = 0..answers(record).len();
    let steps = requests.map(|at| advance(&mut planner, record, at)).collect();
    (steps, planner)
}

/// The same with wishes: a plan taken up from the recorded steps at any request stands where the
/// one that made them stood, and goes on as it does. `steps` were planned with `wishes`, one for
/// each request.
pub fn resuming_changes_no_wish(
    settings: &Settings,
    views: &Arc<dyn Views>,
    record: &Record,
    (steps, wishes): (&[Step], &[Wishes]),
) {
    let prices = PriceCard::anthropic_5m();
    for at in 0..=steps.len() {
        let stored = serde_json::to_string(&steps[..at]).expect("steps are plain data");
        let recorded: Vec<Step> = serde_json::from_str(&stored).expect("what was written");
        let other = Planner::resume(settings.clone(), prices.clone(), record, &recorded);
        let mut other = other.with_views(Arc::clone(views));
        for (request, step) in steps.iter().enumerate().skip(at) {
            let answer = answers(record)[request];
            let now = request_time(record, answer);
            let ours = other.advance_with(record, answer, now, &wishes[request]);
            assert_eq!(ours, *step, "resumed at {at}");
        }
    }
}

fn assert_same(one: &Planner, other: &Planner) {
    assert_eq!(one.window(), other.window());
    assert_eq!((one.tokens(), one.requests()), (other.tokens(), other.requests()));
    for index in one.window() {
        let (ours, theirs) = (one.item(*index), other.item(*index));
        assert_eq!(ours.decision, theirs.decision, "{index:?}");
        assert_eq!((ours.tokens, ours.level), (theirs.tokens, theirs.level), "{index:?}");
    }
}

/// Planning twice gives the same; a plan taken up from the recorded steps at one of `resumed`
/// goes on as the uninterrupted one. The steps go through JSON, as a store would keep them.
/// What views chose is recorded and not asked for again.
pub fn resuming_changes_nothing(
    settings: &Settings,
    views: &Arc<dyn Views>,
    record: &Record,
    resumed: impl IntoIterator<Item = usize>,
) {
    let (steps, planner) = plan(settings, views, record);
    let (again, _) = plan(settings, views, record);
    assert_eq!(steps, again, "planned twice");
    for at in resumed.into_iter().chain([steps.len()]) {
        let at = at % (steps.len() + 1);
        let stored = serde_json::to_string(&steps[..at]).expect("steps are plain data");
        let recorded: Vec<Step> = serde_json::from_str(&stored).expect("what was written");
        let prices = PriceCard::anthropic_5m();
        let other = Planner::resume(settings.clone(), prices, record, &recorded);
        let mut other = other.with_views(Arc::clone(views));
        for (request, step) in steps.iter().enumerate().skip(at) {
            let ours = advance(&mut other, record, request);
            assert_eq!(ours, *step, "resumed at {at}");
        }
        assert_same(&planner, &other);
    }
}

/// A planner that has decided nothing itself makes each step as the one did that decided all
/// before it: what that remembered of its own decisions saves work and changes nothing.
pub fn taking_up_at_each_request_changes_nothing(
    settings: &Settings,
    views: &Arc<dyn Views>,
    record: &Record,
) {
    let (steps, _) = plan(settings, views, record);
    let mut told = start(settings, views);
    for (request, step) in steps.iter().enumerate() {
        let ours = advance(&mut told.clone(), record, request);
        assert_eq!(ours, *step, "taken up at {request}");
        told.take_over(record, step);
    }
}

/// A step depends on nothing after its request: planned while the conversation grows, with
/// facts taken as the entries come, every step is the same.
pub fn the_future_changes_nothing(settings: &Settings, views: &Arc<dyn Views>, record: &Record) {
    let (steps, _) = plan(settings, views, record);
    let mut growing = Record::of(record.conversation().emptied(), record.tokenizer());
    let mut planner = start(settings, views);
    for step in &steps {
        while growing.len() < step.answer.at() {
            growing.push(record.entries()[growing.len()].clone());
        }
        let now = request_time(record, step.answer);
        assert_eq!(planner.advance(&growing, step.answer, now), *step);
    }
}
