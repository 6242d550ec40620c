//! JSON objects in the answers of models, which may hold anything.

use serde_json::{Deserializer, Value};

/// Most positions of an answer that are tried as the start of an object.
const OBJECT_STARTS_MAX: usize = 512;

/// Returns the last object of an answer that `is_it` accepts; a model may reason before it. Objects
/// nested in an accepted one are skipped.
pub(crate) fn find_last_object(
    answer: &str,
    mut is_it: impl FnMut(&Value) -> bool,
) -> Option<Value> {
    let mut found = None;
    let mut from = 0;
    for _ in 0..OBJECT_STARTS_MAX {
        let Some(at) = answer[from..].find('{').map(|at| from + at) else { break };
        let mut values = Deserializer::from_str(&answer[at..]).into_iter::<Value>();
        from = at + 1;
        let Some(Ok(value)) = values.next() else { continue };
        if is_it(&value) {
            from = at + values.byte_offset();
            found = Some(value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_last_one_counts_and_what_is_inside_of_it_does_not() {
        let has = |value: &Value| value["a"].is_number();
        let last = |answer: &str| find_last_object(answer, has);
        assert_eq!(last("{\"a\": 1} so {\"b\": {\"a\": 2}} or"), Some(json!({"a": 2})));
        let nested = "{x {\"a\": 3, \"b\": {\"a\": 4}}";
        assert_eq!(last(nested), Some(json!({"a": 3, "b": {"a": 4}})));
        assert_eq!((last(&"{".repeat(OBJECT_STARTS_MAX)), last("no object")), (None, None));
        assert_eq!(last(&("{".repeat(OBJECT_STARTS_MAX) + nested)), None);
    }
}
