//! Options of answers.

use foveal_protocols::prompt::{AnswerOptions, ApiDialect, encode_prompt, encode_with_options};
use foveal_transcript::{ContentBlock, MessageRole};
use serde_json::{Value, json};

use super::entries::entry;
use super::generated::prompt;

#[test]
fn a_wish_is_added_and_changes_nothing_else() {
    let entries = [entry(MessageRole::User, vec![ContentBlock::Text("Which lines?".to_owned())])];
    let prompt = prompt(&entries, &[]);
    let schema = json!({"type": "object"});
    let wish = AnswerOptions { temperature: 0.3, schema: Some(("lines", schema.clone())) };
    for dialect in ApiDialect::ALL {
        let read = |body: &[u8]| serde_json::from_slice::<Value>(body).expect("JSON");
        let plain = read(&encode_prompt(dialect, &prompt));
        let mut wished = read(&encode_with_options(dialect, &prompt, &wish));
        let body = wished.as_object_mut().expect("an object");
        assert_eq!(body.shift_remove("temperature"), Some(json!(0.3)));
        let form = match dialect {
            ApiDialect::Messages => None,
            ApiDialect::Chat => Some((
                "response_format",
                json!({"type": "json_schema",
                "json_schema": {"name": "lines", "schema": schema, "strict": true}}),
            )),
            ApiDialect::Responses => Some((
                "text",
                json!({"format": {"type": "json_schema",
                "name": "lines", "schema": schema, "strict": true}}),
            )),
        };
        if let Some((name, form)) = form {
            assert_eq!(body.shift_remove(name), Some(form));
        }
        assert_eq!(wished, plain);
    }
}
