use serde::Deserialize;

use super::*;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Mode {
    Auto,
    Full,
}

/// Not told.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Arguments {
    /// Where.
    path: String,
    title: Option<String>,
    start: Option<u32>,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default)]
    all: bool,
}

#[test]
fn schemas_say_what_is_needed_and_no_more() {
    let expected = serde_json::json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "title": {"type": "string"},
            "start": {"type": "integer"},
            "mode": {"type": "string", "enum": ["auto", "full"]},
            "all": {"type": "boolean"},
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    assert_eq!(schema_of::<Arguments>(), expected);
}
