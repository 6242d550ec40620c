//! What can be set, as whoever keeps it tells of it.

/// All settings, and the file that they are written into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// The file, as a person knows it.
    pub file: String,
    /// The settings, those of a group one after the other.
    pub all: Vec<Setting>,
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its name, with dots between its tables: what stands before the first dot is its group.
    pub name: String,
    /// What holds, in one line; `None`: nothing does.
    pub value: Option<String>,
    /// Where that comes from.
    pub origin: Origin,
    /// What holds where nothing is set.
    pub usual: Option<String>,
    /// How it is changed.
    pub takes: Takes,
    /// What its value may be, in words.
    pub expected: String,
    /// What it means.
    pub about: String,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nothing sets it.
    Default,
    /// The user's file.
    File,
    /// The file of the project, which the user trusts.
    Project,
    /// The variable of the environment of this name.
    Environment(String),
}

/// How a setting is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Takes {
    /// It is yes or no.
    YesNo,
    /// It is one of these.
    OneOf(Vec<String>),
    /// It is typed.
    Text,
    /// It cannot be changed here: what to do.
    Elsewhere(String),
}
