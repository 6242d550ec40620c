//! Policies that decide anew for every request, against their documents' tables.

mod first_last_sampled;
mod laws;
mod other_tools;
mod seeds;

use std::fmt::Write;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::projector::Projector;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokenizer;
use foveal_replay::baselines::{BaselineProjector, BaselineRule, find_profile};
use foveal_testkit::parse_fixture;
use foveal_testkit::render::{advance_to_end, sent_text};
use foveal_transcript::Conversation;

/// A projector for a profile of the table.
fn profile(name: &str) -> Projector {
    let profile = find_profile(name).unwrap_or_else(|| panic!("no profile {name}"));
    profile.new_projector(&PriceCard::anthropic_5m())
}

/// A projector for a policy with limits of its own.
fn policy(policy: BaselineRule) -> Projector {
    Projector::Comparison(Box::new(BaselineProjector::new(policy)))
}

/// What is replaced in the prompt behind the last entry, one a line: entry, kind, text.
fn replaced(conversation: &Conversation, mut projector: Projector) -> String {
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    advance_to_end(&record, &mut projector, |_| {});
    let mut text = String::new();
    for index in projector.window() {
        let item = projector.entry_state(*index);
        if let Some(shape) = item.decision.shape() {
            let shown = sent_text(conversation.entry(*index), item);
            writeln!(text, "{:02} {} {shown}", index.0, shape.kind.label()).expect("a string");
        }
    }
    text
}

/// Checks what `projector` replaces in the conversation that `text` describes.
#[track_caller]
fn check(projector: Projector, text: &str, expected: &str) {
    let got = replaced(&parse_fixture(text), projector);
    let expected: String = expected
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(got, expected);
}

/// A result long enough that no note is longer.
fn body(words: &str) -> String {
    (1..=40).map(|line| format!("{line:6}\u{2192}{words} of line {line}\n")).collect()
}

/// Entries of one response that reads `path` and gets [`body`].
fn read(path: &str) -> String {
    format!("//- assistant\n//- call Read {{\"file_path\":\"{path}\"}}\n//- result\n{}", body(path))
}
