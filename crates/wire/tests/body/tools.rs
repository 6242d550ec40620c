//! Schemas without what says nothing in them accept the same calls.

use foveal_wire::body::{Shortened, definitions, without};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Whether a schema accepts a value: the words of JSON Schema that generated schemas have.
fn accepts(schema: &Value, value: &Value) -> bool {
    let Value::Object(words) = schema else { return schema != &Value::Bool(false) };
    words.iter().all(|(word, says)| accepts_by(words, word, says, value))
}

fn accepts_by(words: &Map<String, Value>, word: &str, says: &Value, value: &Value) -> bool {
    let all =
        |each: &dyn Fn(&Value) -> bool| says.as_array().is_none_or(|all| all.iter().all(each));
    let any =
        |each: &dyn Fn(&Value) -> bool| says.as_array().is_none_or(|all| all.iter().any(each));
    let at_least = |count: usize| says.as_u64().is_none_or(|least| count as u64 >= least);
    match (word, value) {
        ("type", _) => match says.as_str() {
            Some("object") => value.is_object(),
            Some("array") => value.is_array(),
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64(),
            _ => true,
        },
        ("enum", _) => any(&|one| one == value),
        ("anyOf", _) => any(&|one| accepts(one, value)),
        ("allOf", _) => all(&|one| accepts(one, value)),
        ("not", _) => !accepts(says, value),
        ("required", Value::Object(own)) => {
            all(&|name| name.as_str().is_none_or(|name| own.contains_key(name)))
        }
        ("properties", Value::Object(own)) => {
            own.iter().all(|(name, value)| says.get(name).is_none_or(|it| accepts(it, value)))
        }
        ("additionalProperties", Value::Object(own)) => {
            let known = words.get("properties");
            let is_known = |name: &str| known.is_some_and(|known| known.get(name).is_some());
            own.iter().all(|(name, value)| is_known(name) || accepts(says, value))
        }
        ("items", Value::Array(own)) => own.iter().all(|value| accepts(says, value)),
        ("minItems", Value::Array(own)) => at_least(own.len()),
        ("minProperties", Value::Object(own)) => at_least(own.len()),
        ("minLength", Value::String(own)) => at_least(own.chars().count()),
        ("uniqueItems", Value::Array(own)) => {
            let twice = (1..own.len()).any(|at| own[..at].contains(&own[at]));
            says != &Value::Bool(true) || !twice
        }
        _ => true,
    }
}

const NAMES: [&str; 6] = ["title", "default", "file_path", "properties", "$schema", "minItems"];

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(str::to_owned)
}

/// Any value that a call may have.
fn value() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        (-1..3i64).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..4).prop_map(|all| all.into_iter().collect()),
        ]
    })
    .boxed()
}

/// A member of a schema: a word that constrains, one that says nothing, or one that only looks so.
fn member(inner: BoxedStrategy<Value>) -> impl Strategy<Value = (String, Value)> {
    let map = prop::collection::vec((name(), inner.clone()), 0..4)
        .prop_map(|all| all.into_iter().collect::<Map<_, _>>());
    let list = prop::collection::vec(inner.clone(), 1..3).prop_map(Value::from);
    let plain = prop::sample::select(vec![
        json!({"type": "object"}),
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"additionalProperties": false}),
        json!({"minItems": 0}),
        json!({"minItems": 1}),
        json!({"minLength": 0}),
        json!({"minLength": 1}),
        json!({"minProperties": 0}),
        json!({"uniqueItems": false}),
        json!({"uniqueItems": true}),
        json!({"default": null}),
        json!({"default": 0}),
        json!({"title": "File Path"}),
        json!({"title": "title"}),
        json!({"examples": []}),
        json!({"description": ""}),
        json!({"deprecated": false}),
        json!({"$comment": "x"}),
        json!({"$id": "x"}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#"}),
        json!({"required": ["title"]}),
        json!({"required": []}),
        json!({"enum": [{"default": null}, 0, "a", ["a"]]}),
    ]);
    let plain = plain.prop_map(|one| match one {
        Value::Object(one) => one.into_iter().next().expect("one member"),
        other => panic!("{other}"),
    });
    prop_oneof![
        6 => plain,
        3 => map.prop_map(|map| ("properties".to_owned(), Value::Object(map))),
        1 => inner.clone().prop_map(|one| ("additionalProperties".to_owned(), one)),
        1 => inner.clone().prop_map(|one| ("items".to_owned(), one)),
        1 => inner.prop_map(|one| ("not".to_owned(), one)),
        1 => (prop_oneof![Just("anyOf"), Just("allOf")], list)
            .prop_map(|(word, list)| (word.to_owned(), list)),
    ]
}

fn schema() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![Just(json!({})), Just(json!(true)), Just(json!({"type": "string"}))];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop::collection::vec(member(inner.boxed()), 0..6).prop_map(|all| all.into_iter().collect())
    })
    .boxed()
}

proptest! {
    #[test]
    fn the_same_calls_are_accepted(
        schema in schema(),
        values in prop::collection::vec(value(), 1..12),
        pretty in any::<bool>(),
        how in prop_oneof![Just(Shortened::Noise), Just(Shortened::Texts)],
    ) {
        let tools = json!([{"name": "t", "input_schema": schema}]);
        let text = if pretty { format!("{tools:#}") } else { tools.to_string() };
        let bytes = text.as_bytes();
        let found = definitions(bytes, &(0..bytes.len())).expect("JSON");
        let left_out = found[0].shortened(bytes, how, &|_| false).expect("JSON");
        let left: Value = serde_json::from_slice(&without(bytes, &left_out)).expect("still JSON");
        for value in &values {
            let (before, after) = (accepts(&schema, value), accepts(&left[0]["input_schema"], value));
            prop_assert_eq!(before, after, "{} of {} and {}", value, schema, left);
        }
    }
}
