//! Tool calls that wait for their results, and the match of results to calls.

use std::collections::VecDeque;

use crate::{ToolCall, ToolResult};

/// A call is forgotten after this many later calls; a result for it then counts as one of an
/// unknown call.
pub const OPEN_CALLS_MAX: usize = 1024;

/// A call that waits for its result.
#[derive(Debug, Clone)]
struct OpenCall<T> {
    id: String,
    name: String,
    response: u64,
    /// Its sequence number among all calls.
    number: u64,
    value: T,
}

/// The calls without a result, oldest first, each with a value. Ids may be missing or duplicated:
/// results then answer the calls of the latest response in order.
#[derive(Debug, Clone)]
pub struct OpenCalls<T> {
    open: VecDeque<OpenCall<T>>,
    responses: u64,
    calls: u64,
}

impl<T> Default for OpenCalls<T> {
    fn default() -> Self {
        Self { open: VecDeque::new(), responses: 0, calls: 0 }
    }
}

impl<T> OpenCalls<T> {
    /// Starts the next response of the model.
    pub fn begin_response(&mut self) {
        self.responses += 1;
    }

    /// Adds a call of the current response and drops the oldest calls beyond [`OPEN_CALLS_MAX`].
    /// Also drops an open call of an earlier response with the same id.
    pub fn insert(&mut self, call: &ToolCall, value: T) {
        let (id, name) = (call.id.clone(), call.name.clone());
        self.open.retain(|open| open.response == self.responses || open.id != id);
        self.open.push_back(OpenCall {
            id,
            name,
            response: self.responses,
            number: self.calls,
            value,
        });
        self.calls += 1;
        while let Some(oldest) = self.open.front()
            && oldest.number + (OPEN_CALLS_MAX as u64) < self.calls
        {
            self.open.pop_front();
        }
    }

    /// Removes and returns the call that a result answers: the first one with its id, or, if the
    /// result carries the name of its tool instead of an id, the first call of that tool in the
    /// latest response.
    pub fn take(&mut self, result: &ToolResult) -> Option<T> {
        let has_id = |open: &OpenCall<T>| open.id == result.call;
        let has_name = |open: &OpenCall<T>| {
            open.response == self.responses && !open.name.is_empty() && open.name == result.call
        };
        let at = self.open.iter().position(has_id);
        let at = at.or_else(|| self.open.iter().position(has_name))?;
        self.open.remove(at).map(|open| open.value)
    }

    /// Removes and returns all calls, oldest first.
    pub fn drain(&mut self) -> impl Iterator<Item = T> + '_ {
        self.open.drain(..).map(|open| open.value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(id: &str, name: &str) -> ToolCall {
        ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({}) }
    }

    fn take(open: &mut OpenCalls<u32>, call: &str) -> Option<u32> {
        open.take(&ToolResult { call: call.to_owned(), content: String::new(), is_error: false })
    }

    /// The calls `(id, name)` of one response, and which of them each result answers.
    fn check(calls: &[(&str, &str)], results: &[&str], expected: &[Option<u32>]) {
        let mut open = OpenCalls::default();
        open.begin_response();
        for ((id, name), value) in calls.iter().zip(0..) {
            open.insert(&call(id, name), value);
        }
        let found: Vec<_> = results.iter().map(|result| take(&mut open, result)).collect();
        assert_eq!(found, expected, "{calls:?} {results:?}");
    }

    #[test]
    fn results_are_paired_in_order_where_ids_do_not_tell() {
        check(&[("1", "a"), ("2", "a")], &["2", "1"], &[Some(1), Some(0)]);
        check(
            &[("x", "a"), ("x", "b"), ("x", "a")],
            &["x", "x", "x"],
            &[Some(0), Some(1), Some(2)],
        );
        check(
            &[("a", "a"), ("b", "b"), ("a", "a")],
            &["a", "a", "b"],
            &[Some(0), Some(2), Some(1)],
        );
        check(&[("", "a"), ("", "b")], &["", "", ""], &[Some(0), Some(1), None]);
        check(&[("", "a"), ("", "b"), ("", "a")], &["b", "a", "a"], &[Some(1), Some(0), Some(2)]);
        check(&[("1", "a"), ("2", "b")], &["b", "a", "c"], &[Some(1), Some(0), None]);
    }

    #[test]
    fn an_id_of_an_earlier_response_is_that_of_the_later_call() {
        let mut open = OpenCalls::default();
        for value in 0..2 {
            open.begin_response();
            open.insert(&call("x", "a"), value);
        }
        assert_eq!((take(&mut open, "x"), take(&mut open, "x")), (Some(1), None));
    }

    #[test]
    fn calls_without_results_are_forgotten_in_time() {
        let mut open = OpenCalls::default();
        open.begin_response();
        open.insert(&call("early", "a"), 0);
        for at in 1..OPEN_CALLS_MAX {
            open.insert(&call(&format!("call {at}"), "a"), at as u32);
        }
        assert_eq!(take(&mut open.clone(), "early"), Some(0));
        open.insert(&call("last", "a"), 7);
        assert_eq!(take(&mut open, "early"), None);
        assert_eq!(open.open.len(), OPEN_CALLS_MAX);
    }
}
