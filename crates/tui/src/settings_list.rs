//! Settings and their values, as the caller supplies them to the settings view.

/// All settings, and the file that stores them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SettingsList {
    /// The display name of the file.
    pub file: String,
    /// The settings, grouped.
    pub settings: Vec<EditableSetting>,
}

/// A setting with its value and description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditableSetting {
    /// The dotted name. The part before the first dot is the group.
    pub name: String,
    /// The value in force, in one line; `None` where there is none.
    pub value: Option<String>,
    /// The origin of the value.
    pub origin: SettingOrigin,
    /// The default value.
    pub default_value: Option<String>,
    /// The way in which the view changes the value.
    pub input: SettingInput,
    /// A description of the valid values.
    pub expected: String,
    /// A description of the setting.
    pub description: String,
}

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    /// The default; no source sets it.
    Default,
    /// The user's file.
    File,
    /// The file of the project, which the user trusted.
    Project,
    /// The environment variable of this name.
    Environment(String),
}

/// The way in which the settings view changes a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingInput {
    /// Toggles between true and false.
    Toggle,
    /// Steps through these values.
    Choice(Vec<String>),
    /// Edits the value as text.
    Text,
    /// The view cannot change it; the text tells the user how to.
    Unavailable(String),
}
