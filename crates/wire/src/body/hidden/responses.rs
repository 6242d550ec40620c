//! OpenAI's Responses: an answer is a run of items, and so is what was hidden of it.

use super::answered::{Hidden, messages};
use super::insertion::Insertion;
use crate::body::said::is_said;
use crate::body::scan::Body;
use crate::body::walk::{self, Place};
use crate::protocol::Protocol;
use crate::response::{known_item, may_be_missing, says_nothing, shown};

const API: Protocol = Protocol::Responses;

pub(super) fn restored(
    body: &Body,
    bytes: &[u8],
    at: usize,
    rounds: &[Hidden],
) -> Option<Vec<Insertion>> {
    let items = Items::of(body, bytes, at);
    let mut insertions = Vec::new();
    let mut seen = 0;
    for (number, round) in rounds.iter().enumerate() {
        let is_last = number + 1 == rounds.len();
        // Which of its items stand in front of each that was shown, and of the end.
        let mut before = Vec::new();
        for known in &round.shown {
            before.push(seen);
            match items.said.get(seen) {
                Some((_, own)) if own == known => seen += 1,
                _ if may_be_missing(known) => {}
                _ => return None,
            }
        }
        before.push(seen);
        for call in &round.calls {
            let at = before[call.called.at.min(round.shown.len())];
            insertions.push(items.insertion(at, &call.called.spelled)?);
            if is_last {
                insertions.push(items.among_results(round, call.called.at, &call.result(API))?);
            }
        }
        if !is_last && !round.calls.is_empty() {
            insertions.push(items.insertion(seen, &messages(&round.calls, API))?);
        }
    }
    Some(insertions)
}

pub(super) fn recalls(body: &Body, bytes: &[u8], at: usize, all: &[String]) -> Option<bool> {
    let run = body.messages[at..].iter().take_while(|item| is_said(bytes, item).unwrap_or(false));
    let mut known = run.filter_map(|item| known_item(&bytes[item.clone()]));
    Some(known.any(|known| !says_nothing(&known) && all.contains(&known)))
}

/// The items from the beginning of an answer to what a user says.
struct Items {
    /// Those that the model said, and what they are known by.
    said: Vec<(Place, String)>,
    /// Results of the client's tools, by what their calls are known by.
    results: Vec<(Place, String)>,
}

impl Items {
    fn of(body: &Body, bytes: &[u8], at: usize) -> Self {
        let mut items = Self { said: Vec::new(), results: Vec::new() };
        for item in &body.messages[at..] {
            if is_said(bytes, item).unwrap_or(false) {
                let known = known_item(&bytes[item.clone()]).unwrap_or_default();
                items.said.push((item.clone(), known));
                continue;
            }
            let Some(call) = result_of(bytes, item) else { break };
            items.results.push((item.clone(), shown("call", &call)));
        }
        items
    }

    /// An item behind so many of these.
    fn insertion(&self, behind: usize, item: &str) -> Option<Insertion> {
        Some(match behind.checked_sub(1) {
            Some(last) => Insertion::new(self.said.get(last)?.0.end, format!(",{item}")),
            None => Insertion::new(self.said.first()?.0.start, format!("{item},")),
        })
    }

    /// The result of a call that stands behind so many parts of a round, among those of the client's
    /// own calls in it.
    fn among_results(&self, round: &Hidden, at: usize, result: &str) -> Option<Insertion> {
        let place = |known: &String| self.results.iter().find(|(_, call)| call == known);
        let at = at.min(round.shown.len());
        if let Some((next, _)) = round.shown[at..].iter().find_map(place) {
            return Some(Insertion::new(next.start, format!("{result},")));
        }
        let ends = round.shown[..at].iter().filter_map(place).map(|(place, _)| place.end);
        Some(Insertion::new(ends.max()?, format!(",{result}")))
    }
}

/// The id of the call that an item is the result of.
fn result_of(bytes: &[u8], item: &Place) -> Option<String> {
    let [kind, call] = walk::members(bytes, item, ["type", "call_id"]).ok()?;
    let kind = kind.and_then(|kind| walk::text(bytes, &kind))?;
    let call = call.and_then(|call| walk::text(bytes, &call))?;
    kind.ends_with("_output").then(|| call.into_owned())
}
