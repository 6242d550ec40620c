//! Usage of several answers that are told as one.

use serde_json::{Map, Number, Value};

/// What the answers so far were billed.
#[derive(Debug, Default)]
pub(super) struct Usages {
    /// Of the rounds before.
    before: Map<String, Value>,
    /// Of this round: the last that was told of each field.
    now: Map<String, Value>,
}

impl Usages {
    /// Takes what an event tells of this round.
    pub(super) fn tell(&mut self, usage: &str) {
        if let Ok(Value::Object(told)) = serde_json::from_str(usage) {
            for (key, value) in told {
                // Counts only grow while an answer comes.
                let is_less = value.as_u64() == Some(0) && self.now.contains_key(&key);
                if !value.is_null() && !is_less {
                    self.now.insert(key, value);
                }
            }
        }
    }

    /// Ends this round.
    pub(super) fn next(&mut self) {
        let now = std::mem::take(&mut self.now);
        add(&mut self.before, now);
    }

    /// The sum of all rounds, as JSON.
    pub(super) fn sum(&self) -> Vec<u8> {
        let mut sum = self.before.clone();
        add(&mut sum, self.now.clone());
        Value::Object(sum).to_string().into_bytes()
    }
}

/// Adds counts, at any depth, in lists by what they are of. Of what is no count the later is taken.
fn add(sum: &mut Map<String, Value>, more: Map<String, Value>) {
    for (key, value) in more {
        match (sum.get_mut(&key), value) {
            (Some(Value::Array(sum)), Value::Array(more)) => add_lists(sum, more),
            (Some(Value::Object(sum)), Value::Object(more)) => add(sum, more),
            (Some(Value::Number(sum)), Value::Number(more)) => *sum = added(sum, &more),
            (Some(sum), value) => *sum = value,
            (None, value) => drop(sum.insert(key, value)),
        }
    }
}

/// Adds lists of counts, as Gemini tells them by modality.
fn add_lists(sum: &mut Vec<Value>, more: Vec<Value>) {
    const NAME: &str = "modality";
    let are_named = |all: &[Value]| all.iter().all(|one| one[NAME].is_string());
    if !are_named(sum) || !are_named(&more) {
        *sum = more;
        return;
    }
    for one in more {
        let same = sum.iter_mut().find(|own| own[NAME] == one[NAME]);
        match (same, one) {
            (Some(Value::Object(own)), Value::Object(one)) => add(own, one),
            (_, one) => sum.push(one),
        }
    }
}

fn added(sum: &Number, more: &Number) -> Number {
    match (sum.as_u64(), more.as_u64()) {
        (Some(sum), Some(more)) => sum.saturating_add(more).into(),
        _ => {
            let both = sum.as_f64().unwrap_or_default() + more.as_f64().unwrap_or_default();
            Number::from_f64(both).unwrap_or_else(|| more.clone())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Usages;

    #[test]
    fn counts_add_up_at_any_depth() {
        let mut usages = Usages::default();
        usages.tell(r#"{"input_tokens":3,"output_tokens":1,"cache_creation":{"a":2},"tier":"x"}"#);
        usages.tell(r#"{"output_tokens":7,"input_tokens":0}"#);
        usages.next();
        usages.tell(
            r#"{"input_tokens":5,"output_tokens":2,"cache_creation":{"a":1,"b":4},"cost":0.5}"#,
        );
        let sum = String::from_utf8(usages.sum()).unwrap();
        let expected = r#"{"input_tokens":8,"output_tokens":9,"cache_creation":{"a":3,"b":4},"tier":"x","cost":0.5}"#;
        assert_eq!(sum, expected);
    }

    #[test]
    fn lists_of_counts_add_up_by_modality() {
        let mut usages = Usages::default();
        usages.tell(r#"{"details":[{"modality":"TEXT","tokenCount":3}],"all":[1]}"#);
        usages.next();
        usages.tell(
            r#"{"details":[{"modality":"IMAGE","tokenCount":5},{"modality":"TEXT","tokenCount":4}],"all":[2]}"#,
        );
        let sum = String::from_utf8(usages.sum()).unwrap();
        let expected = r#"{"details":[{"modality":"TEXT","tokenCount":7},{"modality":"IMAGE","tokenCount":5}],"all":[2]}"#;
        assert_eq!(sum, expected);
    }
}
