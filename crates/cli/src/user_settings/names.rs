//! The names that settings have, as the types that read them say.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use toml_edit::{Item, TableLike, Value};

use super::written::Written;
use super::{keys, removed};

/// One step into settings.
#[derive(Debug, Clone, Copy)]
enum Step<'a> {
    Name(&'a str),
    /// Into an element of a list.
    Element,
}

/// The names that the table of this name has, with dots between its parts, the empty one being all;
/// `None` where any name may stand, or none.
#[cfg(test)]
pub(super) fn names_in(table: &str) -> Option<&'static [&'static str]> {
    let steps: Vec<Step<'_>> =
        table.split('.').filter(|part| !part.is_empty()).map(Step::Name).collect();
    names_at(&steps)
}

fn names_at(steps: &[Step<'_>]) -> Option<&'static [&'static str]> {
    match Written::deserialize(Walk(steps)) {
        Err(Found(names)) => names,
        Ok(_) => None,
    }
}

/// Returns advice about the first name of a table that is none, if it stands where `is_there` says:
/// that it was removed, or which one may have been meant.
pub(super) fn advice(table: &dyn TableLike, is_there: &dyn Fn(usize) -> bool) -> Option<String> {
    let unknown = unknown(table, &mut Vec::new())?;
    let advice = removed::advice(&unknown.path).or_else(|| {
        let meant = keys::nearest(unknown.name, unknown.names.iter().copied())?;
        Some(format!("did you mean `{meant}`?"))
    })?;
    unknown.place.is_none_or(is_there).then_some(advice)
}

/// A name that is none.
struct UnknownName<'a> {
    name: &'a str,
    /// The names of the tables that it is in, and its own, with dots between them.
    path: String,
    /// The names that its table has.
    names: &'static [&'static str],
    /// The byte at which it stands.
    place: Option<usize>,
}

fn unknown<'a>(table: &'a dyn TableLike, steps: &mut Vec<Step<'a>>) -> Option<UnknownName<'a>> {
    let names = names_at(steps);
    for (name, item) in table.iter() {
        if let Some(names) = names.filter(|names| !names.contains(&name)) {
            let place = table.key(name).and_then(|key| key.span()).map(|span| span.start);
            let tables = steps.iter().filter_map(|step| match step {
                Step::Name(name) => Some(*name),
                Step::Element => None,
            });
            let path = tables.chain([name]).collect::<Vec<_>>().join(".");
            return Some(UnknownName { name, path, names, place });
        }
        steps.push(Step::Name(name));
        let found = unknown_within(item, steps);
        steps.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

fn unknown_within<'a>(item: &'a Item, steps: &mut Vec<Step<'a>>) -> Option<UnknownName<'a>> {
    if let Some(table) = item.as_table_like() {
        return unknown(table, steps);
    }
    let tables: Vec<&dyn TableLike> = match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(values)) => values
            .iter()
            .filter_map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
            .collect(),
        Item::None | Item::Value(_) | Item::Table(_) => return None,
    };
    steps.push(Step::Element);
    let found = tables.into_iter().find_map(|table| unknown(table, steps));
    steps.pop();
    found
}

/// Goes the steps into a type, and gives the names of what is there as an error.
struct Walk<'a>(&'a [Step<'a>]);

/// The names at the end of a walk, if it ends at a type with names.
#[derive(Debug, thiserror::Error)]
#[error("no settings are read")]
struct Found(Option<&'static [&'static str]>);

impl de::Error for Found {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

impl<'de> Deserializer<'de> for Walk<'_> {
    type Error = Found;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Found> {
        Err(Found(None))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Found> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Found> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Found> {
        if self.0.is_empty() { Err(Found(Some(names))) } else { visitor.visit_map(self) }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Found> {
        if self.0.is_empty() { Err(Found(None)) } else { visitor.visit_map(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Found> {
        if self.0.is_empty() { Err(Found(None)) } else { visitor.visit_seq(self) }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct enum identifier ignored_any
    }
}

/// A table with one name: the next step.
impl<'de> MapAccess<'de> for Walk<'_> {
    type Error = Found;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Found> {
        let Some(Step::Name(name)) = self.0.first() else { return Err(Found(None)) };
        let name: StrDeserializer<'_, Found> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Found> {
        seed.deserialize(Walk(self.0.get(1..).unwrap_or_default()))
    }
}

/// A list with one element.
impl<'de> SeqAccess<'de> for Walk<'_> {
    type Error = Found;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Found> {
        match self.0.split_first() {
            Some((Step::Element, rest)) => seed.deserialize(Walk(rest)).map(Some),
            _ => Err(Found(None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use toml_edit::Document;

    use super::*;

    #[test]
    fn types_say_which_names_they_have() {
        let has =
            |table: &str, name: &str| names_in(table).is_some_and(|names| names.contains(&name));
        assert!(has("", "curator_model") && has("read", "small_lines"));
        assert!(has("duplicates.tools.grep", "age_ms_max") && has("agent", "profile"));
        assert!(has("gateway", "upstreams"));
        for none in
            ["duplicates.tools", "gateway.upstreams", "curator", "no.such", "read.small_lines"]
        {
            assert_eq!(names_in(none), None, "{none}");
        }
    }

    #[test]
    fn a_wrong_name_is_guessed_wherever_it_stands() {
        for (text, expected) in [
            ("curator_modell = 'x'", Some("curator_model")),
            ("[reed]\nsmall_lines = 1", Some("read")),
            ("[duplicates.tools.grep]\ndetct = true", Some("detect")),
            ("[[permissions]]\ntool = 'x'\nverdct = 'deny'", Some("verdict")),
            ("permissions = [{ tol = 'x' }]", Some("tool")),
            ("[[read.for_files]]\nglob = '*'\nsmall_line = 3", Some("small_lines")),
            ("[file_read_thresholds]\n'*.md' = { smal = 4 }", Some("small")),
            ("[[gateway.rules]]\nmodle = 'x'", Some("model")),
            ("[gateway.upstreams]\nanything = 'x'", None),
            ("zzz = 1", None),
            ("keep_contents = 'x'", None),
        ] {
            let document = Document::parse(text).expect("TOML");
            let expected = expected.map(|name| format!("did you mean `{name}`?"));
            assert_eq!(advice(document.as_table(), &|_| true), expected, "{text}");
            // What stands elsewhere is not what an error is about.
            assert_eq!(advice(document.as_table(), &|at| at > text.len()), None, "{text}");
        }
    }
}
