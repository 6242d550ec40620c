//! Unknown names in settings. The types that parse the file define the known ones.

use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use toml_edit::{Item, TableLike, Value};

use super::config_file::ConfigFile;
use super::{removed_settings, setting_keys};

/// A step on the way to a nested setting.
#[derive(Debug, Clone, Copy)]
enum NameStep<'a> {
    Name(&'a str),
    /// The step into an element of a list.
    Element,
}

/// Returns the names in a table, which is given by its names joined by dots or empty for the root.
/// Returns `None` if the table takes any name or is no table.
#[cfg(test)]
pub(super) fn names_in_table(table: &str) -> Option<&'static [&'static str]> {
    let steps: Vec<NameStep<'_>> =
        table.split('.').filter(|part| !part.is_empty()).map(NameStep::Name).collect();
    names_at_path(&steps)
}

fn names_at_path(steps: &[NameStep<'_>]) -> Option<&'static [&'static str]> {
    match ConfigFile::deserialize(NameWalk(steps)) {
        Err(FieldNames(names)) => names,
        Ok(_) => None,
    }
}

/// Returns advice about the first unknown name of a table, if `is_there` holds for its offset: that
/// the setting was removed, or a similar name.
pub(super) fn unknown_name_advice(
    table: &dyn TableLike,
    is_there: &dyn Fn(usize) -> bool,
) -> Option<String> {
    let unknown = find_unknown_name(table, &mut Vec::new())?;
    let advice = removed_settings::removal_advice(&unknown.path).or_else(|| {
        let meant = setting_keys::nearest_name(unknown.name, unknown.names.iter().copied())?;
        Some(format!("did you mean `{meant}`?"))
    })?;
    unknown.offset.is_none_or(is_there).then_some(advice)
}

/// An unknown name.
struct UnknownName<'a> {
    name: &'a str,
    /// The names of its tables and its own, joined by dots.
    path: String,
    /// The known names of its table.
    names: &'static [&'static str],
    /// The offset of the name in bytes.
    offset: Option<usize>,
}

fn find_unknown_name<'a>(
    table: &'a dyn TableLike,
    steps: &mut Vec<NameStep<'a>>,
) -> Option<UnknownName<'a>> {
    let names = names_at_path(steps);
    for (name, item) in table.iter() {
        if let Some(names) = names.filter(|names| !names.contains(&name)) {
            let place = table.key(name).and_then(|key| key.span()).map(|span| span.start);
            let tables = steps.iter().filter_map(|step| match step {
                NameStep::Name(name) => Some(*name),
                NameStep::Element => None,
            });
            let path = tables.chain([name]).collect::<Vec<_>>().join(".");
            return Some(UnknownName { name, path, names, offset: place });
        }
        steps.push(NameStep::Name(name));
        let found = find_unknown_within(item, steps);
        steps.pop();
        if found.is_some() {
            return found;
        }
    }
    None
}

fn find_unknown_within<'a>(
    item: &'a Item,
    steps: &mut Vec<NameStep<'a>>,
) -> Option<UnknownName<'a>> {
    if let Some(table) = item.as_table_like() {
        return find_unknown_name(table, steps);
    }
    let tables: Vec<&dyn TableLike> = match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        Item::Value(Value::Array(values)) => values
            .iter()
            .filter_map(|value| value.as_inline_table().map(|table| table as &dyn TableLike))
            .collect(),
        Item::None | Item::Value(_) | Item::Table(_) => return None,
    };
    steps.push(NameStep::Element);
    let found = tables.into_iter().find_map(|table| find_unknown_name(table, steps));
    steps.pop();
    found
}

/// A deserializer that follows steps into a type and returns the names there as an error.
struct NameWalk<'a>(&'a [NameStep<'a>]);

/// The names at the end of the steps, if the type there has named fields.
#[derive(Debug, thiserror::Error)]
#[error("no settings are read")]
struct FieldNames(Option<&'static [&'static str]>);

impl de::Error for FieldNames {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self(None)
    }
}

impl<'de> Deserializer<'de> for NameWalk<'_> {
    type Error = FieldNames;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, FieldNames> {
        Err(FieldNames(None))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldNames> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, FieldNames> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, FieldNames> {
        if self.0.is_empty() { Err(FieldNames(Some(names))) } else { visitor.visit_map(self) }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldNames> {
        if self.0.is_empty() { Err(FieldNames(None)) } else { visitor.visit_map(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, FieldNames> {
        if self.0.is_empty() { Err(FieldNames(None)) } else { visitor.visit_seq(self) }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct enum identifier ignored_any
    }
}

/// A table whose only name is the next step.
impl<'de> MapAccess<'de> for NameWalk<'_> {
    type Error = FieldNames;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, FieldNames> {
        let Some(NameStep::Name(name)) = self.0.first() else { return Err(FieldNames(None)) };
        let name: StrDeserializer<'_, FieldNames> = name.into_deserializer();
        seed.deserialize(name).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<S::Value, FieldNames> {
        seed.deserialize(NameWalk(self.0.get(1..).unwrap_or_default()))
    }
}

/// A list with one element.
impl<'de> SeqAccess<'de> for NameWalk<'_> {
    type Error = FieldNames;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, FieldNames> {
        match self.0.split_first() {
            Some((NameStep::Element, rest)) => seed.deserialize(NameWalk(rest)).map(Some),
            _ => Err(FieldNames(None)),
        }
    }
}

#[cfg(test)]
mod tests {
    use toml_edit::Document;

    use super::*;

    #[test]
    fn types_say_which_names_they_have() {
        let has = |table: &str, name: &str| {
            names_in_table(table).is_some_and(|names| names.contains(&name))
        };
        assert!(has("", "curator_model") && has("read", "small_lines"));
        assert!(has("duplicates.tools.grep", "age_ms_max") && has("agent", "profile"));
        assert!(has("gateway", "upstreams"));
        for none in
            ["duplicates.tools", "gateway.upstreams", "curator", "no.such", "read.small_lines"]
        {
            assert_eq!(names_in_table(none), None, "{none}");
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
            assert_eq!(unknown_name_advice(document.as_table(), &|_| true), expected, "{text}");
            // An error on another line is not about this name.
            assert_eq!(
                unknown_name_advice(document.as_table(), &|at| at > text.len()),
                None,
                "{text}"
            );
        }
    }
}
