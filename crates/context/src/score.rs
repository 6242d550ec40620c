//! How likely a tool result is to be needed again: the score that decides what goes first.

use crate::effects::{EffectKind, Span};
use crate::interest::Interest;
use crate::observed::Facts;
use crate::rewrite::Life;

/// Number of features.
pub const FEATURES: usize = 18;

/// What the score knows about a result at a request. Times are in requests, as ln(1 + n).
pub fn features(facts: &Facts, life: &Life, interest: &Interest, request: u32) -> [f64; FEATURES] {
    let since = |at: u32| f64::from(request.saturating_sub(at)).ln_1p();
    let never = f64::from(request).ln_1p();
    let file = interest.in_result(facts);
    let kind = facts.kind();
    let flag = |yes: bool| f64::from(u8::from(yes));
    let whole = facts
        .call
        .as_ref()
        .is_some_and(|call| call.effect.reads.iter().any(|read| matches!(read.span, Span::All)));
    let after = |at: Option<u32>| flag(at.is_some_and(|at| at >= life.arrived));
    [
        1.0,
        flag(kind == EffectKind::Read),
        flag(kind == EffectKind::Read && whole),
        flag(matches!(kind, EffectKind::Search | EffectKind::List)),
        flag(kind == EffectKind::Run),
        flag(matches!(kind, EffectKind::Edit | EffectKind::Write)),
        since(life.arrived),
        since(life.last_use),
        file.named.map_or(never, since),
        f64::from(file.named_times).ln_1p(),
        flag(file.asked.is_some()),
        after(file.edited),
        file.edited.map_or(never, since),
        f64::from(file.edited_times).ln_1p(),
        flag(file.read.is_some_and(|at| at > life.arrived)),
        (facts.tokens.0 as f64).ln_1p(),
        never,
        flag(file.edited.is_some_and(|at| at < life.arrived)),
    ]
}
