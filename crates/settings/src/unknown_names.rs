//! Advice about unknown names in settings.

use std::ops::Range;

use serde_json::Value;
use toml::de::{DeTable, DeValue};

use crate::{removed_settings, schema, setting_keys};

/// Returns advice about the name at a position if it is unknown: that the setting was removed, or a
/// similar name.
pub(crate) fn find_advice(table: &DeTable<'_>, span: &Range<usize>) -> Option<String> {
    let UnknownName { path, schema } = find_unknown_name(table, schema::settings_schema(), span)?;
    removed_settings::removal_advice(&path).or_else(|| {
        let name = path.rsplit('.').next().unwrap_or_default();
        let known = schema["properties"].as_object()?.keys().map(String::as_str);
        let meant = setting_keys::nearest_name(name, known)?;
        Some(format!("did you mean `{meant}`?"))
    })
}

/// An unknown name.
struct UnknownName {
    /// The names of its tables and its own, joined by dots.
    path: String,
    /// The schema of its table.
    schema: &'static Value,
}

fn find_unknown_name(
    table: &DeTable<'_>,
    schema: &'static Value,
    span: &Range<usize>,
) -> Option<UnknownName> {
    table.iter().find_map(|(key, value)| {
        let name: &str = key.get_ref();
        let Some(inner) = schema::property_schema(schema, name) else {
            return (key.span() == *span).then(|| UnknownName { path: name.to_owned(), schema });
        };
        let found = match value.get_ref() {
            DeValue::Table(table) => find_unknown_name(table, inner, span),
            DeValue::Array(elements) => elements
                .iter()
                .filter_map(|element| element.get_ref().as_table())
                .find_map(|table| find_unknown_name(table, &inner["items"], span)),
            _ => None,
        };
        found.map(|found| UnknownName { path: format!("{name}.{}", found.path), ..found })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_name_is_guessed_wherever_it_stands() {
        for (text, wrong, expected) in [
            ("curator_modell = 'x'", "curator_modell", Some("curator_model")),
            ("[reed]\nsmall_lines = 1", "reed", Some("read")),
            ("[duplicates.tools.grep]\ndetct = true", "detct", Some("detect")),
            ("[[permissions]]\ntool = 'x'\nverdct = 'deny'", "verdct", Some("verdict")),
            ("permissions = [{ tol = 'x' }]", "tol", Some("tool")),
            ("[[read.for_files]]\nglob = '*'\nsmall_line = 3", "small_line", Some("small_lines")),
            ("[file_read_thresholds]\n'*.md' = { smal = 4 }", "smal", Some("small")),
            ("[[gateway.rules]]\nmodle = 'x'", "modle", Some("model")),
            ("[gateway.upstreams]\nanything = 'x'", "anything", None),
            ("zzz = 1", "zzz", None),
            ("keep_contents = 'x'", "keep_contents", None),
        ] {
            let table = DeTable::parse(text).expect("TOML").into_inner();
            let start = text.find(wrong).expect("it is there");
            let expected = expected.map(|name| format!("did you mean `{name}`?"));
            assert_eq!(find_advice(&table, &(start..start + wrong.len())), expected, "{text}");
            // An error at another place is not about this name.
            assert_eq!(find_advice(&table, &(text.len()..text.len())), None, "{text}");
        }
    }
}
