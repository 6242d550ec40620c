use super::*;

/// What is left of the tools of a body.
fn shortened(body: &str, how: Shortened, quoted: &str) -> String {
    let bytes = body.as_bytes();
    let list = walk::members(bytes, &(0..bytes.len()), ["tools"]).unwrap()[0].clone().unwrap();
    let is_quoted = |text: &str| !quoted.is_empty() && text.contains(quoted);
    let mut all = Vec::new();
    for definition in definitions(bytes, &list).unwrap() {
        all.extend(definition.shortened(bytes, how, &is_quoted).unwrap());
    }
    String::from_utf8(without(bytes, &all)).unwrap()
}

const LONG: &str = "Reads a file of the project, e.g. a module or a test, and gives it back with the \
                    numbers of its lines. Give the path as it stands in the list of files, and the \
                    first line where the whole of it is not needed. What is longer than two \
                    thousand lines is given in parts: ask again with the line that is told at the \
                    end of the answer. Images are described in words.";

const CUT: &str = "Reads a file of the project, e.g. a module or a test, and gives it back with the \
                   numbers of its lines. Give the path as it stands in the list of files, and the \
                   first line where the whole of it is not needed. [151 characters left out]";

#[test]
fn noise_goes_and_nothing_else() {
    let schema = |inner: &str| format!(r#"{{"tools":[{{"name":"t","input_schema":{inner}}}]}}"#);
    let check = |before: &str, after: &str| {
        assert_eq!(shortened(&schema(before), Shortened::Noise, ""), schema(after), "{before}");
    };
    check(
        r#"{"type":"object","properties":{"file_path":{"title":"File Path","type":"string","default":null}},"additionalProperties":false,"$schema":"http://json-schema.org/draft-07/schema#"}"#,
        r#"{"type":"object","properties":{"file_path":{"type":"string"}},"additionalProperties":false}"#,
    );
    check(
        r#"{ "$schema" : "https://json-schema.org/draft/2020-12/schema" , "$id":"x", "type" : "object" }"#,
        r#"{ "type" : "object" }"#,
    );
    // Properties of these names are no noise, and neither are values.
    check(
        r#"{"properties":{"title":{"title":"title"},"default":{"enum":[{"default":null}]},"$schema":{"type":"string"}}}"#,
        r#"{"properties":{"title":{},"default":{"enum":[{"default":null}]},"$schema":{"type":"string"}}}"#,
    );
    check(
        r#"{"anyOf":[{"minLength":0,"items":{"minItems":0,"uniqueItems":false}},{"default":0}]}"#,
        r#"{"anyOf":[{"items":{}},{"default":0}]}"#,
    );
    // Another dialect may read what is left otherwise.
    for kept in [
        r#"{"$schema":"http://json-schema.org/draft-04/schema#","type":"object"}"#,
        r##"{"$schema":"http://json-schema.org/draft-07/schema#","items":{"$ref":"#/x"}}"##,
        r#"{"title":"Reads"}"#,
        r#"{"properties":{"a":{"title":"The first","default":null,"default":1}}}"#,
        r#"{"properties":{"a":{"default":{"default":null},"additionalProperties":true}}}"#,
    ] {
        check(kept, kept);
    }
    let strict = r#"{"tools":[{"type":"function","name":"t","strict":true,"parameters":{"properties":{"a":{"default":null}}}}]}"#;
    assert_eq!(shortened(strict, Shortened::Texts, ""), strict);
}

#[test]
fn the_first_sentences_of_long_texts_stay_in_each_api() {
    let check = |tools: &dyn Fn(&str) -> String| {
        let (before, after) = (tools(LONG), tools(CUT));
        assert_eq!(shortened(&before, Shortened::Texts, ""), after);
        assert_eq!(shortened(&before, Shortened::Noise, ""), before);
        // What the system prompt quotes stays.
        assert_eq!(shortened(&before, Shortened::Texts, "Images are"), before);
        // What is short stays as it is.
        assert_eq!(shortened(&after, Shortened::Texts, ""), after);
    };
    check(&|text| {
        format!(
            r#"{{"tools":[{{"name":"a","description":"{text}","cache_control":{{"type":"ephemeral"}}}}]}}"#
        )
    });
    check(&|text| {
        format!(
            r#"{{"tools":[{{"type":"custom","name":"a","input_schema":{{}},"description":"{text}"}}]}}"#
        )
    });
    check(&|text| {
        format!(
            r#"{{"tools":[{{"type":"function","function":{{"name":"a","description":"{text}"}}}}]}}"#
        )
    });
    check(&|text| {
        format!(r#"{{"tools":[{{"type":"function","name":"a","description":"{text}"}}]}}"#)
    });
    check(&|text| {
        format!(
            r#"{{"tools":[{{"functionDeclarations":[{{"name":"b"}},{{"name":"a","description":"{text}"}}]}}]}}"#
        )
    });
}

#[test]
fn tools_of_the_provider_and_those_loaded_on_demand_stay() {
    for tool in [
        r#"{"type":"web_search_20250305","name":"web_search","description":"LONG"}"#,
        r#"{"type":"custom","name":"apply_patch","description":"LONG","format":{"type":"grammar"}}"#,
        r#"{"name":"a","description":"LONG","defer_loading":true}"#,
        r#"{"type":"namespace","name":"a","tools":[{"name":"b","description":"LONG"}]}"#,
        r#"{"description":"LONG"}"#,
        r#""LONG""#,
    ] {
        let body = format!(r#"{{"tools":[{}]}}"#, tool.replace("LONG", LONG));
        assert_eq!(shortened(&body, Shortened::Texts, ""), body);
    }
}

#[test]
fn texts_of_parameters_are_cut_where_sentences_end() {
    let long = "The path.\\nIt is \\u00e9\\ud83d\\ude00 \\\"quoted\\\". ";
    let more = "And it goes on and on without an end in sight, ".repeat(4);
    let body = |text: &str| {
        format!(
            r#"{{"tools":[{{"name":"a","input_schema":{{"properties":{{"description":{{"description":"{text}"}}}}}}}}]}}"#
        )
    };
    let kept = "The path.\\nIt is \\u00e9\\ud83d\\ude00 \\\"quoted\\\".";
    let left = more.trim().len();
    assert_eq!(
        shortened(&body(&format!("{long}{more}")), Shortened::Texts, ""),
        body(&format!("{kept} [{left} characters left out]"))
    );
    // A sentence without an end stays.
    let endless = body(&more);
    assert_eq!(shortened(&endless, Shortened::Texts, ""), endless);
}

#[test]
fn parts_are_known_by_what_they_say() {
    let parts = |tools: &str| -> Vec<ContentHash> {
        let all = definitions(tools.as_bytes(), &(0..tools.len())).unwrap();
        let parts = all.iter().flat_map(|it| it.parts(tools.as_bytes()));
        parts.map(|part| part.key).collect()
    };
    let plain = parts(r#"[{"name":"a","description":"d","input_schema":{}}]"#);
    assert_eq!(plain.len(), 2);
    let marked = r#"[{"name":"a","description":"d","input_schema":{},"cache_control":{}}]"#;
    assert_eq!(plain, parts(marked));
    assert_ne!(plain, parts(r#"[{"name":"b","description":"d","input_schema":{}}]"#));
}
