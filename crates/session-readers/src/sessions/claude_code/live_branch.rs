//! Finds the branch of a Claude Code record that its next request continues.
//!
//! A rewind leaves the replaced branch in the record. Each line names its parent, so the live
//! branch is the path from its newest line to the root. Parallel calls put lines beside that path:
//! the other lines of a response, and the results of its calls, belong to it, too. In a record
//! without its beginning, the path starts at the first known line.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;

/// The live branch of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveBranch {
    /// The record without the lines of other branches.
    pub record: Vec<u8>,
    /// The id of the newest response line on another branch. It changes only with the next rewind
    /// or compaction.
    pub replaced_response: Option<String>,
}

/// Returns the live branch of `record`, which may lack its beginning, for the main conversation or
/// a sub-agent's. The branch ends with the response that makes the call `call`, or with the newest
/// line if no line has that call. Lines of other conversations are kept.
pub fn find_live_branch(record: &[u8], agent: Option<&str>, call: Option<&str>) -> LiveBranch {
    let ends = memchr::memchr_iter(b'\n', record).map(|end| end + 1).chain([record.len()]);
    let mut start = 0;
    let lines: Vec<&[u8]> =
        ends.map(|end| &record[std::mem::replace(&mut start, end)..end]).collect();
    let parsed = lines.iter().map(|line| serde_json::from_slice::<LinkedLine<'_>>(line).ok());
    let branches = ConversationLines::new(parsed.collect(), agent);
    let Some(leaf) = branches.find_leaf(call) else {
        return LiveBranch { record: record.to_vec(), replaced_response: None };
    };
    let live = branches.live_lines(leaf);
    let is_other = |at: usize| branches.is_message(at) && !live.contains(&at);
    let kept = lines.iter().enumerate().filter(|(at, _)| !is_other(*at));
    let record = kept.map(|(_, line)| *line).collect::<Vec<_>>().concat();
    let replaced = (0..leaf).rev().find(|at| is_other(*at) && branches.is_response(*at));
    let replaced_response = replaced.and_then(|at| branches.uuid(at)).map(str::to_owned);
    LiveBranch { record, replaced_response }
}

/// The fields of a line that place it in its conversation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LinkedLine<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    parent_uuid: Option<Cow<'a, str>>,
    #[serde(borrow)]
    agent_id: Option<Cow<'a, str>>,
    is_sidechain: Option<bool>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
}

/// The id of a response.
#[derive(Debug, Deserialize)]
struct ResponseId<'a> {
    #[serde(borrow)]
    id: Option<Cow<'a, str>>,
}

impl LinkedLine<'_> {
    fn has_type(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    fn message_contains(&self, text: &str) -> bool {
        self.message.is_some_and(|message| message.get().contains(text))
    }

    fn response_id(&self) -> Option<Cow<'_, str>> {
        let message = self.message.filter(|_| self.has_type("assistant"))?;
        serde_json::from_str::<ResponseId<'_>>(message.get()).ok()?.id
    }
}

/// The lines of one conversation in a record.
struct ConversationLines<'a> {
    /// All lines; `None` for lines that are no record.
    lines: Vec<Option<LinkedLine<'a>>>,
    /// The indexes of the conversation's lines by their ids.
    index_by_id: HashMap<String, usize>,
    agent: Option<&'a str>,
}

impl<'a> ConversationLines<'a> {
    fn new(lines: Vec<Option<LinkedLine<'a>>>, agent: Option<&'a str>) -> Self {
        let mut branches = Self { lines, index_by_id: HashMap::new(), agent };
        for at in 0..branches.lines.len() {
            if branches.is_message(at)
                && let Some(uuid) = branches.uuid(at).map(str::to_owned)
            {
                branches.index_by_id.entry(uuid).or_insert(at);
            }
        }
        branches
    }

    fn line(&self, at: usize) -> Option<&LinkedLine<'a>> {
        self.lines.get(at)?.as_ref()
    }

    fn uuid(&self, at: usize) -> Option<&str> {
        self.line(at)?.uuid.as_deref()
    }

    /// Returns whether a line is part of the conversation. Book-keeping lines have no id.
    fn is_message(&self, at: usize) -> bool {
        self.line(at).is_some_and(|line| {
            let is_own = match self.agent {
                None => line.agent_id.is_none() && line.is_sidechain != Some(true),
                agent => line.agent_id.as_deref() == agent,
            };
            is_own && line.uuid.is_some()
        })
    }

    fn is_response(&self, at: usize) -> bool {
        self.line(at).is_some_and(|line| line.has_type("assistant"))
    }

    /// Returns the line that the next request continues.
    fn find_leaf(&self, call: Option<&str>) -> Option<usize> {
        let makes_call = |at: &usize| {
            let quoted = call.map(|call| format!("\"{call}\""));
            let line = self.line(*at).filter(|_| self.is_response(*at));
            line.zip(quoted).is_some_and(|(line, quoted)| line.message_contains(&quoted))
        };
        let messages = || (0..self.lines.len()).rev().filter(|at| self.is_message(*at));
        messages().find(makes_call).or_else(|| messages().next())
    }

    /// Returns the lines on the path to `leaf` and those that belong to it.
    fn live_lines(&self, leaf: usize) -> HashSet<usize> {
        let mut live = HashSet::new();
        let mut next = Some(leaf);
        while let Some(at) = next.filter(|at| live.insert(*at)) {
            let parent = self.line(at).and_then(|line| line.parent_uuid.as_deref());
            next = parent.and_then(|parent| self.index_by_id.get(parent)).copied();
        }
        let ids = |at: &usize| self.line(*at).and_then(LinkedLine::response_id);
        let responses: HashSet<_> = live.iter().filter_map(ids).collect();
        let messages: Vec<usize> =
            (0..self.lines.len()).filter(|at| self.is_message(*at)).collect();
        let of_response = |at: &&usize| ids(at).is_some_and(|id| responses.contains(&id));
        live.extend(messages.iter().filter(of_response));
        let of_call = |at: &&usize| {
            let line = self.line(**at).filter(|line| line.has_type("user"));
            let result = line.filter(|line| line.message_contains("\"tool_result\""));
            let parent = result.and_then(|line| line.parent_uuid.as_deref());
            let parent = parent.and_then(|parent| self.index_by_id.get(parent)).copied();
            parent.is_some_and(|at| self.is_response(at) && live.contains(&at))
        };
        let results: Vec<usize> = messages.iter().filter(of_call).copied().collect();
        live.extend(results);
        live
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find_live_branch;

    /// A record of lines `id < parent kind text`, of which a response has the message of its id's
    /// first letter, and results name their call.
    fn record(lines: &[&str]) -> Vec<u8> {
        let line = |line: &&str| {
            let (head, text) = line.split_once(": ").expect("a text");
            let mut words = head.split(' ');
            let mut word = || words.next().expect("three words");
            let (id, parent, kind) = (word(), word(), word());
            let message = match kind {
                "assistant" => json!({ "id": id[..1], "content": [{ "id": text }] }),
                "result" => json!({ "content": [{ "type": "tool_result", "tool_use_id": text }] }),
                _ => json!({ "content": text }),
            };
            let kind = if kind == "result" { "user" } else { kind };
            let parent = (parent != "-").then_some(parent);
            let line =
                json!({ "type": kind, "uuid": id, "parentUuid": parent, "message": message });
            format!("{line}\n")
        };
        lines.iter().map(line).collect::<String>().into_bytes()
    }

    #[track_caller]
    fn check(lines: &[&str], call: Option<&str>, live: &[&str], replaced: Option<&str>) {
        let branch = find_live_branch(&record(lines), None, call);
        let text = String::from_utf8(branch.record).expect("text");
        let ids = text.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
            line["uuid"].as_str().expect("an id").to_owned()
        });
        assert_eq!(ids.collect::<Vec<_>>(), live, "{lines:?}");
        assert_eq!(branch.replaced_response.as_deref(), replaced, "{lines:?}");
    }

    #[test]
    fn a_branch_that_was_replaced_is_left_out_wherever_the_record_begins() {
        let all = [
            "u1 - user: hello",
            "a1 u1 assistant: c1",
            "r1 a1 result: c1",
            "b1 r1 assistant: done",
            "u2 - user: something else",
            "c1 u2 assistant: c2",
        ];
        check(&all[..4], None, &["u1", "a1", "r1", "b1"], None);
        for from in 0..4 {
            check(&all[from..], Some("c2"), &["u2", "c1"], Some("b1"));
        }
        check(&all[4..], Some("c2"), &["u2", "c1"], None);
    }

    #[test]
    fn results_of_parallel_calls_belong_to_the_branch() {
        let all = [
            "u1 - user: hello",
            "a1 u1 assistant: c1",
            "a2 a1 assistant: c2",
            "r1 a1 result: c1",
            "r2 a2 result: c2",
            "b1 r2 assistant: c3",
        ];
        check(&all, Some("c3"), &["u1", "a1", "a2", "r1", "r2", "b1"], None);
        // The first call of a response asks while the second one is answered.
        check(&all[..5], Some("c1"), &["u1", "a1", "a2", "r1", "r2"], None);
        // A question that was replaced is no result.
        let rewound = ["u1 - user: hi", "a1 u1 assistant: c1", "u2 a1 user: x", "u3 a1 user: y"];
        check(&rewound, None, &["u1", "a1", "u3"], None);
    }

    #[test]
    fn what_names_no_line_and_what_is_broken_does_no_harm() {
        let circle = ["u1 u2 user: hello", "u2 u1 user: hello"];
        check(&circle, None, &["u1", "u2"], None);
        let text = b"{\"type\":\"mode\"}\n{\"uuid\":7}\nnonsense\n\xff\n";
        assert_eq!(find_live_branch(text, None, None).record, text);
        assert_eq!(find_live_branch(b"", Some("x"), Some("y")).record, b"");
    }
}
