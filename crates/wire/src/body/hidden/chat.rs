//! OpenAI's Chat Completions: an answer is one message, with one text and a list of calls.

use std::ops::Range;

use super::answered::{Answered, Hidden, calls, messages};
use super::insertion::Insertion;
use super::strings::place_in;
use crate::body::scan::Body;
use crate::body::walk::{self, Place};
use crate::protocol::Protocol;
use crate::response::shown;

const API: Protocol = Protocol::Chat;

const ROLE: &str = r#""role":"assistant""#;

/// The parts of a message that count.
struct Parts {
    message: Place,
    role: Place,
    content: Option<Place>,
    calls: Option<Place>,
}

pub(super) fn restored(
    body: &Body,
    bytes: &[u8],
    at: usize,
    rounds: &[Hidden],
) -> Option<Vec<Insertion>> {
    let message = body.messages.get(at)?.clone();
    let names = ["role", "content", "tool_calls"];
    let [role, content, own] = walk::members(bytes, &message, names).ok()?;
    let is_given = |place: &Place| &bytes[place.clone()] != b"null";
    let (content, own) = (content.filter(is_given), own.filter(is_given));
    let parts = Parts { message, role: role?, content, calls: own };
    let text = match &parts.content {
        Some(content) => walk::text(bytes, content)?,
        None => "".into(),
    };
    let seams = seams(&text, rounds)?;
    let last = rounds.last()?;
    let ids = match &parts.calls {
        Some(own) => ids(bytes, own)?,
        None => Vec::new(),
    };
    let known: Vec<String> = ids.iter().map(|id| shown("call", id)).collect();
    let shown_calls = last.shown.iter().filter(|it| it.starts_with("call "));
    if !shown_calls.eq(known.iter()) {
        return None;
    }
    let mut insertions = parts.before(bytes, rounds, &seams)?;
    if !last.calls.is_empty() {
        insertions.extend(parts.beside(body, bytes, at, last)?);
    }
    Some(insertions)
}

pub(super) fn recalls(body: &Body, bytes: &[u8], at: usize, all: &[String]) -> Option<bool> {
    let message = body.messages.get(at)?;
    let [content, own] = walk::members(bytes, message, ["content", "tool_calls"]).ok()?;
    let ids = own.and_then(|own| ids(bytes, &own)).unwrap_or_default();
    let has_call = ids.iter().any(|id| all.contains(&shown("call", id)));
    let text = content.and_then(|content| text(bytes, &content)).unwrap_or_default();
    let first = all.iter().find_map(|it| it.strip_prefix("text "));
    let has_text = first.is_some_and(|first| {
        let count = first.split(' ').next().and_then(|count| count.parse().ok()).unwrap_or(0);
        let said: String = text.chars().take(count).collect();
        shown(&format!("text {count}"), &said) == format!("text {first}")
    });
    Some(has_call || has_text)
}

/// A content, as one text or as a list of them.
fn text(bytes: &[u8], content: &Place) -> Option<String> {
    let Some(parts) = walk::elements(bytes, content).ok()? else {
        return walk::text(bytes, content).map(|text| text.into_owned());
    };
    let texts = parts.iter().filter_map(|part| {
        let [text] = walk::members(bytes, part, ["text"]).ok()?;
        walk::text(bytes, &text?).map(|text| text.into_owned())
    });
    Some(texts.collect())
}

/// The ids of calls.
fn ids(bytes: &[u8], calls: &Place) -> Option<Vec<String>> {
    let ids = walk::elements(bytes, calls).ok()??.into_iter().map(|call| {
        let [id] = walk::members(bytes, &call, ["id"]).ok()?;
        Some(walk::text(bytes, &id?)?.into_owned())
    });
    ids.collect()
}

/// Where in the text each round's ends, in bytes of it; `None` where it is another text.
fn seams(text: &str, rounds: &[Hidden]) -> Option<Vec<usize>> {
    let mut at = 0;
    let mut seams = Vec::new();
    for (number, round) in rounds.iter().enumerate() {
        let own = round.shown.iter().find_map(|it| it.strip_prefix("text "));
        if let Some(own) = own {
            let count: usize = own.split(' ').next()?.parse().ok()?;
            let rest = &text[at..];
            let length = rest.char_indices().nth(count).map_or(rest.len(), |(at, _)| at);
            if shown(&format!("text {count}"), &rest[..length]) != format!("text {own}") {
                return None;
            }
            at += length;
        }
        let is_last = number + 1 == rounds.len();
        // What clients cut is white space at the end.
        if is_last && !text[at..].trim().is_empty() {
            return None;
        }
        seams.push(at);
    }
    Some(seams)
}

impl Parts {
    /// The rounds before the last: whole messages in front of this one, and seams in its text.
    fn before(&self, bytes: &[u8], rounds: &[Hidden], seams: &[usize]) -> Option<Vec<Insertion>> {
        let mut insertions: Vec<Insertion> = Vec::new();
        let mut start = 0;
        let (_, before) = rounds.split_last()?;
        for (round, end) in before.iter().zip(seams) {
            let (calls, results) = (calls(&round.calls), messages(&round.calls, API));
            if start == *end {
                let whole =
                    format!(r#"{{{ROLE},"content":null,"tool_calls":[{calls}]}},{results},"#);
                match insertions.last_mut().filter(|_| start > 0) {
                    // It stands between two texts: in front of the one that was just begun.
                    Some(seam) => {
                        let open = seam.bytes.len() - self.open().len();
                        seam.bytes.splice(open..open, whole.into_bytes());
                    }
                    None => insertions.push(Insertion::new(self.message.start, whole)),
                }
                continue;
            }
            let content = self.content.as_ref()?;
            // What stands behind the text goes with the last part of it.
            if self.calls.as_ref().is_some_and(|calls| calls.start < content.start) {
                return None;
            }
            let place = place_in(bytes, content, *end)?;
            let close = if self.role.start < content.start {
                r#"""#.to_owned()
            } else {
                format!(r#"",{ROLE}"#)
            };
            let text = format!(r#"{close},"tool_calls":[{calls}]}},{results},{}"#, self.open());
            insertions.push(Insertion::new(place, text));
            start = *end;
        }
        Some(insertions)
    }

    /// What the part of the message behind a seam begins with.
    fn open(&self) -> String {
        match &self.content {
            Some(content) if self.role.start < content.start => {
                format!(r#"{{{ROLE},"content":""#)
            }
            _ => r#"{"content":""#.to_owned(),
        }
    }

    /// The calls beside the client's own, and their results among those of these.
    fn beside(
        &self,
        body: &Body,
        bytes: &[u8],
        at: usize,
        round: &Hidden,
    ) -> Option<Vec<Insertion>> {
        let own = walk::elements(bytes, self.calls.as_ref()?).ok()??;
        let is_result = |message: &&Range<usize>| {
            let role = walk::members(bytes, message, ["role"]).ok().and_then(|[role]| role);
            role.and_then(|role| walk::text(bytes, &role)).is_some_and(|role| role == "tool")
        };
        let results: Vec<Place> =
            body.messages[at + 1..].iter().take_while(is_result).cloned().collect();
        let among = |places: &[Place], number: usize, text: &str| match places.get(number) {
            Some(next) => Some(Insertion::new(next.start, format!("{text},"))),
            None => Some(Insertion::new(places.last()?.end, format!(",{text}"))),
        };
        let mut insertions = Vec::new();
        for answered in &round.calls {
            let Answered { called, .. } = answered;
            let before = round.shown[..called.at.min(round.shown.len())].iter();
            let number = before.filter(|it| it.starts_with("call ")).count();
            insertions.push(among(&own, number, &called.spelled)?);
            insertions.push(among(&results, number, &answered.result(API))?);
        }
        Some(insertions)
    }
}
