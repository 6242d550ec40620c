//! Extraction of a few fields of a JSON object without building the rest of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A field's value as raw JSON.
pub(crate) type RawField<'a> = Option<&'a RawValue>;

/// Returns the values of `keys` in the object `json`; `None` unless it is one complete object. If a
/// key occurs twice, the last one counts. A value `null` counts as absent. The stack does not grow
/// with the nesting depth of other values.
pub(crate) fn extract_fields<'a, const N: usize>(
    json: &'a [u8],
    keys: [&str; N],
) -> Option<[RawField<'a>; N]> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let picked = FieldExtractor(keys).deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(picked.map(|field| field.filter(|value| value.get() != "null")))
}

/// Returns the text of a field that is a non-empty JSON string.
pub(crate) fn field_text(field: RawField<'_>) -> Option<Cow<'_, str>> {
    struct StringVisitor;
    impl<'de> Visitor<'de> for StringVisitor {
        type Value = Cow<'de, str>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Cow::Borrowed(text))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Cow::Owned(text.to_owned()))
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(field?.get());
    deserializer.deserialize_str(StringVisitor).ok().filter(|text| !text.is_empty())
}

/// Returns the bytes of a field, to extract fields from it.
pub(crate) fn field_bytes(field: RawField<'_>) -> &[u8] {
    field.map_or(b"", |value| value.get().as_bytes())
}

/// Returns whether `json` may have a field `key`, given with its quotes, whose value is not null.
/// Searches bytes only, so that most events need no parsing. The same words inside of a JSON text
/// have escaped quotes and do not match.
pub(crate) fn may_have_field(json: &[u8], key: &[u8]) -> bool {
    memchr::memmem::find_iter(json, key).any(|at| {
        let after = json[at + key.len()..].trim_ascii_start();
        match after.split_first() {
            Some((b':', value)) => !value.trim_ascii_start().starts_with(b"null"),
            _ => false,
        }
    })
}

struct FieldExtractor<'k, const N: usize>([&'k str; N]);

impl<'de, const N: usize> DeserializeSeed<'de> for FieldExtractor<'_, N> {
    type Value = [RawField<'de>; N];

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, const N: usize> Visitor<'de> for FieldExtractor<'_, N> {
    type Value = [RawField<'de>; N];

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut picked = [None; N];
        while let Some(at) = map.next_key_seed(KeyLookup(&self.0))? {
            match at {
                Some(at) => picked[at] = Some(map.next_value::<&'de RawValue>()?),
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(picked)
    }
}

/// Returns the position of a key among the requested keys.
struct KeyLookup<'k>(&'k [&'k str]);

impl<'de> DeserializeSeed<'de> for KeyLookup<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyLookup<'_> {
    type Value = Option<usize>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.0.iter().position(|name| *name == key))
    }
}

/// Returns an integer, or 0 if there is none.
pub(crate) fn parse_number(field: RawField<'_>) -> u64 {
    field.and_then(|number| number.get().parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(json: &str) -> Option<Vec<String>> {
        let fields = extract_fields(json.as_bytes(), ["a", "b"])?;
        Some(fields.iter().map(|f| f.map_or_else(String::new, |v| v.get().to_owned())).collect())
    }

    #[test]
    fn fields_are_found_wherever_they_stand() {
        assert_eq!(
            picked(r#" {"b" : [1, 2.50], "x":{"a":9},"a":"t"} "#),
            Some(vec!["\"t\"".into(), "[1, 2.50]".into()])
        );
        assert_eq!(picked(r#"{"a":1,"a":2,"b":null}"#), Some(vec!["2".into(), String::new()]));
        assert_eq!(picked(r#"{"\u0061":1}"#), Some(vec!["1".into(), String::new()]));
        for broken in ["", "{", "[]", "{\"a\":1", "{\"a\":1}}", "{\"a\"}", "null", "{\"a\":1,}"] {
            assert_eq!(picked(broken), None, "{broken}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!(
            "{{\"x\":{}{},\"a\":{}{}}}",
            "[".repeat(1 << 20),
            "]".repeat(1 << 20),
            "[".repeat(1 << 20),
            "]".repeat(1 << 20)
        );
        assert_eq!(picked(&deep).expect("it is an object")[0].len(), 1 << 21);
    }

    #[test]
    fn a_field_is_told_unless_it_is_null_or_a_text() {
        let key = br#""usage""#;
        for (json, told) in [
            (r#"{"usage":{}}"#, true),
            (r#"{"usage" : 1}"#, true),
            (r#"{"usage": null}"#, false),
            (r#"{"usage":null,"x":{"usage":{}}}"#, true),
            (r#"{"text":"\"usage\":{}"}"#, false),
            (r#"{"x":"usage"}"#, false),
            (r#"{"x":1}"#, false),
        ] {
            assert_eq!(may_have_field(json.as_bytes(), key), told, "{json}");
        }
    }
}
