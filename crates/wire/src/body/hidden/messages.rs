//! Anthropic's Messages: an answer is one message, its parts the elements of its content.

use super::answered::{Answered, Hidden, calls, messages};
use super::insertion::Insertion;
use crate::body::scan::Body;
use crate::body::walk::{self, Place};
use crate::protocol::Protocol;
use crate::response::{known_by, may_be_missing, says_nothing, shown};

const API: Protocol = Protocol::Messages;

pub(super) fn restored(
    body: &Body,
    bytes: &[u8],
    at: usize,
    rounds: &[Hidden],
) -> Option<Vec<Insertion>> {
    let message = body.messages.get(at)?;
    let [role, content] = walk::members(bytes, message, ["role", "content"]).ok()?;
    let (role, content) = (role?, content?);
    let Some(parts) = walk::elements(bytes, &content).ok()? else {
        return before_text(bytes, (message, &content), rounds);
    };
    let known: Option<Vec<String>> = parts.iter().map(|part| known(bytes, part)).collect();
    let counts = aligned(&known?, rounds)?;
    let splits = Splits::of(&role, &content);
    let mut insertions = Vec::new();
    let mut start = 0;
    for (number, (round, seen)) in rounds.iter().zip(&counts).enumerate() {
        let is_last = number + 1 == rounds.len();
        let end = start + seen.iter().filter(|is_there| **is_there).count();
        let mut last = Vec::new();
        for call in &round.calls {
            let before = seen[..call.called.at.min(seen.len())].iter();
            let place = start + before.filter(|is_there| **is_there).count();
            if place < end {
                let text = format!("{},", call.called.spelled);
                insertions.push(Insertion::new(parts[place].start, text));
            } else {
                last.push(call.clone());
            }
        }
        if is_last {
            if !last.is_empty() {
                let place = parts.last()?.end;
                insertions.push(Insertion::new(place, format!(",{}", calls(&last))));
            }
            if !round.calls.is_empty() {
                insertions.extend(among_results(body, bytes, at + 1, round)?);
            }
        } else {
            let Splits { close, open } = &splits;
            let (calls, results) = (calls(&last), messages(&round.calls, API));
            // What was shown of a later round has to be there: the seam is in front of it.
            let place = parts.get(end)?.start;
            if last.is_empty() {
                // The call stands in front of something that was shown: no comma may be left.
                return None;
            }
            insertions.push(Insertion::new(place, format!("{calls}{close},{results},{open}")));
        }
        start = end;
    }
    Some(insertions)
}

pub(super) fn recalls(body: &Body, bytes: &[u8], at: usize, all: &[String]) -> Option<bool> {
    let [content] = walk::members(bytes, body.messages.get(at)?, ["content"]).ok()?;
    let content = content?;
    let is_shown = |known: &String| !says_nothing(known) && all.contains(known);
    Some(match walk::elements(bytes, &content).ok()? {
        Some(parts) => parts.iter().filter_map(|part| known(bytes, part)).any(|it| is_shown(&it)),
        None => is_shown(&shown("text", &walk::text(bytes, &content)?)),
    })
}

/// How a message is taken apart into two.
struct Splits {
    close: String,
    open: String,
}

impl Splits {
    /// The role stands in front of the content, and then the second part needs one of its own; or
    /// behind it, and then the first does.
    fn of(role: &Place, content: &Place) -> Self {
        const ROLE: &str = r#""role":"assistant""#;
        if role.start < content.start {
            Self { close: "]}".to_owned(), open: format!(r#"{{{ROLE},"content":["#) }
        } else {
            Self { close: format!("],{ROLE}}}"), open: r#"{"content":["#.to_owned() }
        }
    }
}

/// A content that is a plain text: what was hidden stands in front of it, or cannot be put in.
fn before_text(
    bytes: &[u8],
    (message, content): (&Place, &Place),
    rounds: &[Hidden],
) -> Option<Vec<Insertion>> {
    let text = walk::text(bytes, content)?;
    let (last, before) = rounds.split_last()?;
    let is_alone = before.iter().all(|round| round.shown.iter().all(|it| may_be_missing(it)));
    if !is_alone || !last.calls.is_empty() {
        return None;
    }
    let mut said = last.shown.iter().filter(|it| !may_be_missing(it));
    if said.next() != Some(&shown("text", &text)) || said.next().is_some() {
        return None;
    }
    let rounds: Vec<String> = before
        .iter()
        .map(|round| {
            let (calls, results) = (calls(&round.calls), messages(&round.calls, API));
            format!(r#"{{"role":"assistant","content":[{calls}]}},{results},"#)
        })
        .collect();
    Some(vec![Insertion::new(message.start, rounds.concat())])
}

fn known(bytes: &[u8], part: &Place) -> Option<String> {
    known_by(&bytes[part.clone()])
}

/// Which parts that were shown are there; `None` where others are.
fn aligned(parts: &[String], rounds: &[Hidden]) -> Option<Vec<Vec<bool>>> {
    let mut parts = parts.iter().peekable();
    let mut all = Vec::new();
    for round in rounds {
        let mut seen = Vec::new();
        for shown in &round.shown {
            let is_there = parts.next_if(|part| *part == shown).is_some();
            if !is_there && !may_be_missing(shown) {
                return None;
            }
            seen.push(is_there);
        }
        all.push(seen);
    }
    parts.next().is_none().then_some(all)
}

/// The results among those of the client's own calls, in the order of the calls.
fn among_results(body: &Body, bytes: &[u8], at: usize, round: &Hidden) -> Option<Vec<Insertion>> {
    let message = body.messages.get(at)?;
    let [role, content] = walk::members(bytes, message, ["role", "content"]).ok()?;
    let is_user = walk::text(bytes, &role?).is_some_and(|role| role == "user");
    let parts = walk::elements(bytes, &content.filter(|_| is_user)?).ok()??;
    let is_result = |part: &&Place| {
        let kind = walk::members(bytes, part, ["type"]).ok().and_then(|[kind]| kind);
        kind.and_then(|kind| walk::text(bytes, &kind)).is_some_and(|kind| kind == "tool_result")
    };
    let own: Vec<&Place> = parts.iter().filter(is_result).collect();
    let last = own.last()?.end;
    let place = |call: &Answered| {
        let before = round.shown[..call.called.at.min(round.shown.len())].iter();
        let calls = before.filter(|it| it.starts_with("tool_use ")).count();
        let result = call.result(API);
        match own.get(calls) {
            Some(next) => Insertion::new(next.start, format!("{result},")),
            None => Insertion::new(last, format!(",{result}")),
        }
    };
    Some(round.calls.iter().map(place).collect())
}
