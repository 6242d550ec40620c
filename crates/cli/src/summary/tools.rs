//! What shortening tools would have come to, as text and as JSON.

use foveal_context::tokens::Tokens;
use foveal_context::tool_use::{Estimate, JUDGED, SESSIONS_MIN, Verdict};
use serde_json::{Value, json};

use crate::numbers::{change, dollars, plural, signed_dollars, tokens};

/// A few lines; nothing where no session tells its tools.
pub(super) fn text(estimate: &Estimate) -> Option<String> {
    let conversations = estimate.conversations;
    if estimate.tools == 0 {
        return None;
    }
    let mean = |sum: Tokens| tokens(Tokens(sum.0 / conversations));
    let share = if estimate.dollars > 0.0 { -estimate.saved / estimate.dollars } else { 0.0 };
    let is_are = if conversations == 1 { "tells its tools" } else { "tell their tools" };
    let mut text = format!(
        "{} {is_are}: {} tokens in each prompt, {} of them of tools that no other session called. \
         If tools had been shortened: {} fewer tokens in each prompt, {} \
         saved of {} ({}); ",
        plural(conversations, "conversation"),
        mean(estimate.tokens),
        mean(estimate.uncalled),
        mean(Tokens(estimate.noise.0 + estimate.texts.0)),
        signed_dollars(estimate.saved),
        dollars(estimate.dollars),
        change(share),
    );
    text += &match estimate.shortened {
        0 if estimate.sessions <= SESSIONS_MIN => {
            let known = plural(estimate.sessions, "session");
            format!("descriptions stay whole until {SESSIONS_MIN} others are known ({known} here)")
        }
        0 => "no description would have been shortened".to_owned(),
        all => format!("{} of {all} called a shortened tool", estimate.called),
    };
    if let Some(why) = estimate.stopped {
        text += &format!("; it would have stopped: {}", words(why));
    }
    text.push('\n');
    Some(text)
}

/// Why it is switched off.
fn words(why: Verdict) -> String {
    match why {
        Verdict::GoesOn => "no".to_owned(),
        Verdict::CalledTooOften => {
            format!("shortened tools were called in too many of {JUDGED} conversations")
        }
        Verdict::SavesTooLittle => format!("too little was left out in {JUDGED} conversations"),
    }
}

/// The same for programs; null where no session tells its tools.
pub(super) fn json(estimate: &Estimate) -> Value {
    if estimate.tools == 0 {
        return Value::Null;
    }
    json!({
        "sessions_with_calls": estimate.sessions,
        "conversations": estimate.conversations,
        "tools": estimate.tools,
        "tokens": estimate.tokens.0,
        "uncalled_tools": estimate.uncalled_tools,
        "uncalled_tokens": estimate.uncalled.0,
        "noise_tokens": estimate.noise.0,
        "text_tokens": estimate.texts.0,
        "conversations_shortened": estimate.shortened,
        "conversations_that_called_one": estimate.called,
        "cost": estimate.dollars,
        "saved": estimate.saved,
        "stopped": estimate.stopped,
    })
}
