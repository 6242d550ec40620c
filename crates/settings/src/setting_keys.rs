//! The settings by name, as the schema of their type has them.

use std::sync::LazyLock;

use serde_json::Value;

use crate::schema::settings_schema;

/// The type of a setting's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingType {
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A text.
    Text,
    /// A number or a text.
    IntegerOrText,
    /// One of these texts.
    Choice(Vec<String>),
    /// A list of texts.
    TextList,
    /// Tables, which the user edits in the file itself.
    Tables,
}

impl SettingType {
    /// Returns the type of a value with this schema; `None` if it is a table of settings.
    fn from_schema(schema: &Value) -> Option<Self> {
        if let Some(values) = schema["enum"].as_array() {
            let texts = values.iter().filter_map(Value::as_str).map(str::to_owned);
            return Some(Self::Choice(texts.collect()));
        }
        Some(match schema["type"].as_str() {
            Some("boolean") => Self::Boolean,
            Some("integer") => Self::Integer,
            Some("string") => Self::Text,
            Some("array") if schema["items"]["type"] == "string" => Self::TextList,
            Some("array") => Self::Tables,
            Some("object") if placeholder(schema).is_some() => return None,
            Some("object") if schema["properties"].is_object() => return None,
            Some("object") => Self::Tables,
            _ => Self::IntegerOrText,
        })
    }
}

/// Returns the word in capitals for the names of a table that may have any.
fn placeholder(schema: &Value) -> Option<&str> {
    schema["propertyNames"]["title"].as_str()
}

/// The definition of a setting.
#[derive(Debug)]
pub struct SettingKey {
    /// The names of its tables and its own, joined by dots. A part in capitals matches any name.
    pub name: String,
    /// The type of its value.
    pub value_type: SettingType,
    /// The default as it would be written; `None` if there is none.
    pub default_value: Option<String>,
    /// The meaning in one sentence.
    pub description: String,
    /// The name of the setting that this is another name of.
    alias_of: Option<String>,
}

static SETTING_KEYS: LazyLock<Vec<SettingKey>> = LazyLock::new(|| {
    let mut keys = Vec::new();
    collect_keys("", settings_schema(), &mut keys);
    keys
});

/// Returns all settings, in the order of their type.
pub fn setting_keys() -> &'static [SettingKey] {
    &SETTING_KEYS
}

/// Collects the settings of a table.
fn collect_keys(prefix: &str, table: &Value, keys: &mut Vec<SettingKey>) {
    let named = table["properties"].as_object().into_iter().flatten();
    let named = named.map(|(name, schema)| (name.as_str(), schema));
    let any = placeholder(table).map(|name| (name, &table["additionalProperties"]));
    for (name, schema) in named.chain(any) {
        let name = format!("{prefix}{name}");
        let Some(value_type) = SettingType::from_schema(schema) else {
            collect_keys(&format!("{name}."), schema, keys);
            continue;
        };
        // The description of a table with any names is that of each value.
        let described = if placeholder(table).is_some() { table } else { schema };
        keys.push(SettingKey {
            name,
            value_type,
            default_value: schema.get("default").map(Value::to_string),
            description: described["description"].as_str().unwrap_or_default().to_owned(),
            alias_of: schema["x-alias-of"].as_str().map(str::to_owned),
        });
    }
}

impl SettingKey {
    /// Returns whether this is only another name of a setting.
    pub fn is_alias(&self) -> bool {
        self.alias_of.is_some()
    }

    /// Returns the setting under its leading name.
    pub fn leading(&'static self) -> &'static Self {
        self.alias_of.as_deref().and_then(find_setting).unwrap_or(self)
    }

    /// Returns the other name of this setting, if it has one.
    pub fn alias(&self) -> Option<&'static str> {
        let all = setting_keys().iter();
        let mut all = all.filter(|key| key.alias_of.as_ref() == Some(&self.name));
        all.next().map(|key| key.name.as_str())
    }

    /// Returns whether a full name belongs to this setting.
    fn matches_name(&self, name: &str) -> bool {
        let (mut own, mut given) = (self.name.split('.'), name.split('.'));
        loop {
            match (own.next(), given.next()) {
                (None, None) => return true,
                (Some(own), Some(given)) if own == given && !is_placeholder(own) => {}
                (Some(own), Some(given)) if is_placeholder(own) && !given.is_empty() => {}
                _ => return false,
            }
        }
    }

    /// Describes the accepted values.
    pub fn expected_value(&self) -> String {
        match &self.value_type {
            SettingType::Boolean => "true or false".to_owned(),
            SettingType::Integer => "a whole number".to_owned(),
            SettingType::Text => "a string".to_owned(),
            SettingType::IntegerOrText => "a number or a string".to_owned(),
            SettingType::Choice(texts) => texts.join(", "),
            SettingType::TextList => "a list of strings".to_owned(),
            SettingType::Tables => "tables".to_owned(),
        }
    }
}

/// Splits a full name into the names of the tables and the setting's own.
pub(crate) fn split_name(name: &str) -> (impl Iterator<Item = &str>, &str) {
    let (tables, last) = name.rsplit_once('.').unwrap_or(("", name));
    (tables.split('.').filter(|part| !part.is_empty()), last)
}

/// Returns whether a part of a name is a placeholder for any name.
pub fn is_placeholder(part: &str) -> bool {
    part.chars().all(|c| c.is_ascii_uppercase())
}

/// Finds the setting of this name.
pub fn find_setting(name: &str) -> Option<&'static SettingKey> {
    setting_keys().iter().find(|key| key.matches_name(name))
}

/// Returns the known name that is most similar to an unknown one, if it is similar enough.
pub fn nearest_name<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let like = known.map(|known| (strsim::jaro_winkler(name, known), known));
    let (likeness, nearest) = like.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness > SIMILARITY_MIN).then_some(nearest)
}

/// The smallest similarity of a suggestion: below it a suggestion misleads.
const SIMILARITY_MIN: f64 = 0.8;

#[cfg(test)]
mod tests;
