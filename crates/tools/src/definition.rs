//! What a tool is: a row of the table, and what its arguments can say of a call.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::coercion::coerce;
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::Asks;
use crate::schema::{remove_nulls, schema_of};
use crate::session::Work;
use crate::spellings::rename;

/// One tool.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The name the model calls it by.
    pub name: &'static str,
    /// What a person is shown in the name's place.
    pub title: &'static str,
    /// What the model is told of it.
    pub description: &'static str,
    /// What a client may know of it without reading.
    pub hints: Hints,
    /// Whether it is one of the few that reading and changing a code base need.
    pub is_lean: bool,
    /// What answers a call that was made before.
    pub repeats: Repeats,
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

/// What answers a call that was made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repeats {
    /// The earlier answer, where what it rests on is unchanged.
    EarlierAnswer,
    /// The call is carried out; the shaper knows what stands above.
    Shaper,
    /// The same. A call that was answered with a pointer may be made again at once for the whole.
    ShaperThenWhole,
}

/// Arguments of one tool, and what it does with them.
pub(crate) trait ToolArguments: DeserializeOwned + schemars::JsonSchema + 'static {
    /// What a call with them asks permission for. It is asked before anything is done, also
    /// before an earlier answer is given again.
    fn asks(&self) -> Asks<'_>;

    /// Does the work. Files that a search comes across, and files by other names than those of
    /// [`ToolArguments::asks`], are asked about as they are met.
    ///
    /// # Errors
    /// In words that the model reads.
    fn run(self, work: &Work<'_>) -> Result<Findings, ToolError>;

    /// What the model wants to know, where it says so.
    fn question(&self) -> Option<&str> {
        None
    }

    /// Whether the call names no folder, so that it is about the one in which commands run.
    fn is_about_working_directory(&self) -> bool {
        false
    }

    /// The lines of a file that the call asks for, where it names them.
    fn lines(&self) -> Option<NamedLines<'_>> {
        None
    }

    /// Lines around each hit that the call asks for.
    fn context_lines(&self) -> u64 {
        0
    }
}

/// Lines of a file that a call names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamedLines<'a> {
    /// The file.
    pub(crate) path: &'a str,
    /// The first line, from 1.
    pub(crate) start: u32,
    /// The last.
    pub(crate) end: u32,
}

impl Tool {
    /// The tool whose arguments are `A`.
    pub(crate) const fn of<A: ToolArguments>(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        hints: Hints,
    ) -> Self {
        let (schema, parse) = (schema_of::<A>, parse::<A>);
        let (is_lean, repeats) = (false, Repeats::EarlierAnswer);
        Self { name, title, description, hints, is_lean, repeats, schema, parse }
    }

    /// The same as one of the few tools that every reader of code needs.
    #[must_use]
    pub(crate) const fn lean(self) -> Self {
        Self { is_lean: true, ..self }
    }

    /// The same with another answer to repeated calls.
    #[must_use]
    pub(crate) const fn repeated(self, repeats: Repeats) -> Self {
        Self { repeats, ..self }
    }

    /// The JSON schema of its arguments.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// The call with these arguments, not yet made.
    pub(crate) fn parse(&self, arguments: Value) -> Parsed {
        (self.parse)(self.name, arguments)
    }

    /// Arguments as the schema names them: without those that are `null`, which say no more than
    /// if they were left away, with the tool's own names in the place of other tools', and with
    /// values of the types that the schema wants, where it is clear which are meant.
    pub fn spelled(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        // What stood in a string has names and values of its own.
        for _ in 0..2 {
            remove_nulls(&mut arguments, || self.schema());
            rename(&mut arguments, || self.schema());
            coerce(&mut arguments, || self.schema());
        }
        arguments
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A call, or what is wrong with its arguments.
type Parsed = Result<Box<dyn Call>, ToolError>;

/// A call that was parsed: [`ToolArguments`] of some tool.
pub(crate) trait Call {
    fn asks(&self) -> Asks<'_>;
    fn question(&self) -> Option<&str>;
    fn is_about_working_directory(&self) -> bool;
    fn lines(&self) -> Option<NamedLines<'_>>;
    fn context_lines(&self) -> u64;
    fn run(self: Box<Self>, work: &Work<'_>) -> Result<Findings, ToolError>;
}

impl<A: ToolArguments> Call for A {
    fn asks(&self) -> Asks<'_> {
        ToolArguments::asks(self)
    }

    fn question(&self) -> Option<&str> {
        ToolArguments::question(self).filter(|question| !question.trim().is_empty())
    }

    fn is_about_working_directory(&self) -> bool {
        ToolArguments::is_about_working_directory(self)
    }

    fn lines(&self) -> Option<NamedLines<'_>> {
        ToolArguments::lines(self)
    }

    fn context_lines(&self) -> u64 {
        ToolArguments::context_lines(self)
    }

    fn run(self: Box<Self>, work: &Work<'_>) -> Result<Findings, ToolError> {
        ToolArguments::run(*self, work)
    }
}

fn parse<A: ToolArguments>(tool: &'static str, arguments: Value) -> Parsed {
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
