//! How answers are to be.

use foveal_transcript::{Block, Role};
use foveal_wire::prompt::{Dialect, Wish, encode, encode_wish};
use serde_json::{Value, json};

use super::generated::{entry, prompt};

#[test]
fn a_wish_is_added_and_changes_nothing_else() {
    let entries = [entry(Role::User, vec![Block::Text("Which lines?".to_owned())])];
    let prompt = prompt(&entries, &[]);
    let schema = json!({"type": "object"});
    let wish = Wish { temperature: 0.3, schema: Some(("lines", schema.clone())) };
    for dialect in Dialect::ALL {
        let read = |body: &[u8]| serde_json::from_slice::<Value>(body).expect("JSON");
        let plain = read(&encode(dialect, &prompt));
        let mut wished = read(&encode_wish(dialect, &prompt, &wish));
        let body = wished.as_object_mut().expect("an object");
        assert_eq!(body.shift_remove("temperature"), Some(json!(0.3)));
        let form = match dialect {
            Dialect::Messages => None,
            Dialect::Chat => Some((
                "response_format",
                json!({"type": "json_schema",
                "json_schema": {"name": "lines", "schema": schema, "strict": true}}),
            )),
            Dialect::Responses => Some((
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
