//! All tools, in one table.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::Found;
use crate::error::ToolError;
use crate::permission::Asks;
use crate::schema::schema_of;
use crate::session::Work;
use crate::tool;

/// One tool.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The name the model calls it by.
    pub name: &'static str,
    /// What the model is told of it.
    pub description: &'static str,
    /// What a client may know of it without reading.
    pub hints: Hints,
    schema: fn() -> Value,
    parse: fn(&'static str, Value) -> Parsed,
}

/// What calls of a tool can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// Nothing is changed.
    pub read_only: bool,
    /// Something may be lost.
    pub destructive: bool,
    /// A second call like the first changes nothing more.
    pub idempotent: bool,
    /// It reaches beyond this machine.
    pub open_world: bool,
}

impl Hints {
    /// Looks and changes nothing.
    pub const LOOKS: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// Changes files, each change with an undo.
    pub const CHANGES: Self =
        Self { read_only: false, destructive: true, idempotent: false, open_world: false };
    /// May do anything.
    pub const RUNS: Self =
        Self { read_only: false, destructive: true, idempotent: false, open_world: true };
    /// Changes what the session remembers, and nothing else.
    pub const REMEMBERS: Self =
        Self { read_only: false, destructive: false, idempotent: true, open_world: false };
}

/// Arguments of one tool, and what it does with them.
pub trait Arguments: DeserializeOwned + schemars::JsonSchema + 'static {
    /// What a call with them asks permission for. It is asked before anything is done, also
    /// before an earlier answer is given again.
    fn asks(&self) -> Asks<'_>;

    /// Does the work. Files that a search comes across, and files by other names than those of
    /// [`Arguments::asks`], are asked about as they are met.
    ///
    /// # Errors
    /// In words that the model reads.
    fn run(self, work: &Work<'_>) -> Result<Found, ToolError>;
}

impl Tool {
    /// The tool whose arguments are `A`.
    pub const fn of<A: Arguments>(
        name: &'static str,
        description: &'static str,
        hints: Hints,
    ) -> Self {
        Self { name, description, hints, schema: schema_of::<A>, parse: parse::<A> }
    }

    /// The JSON schema of its arguments.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// The call with these arguments, not yet made.
    pub(crate) fn parse(&self, arguments: Value) -> Parsed {
        (self.parse)(self.name, arguments)
    }

    /// Arguments without those that are `null`, which say no more than if they were left away.
    pub(crate) fn without_nulls(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        if has_nulls(&arguments) {
            remove_nulls(&mut arguments, &self.schema());
        }
        arguments
    }
}

/// A call, or what is wrong with its arguments.
type Parsed = Result<Box<dyn Call>, ToolError>;

/// A call that can be asked about, and made.
pub(crate) trait Call {
    /// See [`Arguments::asks`].
    fn asks(&self) -> Asks<'_>;
    /// See [`Arguments::run`].
    fn run(self: Box<Self>, work: &Work<'_>) -> Result<Found, ToolError>;
}

impl<A: Arguments> Call for A {
    fn asks(&self) -> Asks<'_> {
        Arguments::asks(self)
    }

    fn run(self: Box<Self>, work: &Work<'_>) -> Result<Found, ToolError> {
        Arguments::run(*self, work)
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.values().any(|value| value.is_null() || has_nulls(value)),
        Value::Array(values) => values.iter().any(has_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Removes what is `null` of what the schema of the value names.
fn remove_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(object) => {
            let named = |name: &str| schema.get("properties").and_then(|all| all.get(name));
            // What is needed is then said to be missing.
            object.retain(|name, value| !value.is_null() || named(name).is_none());
            for (name, value) in object {
                remove_nulls(value, named(name).unwrap_or(&Value::Null));
            }
        }
        Value::Array(values) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            values.iter_mut().for_each(|value| remove_nulls(value, items));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn parse<A: Arguments>(tool: &'static str, arguments: Value) -> Parsed {
    let arguments = match arguments {
        Value::Null => Value::Object(serde_json::Map::new()),
        object @ Value::Object(_) => object,
        // A list would be taken for the values in the order of the fields.
        _ => {
            let what = "arguments are given as an object of names and values";
            return Err(ToolError::arguments(tool, what));
        }
    };
    let arguments: A = serde_json::from_value(arguments)
        .map_err(|error| ToolError::arguments(tool, error.to_string()))?;
    Ok(Box::new(arguments))
}

/// A choice of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ToolSet {
    /// The six that reading and changing a code base need; beside an agent's own tools.
    Lean,
    /// All.
    #[default]
    Full,
}

/// The names of [`ToolSet::Lean`].
const LEAN: [&str; 6] = ["read_file", "read_lines", "edit_file", "grep", "search_code", "expand"];

impl ToolSet {
    /// Its tools, in the table's order.
    pub fn tools(self) -> impl Iterator<Item = &'static Tool> {
        TOOLS.iter().filter(move |tool| self == Self::Full || LEAN.contains(&tool.name))
    }
}

/// All tools, in the order in which a model is told of them.
pub const TOOLS: &[Tool] = &[
    tool::read_file::TOOL,
    tool::read_lines::TOOL,
    tool::read_files::TOOL,
    tool::write_file::TOOL,
    tool::edit_file::TOOL,
    tool::multi_edit::TOOL,
    tool::grep::TOOL,
    tool::glob::TOOL,
    tool::list::TOOL,
    tool::outline::TOOL,
    tool::search_code::TOOL,
    tool::bash::TOOL,
    tool::terminal::EXEC,
    tool::terminal::WRITE_STDIN,
    tool::terminal::CLOSE,
    tool::terminal::TERMINALS,
    tool::web_fetch::TOOL,
    tool::expand::TOOL,
    tool::focus::FOCUS,
    tool::focus::UNFOCUS,
    tool::reset::TOOL,
];

/// The tool called `name`.
pub fn named(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}
