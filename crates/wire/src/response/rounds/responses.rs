//! OpenAI's Responses, as events and as documents.

use serde_json::value::RawValue;

use super::super::pick::{Field, bytes, pick, text};
use super::blocks::Block;
use super::edit::{place, replaced};
use super::items::{Round, is_own};
use super::turn::Turn;
use super::usage::Usages;

/// The state of an answer in several rounds.
#[derive(Debug, Default)]
pub(super) struct Responses {
    is_later: bool,
    /// Items that the client was shown in the rounds before.
    shown_before: usize,
    /// The same as the ends of these rounds tell them.
    told_before: Vec<String>,
    items: Vec<Item>,
    /// The number of the client's next event, where events have numbers.
    next_number: Option<u64>,
    usages: Usages,
    /// The last event, held back until it is known what comes of the turn.
    end: Option<Block>,
    completed: bool,
}

/// An item of this round.
#[derive(Debug)]
struct Item {
    index: u64,
    /// Where the client sees it; `None`: it is a call of the tool.
    shown_at: Option<usize>,
    /// All of it, once it has come.
    json: Option<String>,
}

impl Responses {
    /// Takes an event; whether it ends the turn and is held back.
    pub(super) fn take(&mut self, raw: &[u8], block: &Block, out: &mut Vec<u8>) -> bool {
        let keys = ["type", "output_index", "item", "response", "sequence_number"];
        let Some([kind, index, item, response, own_number]) = pick(&block.data, keys) else {
            out.extend_from_slice(raw);
            return false;
        };
        match text(kind).as_deref() {
            Some("response.created" | "response.in_progress" | "response.queued")
                if self.is_later =>
            {
                return false;
            }
            Some(kind @ ("response.completed" | "response.incomplete")) => {
                if let Some([Some(usage)]) = pick(bytes(response), ["usage"]) {
                    self.usages.tell(usage.get());
                }
                self.completed = kind == "response.completed";
                if self.is_later || self.has_calls() {
                    self.end = Some(block.clone());
                    return true;
                }
            }
            Some("response.output_item.added") => drop(self.begin(index, item)),
            Some("response.output_item.done") => {
                if let Some(at) = self.begin(index, item) {
                    self.items[at].json = item.map(|item| item.get().to_owned());
                }
            }
            _ => {}
        }
        let is_it = |item: &&Item| Some(item.index) == number(index);
        let shown_at = match self.items.iter().find(is_it) {
            Some(item) if item.shown_at.is_none() => return false,
            found => found.and_then(|item| item.shown_at),
        };
        let mut edits = Vec::new();
        if let Some(at) = shown_at.filter(|at| number(index) != Some(*at as u64)) {
            edits.extend(place(&block.data, index).map(|it| (it, at.to_string().into_bytes())));
        }
        edits.extend(self.numbered(block, own_number));
        match edits.is_empty() {
            true => out.extend_from_slice(raw),
            false => out.extend_from_slice(&block.with(&replaced(&block.data, edits))),
        }
        false
    }

    fn has_calls(&self) -> bool {
        self.items.iter().any(|item| item.shown_at.is_none())
    }

    /// Takes the beginning of an item that is not known yet; which of this round it is.
    fn begin(&mut self, index: Field<'_>, item: Field<'_>) -> Option<usize> {
        let index = number(index)?;
        if let Some(at) = self.items.iter().position(|item| item.index == index) {
            return Some(at);
        }
        let seen = self.items.iter().filter(|item| item.shown_at.is_some()).count();
        let shown_at = (!is_own(bytes(item))).then_some(self.shown_before + seen);
        self.items.push(Item { index, shown_at, json: None });
        Some(self.items.len() - 1)
    }

    /// Counts an event that the client sees; the number that it gets in place of its own.
    fn numbered(
        &mut self,
        block: &Block,
        own: Field<'_>,
    ) -> Option<(std::ops::Range<usize>, Vec<u8>)> {
        let told = number(own)?;
        let counted = self.next_number.unwrap_or(told);
        self.next_number = Some(counted + 1);
        let place = place(&block.data, own).filter(|_| counted != told)?;
        Some((place, counted.to_string().into_bytes()))
    }

    /// The turn that ended.
    pub(super) fn turn(&self) -> Turn {
        let told = self.end.as_ref().map(|end| output(&end.data)).unwrap_or_default();
        let mut round = Round::default();
        for item in &self.items {
            let at = usize::try_from(item.index).unwrap_or(usize::MAX);
            round.push(item.json.as_deref().or(told.get(at).map(|item| item.get())));
        }
        round.turn(self.completed)
    }

    /// Whether the turn is over and its end is held back.
    pub(super) fn holds(&self) -> bool {
        self.end.is_some()
    }

    /// Goes on to the next round.
    pub(super) fn next(&mut self) {
        self.shown_before += self.items.iter().filter(|item| item.shown_at.is_some()).count();
        if let Some(end) = self.end.take() {
            self.told_before.extend(shown_of(&output(&end.data)));
        }
        self.is_later = true;
        self.usages.next();
        self.items.clear();
        self.completed = false;
    }

    /// Hands over what was held back.
    pub(super) fn release(&mut self, out: &mut Vec<u8>) {
        let Some(block) = self.end.take() else { return };
        let fields = pick(&block.data, ["response", "sequence_number"]).unwrap_or_default();
        let [response, own_number] = fields;
        let usage = self.is_later.then(|| self.usages.sum());
        let mut edits = told(&block.data, bytes(response), &self.told_before, usage);
        edits.extend(self.numbered(&block, own_number));
        out.extend_from_slice(&block.with(&replaced(&block.data, edits)));
    }
}

/// The items of the response that an event tells.
fn output(event: &[u8]) -> Vec<&RawValue> {
    let response = pick(event, ["response"]).and_then(|[response]| response);
    let output = pick(bytes(response), ["output"]).and_then(|[output]| output);
    output.and_then(|output| serde_json::from_str(output.get()).ok()).unwrap_or_default()
}

/// The items that the client is shown.
fn shown_of(items: &[&RawValue]) -> Vec<String> {
    let shown = items.iter().filter(|item| !is_own(item.get().as_bytes()));
    shown.map(|item| item.get().to_owned()).collect()
}

/// What changes in a `response` within `json`: its items are those of all rounds, and so is its
/// usage.
fn told(
    json: &[u8],
    response: &[u8],
    before: &[String],
    usage: Option<Vec<u8>>,
) -> Vec<(std::ops::Range<usize>, Vec<u8>)> {
    let [output, own_usage] = pick(response, ["output", "usage"]).unwrap_or_default();
    let items: Vec<&RawValue> = serde_json::from_slice(bytes(output)).unwrap_or_default();
    let all = [before, &shown_of(&items)].concat().join(",");
    let output = place(json, output).map(|place| (place, format!("[{all}]").into_bytes()));
    let usage = usage.and_then(|usage| Some((place(json, own_usage)?, usage)));
    output.into_iter().chain(usage).collect()
}

fn number(field: Field<'_>) -> Option<u64> {
    field?.get().parse().ok()
}

/// Whole answers put together: the last one's, since it is by its id that the provider knows all of
/// what was said, with the items and the usage of all.
#[derive(Debug, Default)]
pub(super) struct ResponsesDocument {
    is_later: bool,
    before: Vec<String>,
    last: Vec<u8>,
    usages: Usages,
}

impl ResponsesDocument {
    /// Takes the answer of a round; `None` where it is none that can be read.
    pub(super) fn take(&mut self, bytes: Vec<u8>) -> Option<Turn> {
        let [output, status, usage] = pick(&bytes, ["output", "status", "usage"])?;
        let items: Vec<&RawValue> = serde_json::from_str(output?.get()).ok()?;
        let mut round = Round::default();
        items.iter().for_each(|item| round.push(Some(item.get())));
        let turn = round.turn(text(status).is_none_or(|status| status == "completed"));
        if let Some(usage) = usage {
            self.usages.tell(usage.get());
        }
        self.last = bytes;
        Some(turn)
    }

    /// Goes on with another answer.
    pub(super) fn next(&mut self) {
        let output = pick(&self.last, ["output"]).and_then(|[output]| output);
        let items: Vec<&RawValue> = serde_json::from_slice(bytes(output)).unwrap_or_default();
        self.before.extend(shown_of(&items));
        self.is_later = true;
        self.usages.next();
    }

    /// The one answer.
    pub(super) fn told(&self) -> Vec<u8> {
        let usage = self.is_later.then(|| self.usages.sum());
        replaced(&self.last, told(&self.last, &self.last, &self.before, usage))
    }
}
