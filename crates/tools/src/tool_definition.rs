//! The definition of a tool: a row of the tool table, and the traits of its arguments.

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::argument_aliases::rename_aliases;
use crate::argument_coercion::coerce_arguments;
use crate::error::ToolError;
use crate::findings::Findings;
use crate::permission::PermissionRequest;
use crate::schema::{remove_nulls, schema_of};
use crate::session::CallContext;

/// The definition of one tool.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The name by which the model calls the tool.
    pub name: &'static str,
    /// The name that the client shows to the user.
    pub title: &'static str,
    /// The description for the model.
    pub description: &'static str,
    /// The annotations for the client.
    pub hints: ToolHints,
    /// Whether it belongs to the small set that reading and changing a code base needs.
    pub is_lean: bool,
    /// The treatment of repeated calls.
    pub repeat_policy: RepeatPolicy,
    schema: fn() -> Value,
    parse: fn(&'static str, Value) -> ParsedCallResult,
}

/// The annotations of a tool, as in the Model Context Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolHints {
    /// Changes nothing.
    pub read_only: bool,
    /// May destroy something.
    pub destructive: bool,
    /// A second call with the same arguments has no further effect.
    pub idempotent: bool,
    /// Reaches beyond this machine.
    pub open_world: bool,
}

impl ToolHints {
    /// Hints of a tool that only reads.
    pub const READ_ONLY: Self =
        Self { read_only: true, destructive: false, idempotent: true, open_world: false };
    /// Hints of a tool that changes files; each change can be undone.
    pub const EDITS_FILES: Self =
        Self { read_only: false, destructive: true, idempotent: false, open_world: false };
    /// Hints of a tool that may have any effect.
    pub const RUNS_COMMANDS: Self =
        Self { read_only: false, destructive: true, idempotent: false, open_world: true };
    /// Hints of a tool that changes the state of the session, and nothing else.
    pub const CHANGES_SESSION: Self =
        Self { read_only: false, destructive: false, idempotent: true, open_world: false };
}

/// The treatment of a call that repeats an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatPolicy {
    /// The earlier answer is reused if everything it depends on is unchanged.
    EarlierAnswer,
    /// The call is executed, and the shaper points at content that is still visible.
    Shaper,
    /// As [`Self::Shaper`], but an immediate repeat of a call that was answered with a pointer
    /// returns the whole content.
    ShaperThenWhole,
}

/// The arguments of one tool, and its work with them.
pub(crate) trait ToolArguments: DeserializeOwned + schemars::JsonSchema + 'static {
    /// Returns the permission that a call with these arguments needs. It is checked before anything
    /// is done, also before an earlier answer is reused.
    fn permission_request(&self) -> PermissionRequest<'_>;

    /// Executes the call. Files that a search finds, and files that
    /// [`ToolArguments::permission_request`] does not name, are checked as they are met.
    ///
    /// # Errors
    /// Returns an error with a text for the model.
    fn run(self, work: &CallContext<'_>) -> Result<Findings, ToolError>;

    /// Returns the question that the model wants answered, if it gives one.
    fn question(&self) -> Option<&str> {
        None
    }

    /// Returns whether the call names no folder and so refers to the working directory of commands.
    fn is_about_working_directory(&self) -> bool {
        false
    }

    /// Returns the lines of a file that the call names, if it does.
    fn named_lines(&self) -> Option<FileLineRange<'_>> {
        None
    }

    /// Returns the number of context lines around each hit that the call asks for.
    fn context_lines(&self) -> u64 {
        0
    }
}

/// Lines of a file that a call names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileLineRange<'a> {
    /// The file.
    pub(crate) path: &'a str,
    /// The first line, from 1.
    pub(crate) start: u32,
    /// The last line.
    pub(crate) end: u32,
}

impl Tool {
    /// Creates the tool with arguments of type `A`.
    pub(crate) const fn new<A: ToolArguments>(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        hints: ToolHints,
    ) -> Self {
        let (schema, parse) = (schema_of::<A>, parse_arguments::<A>);
        let (is_lean, repeat_policy) = (false, RepeatPolicy::EarlierAnswer);
        Self { name, title, description, hints, is_lean, repeat_policy, schema, parse }
    }

    /// Returns the tool as a member of the small set that reading and changing a code base needs.
    #[must_use]
    pub(crate) const fn as_lean_tool(self) -> Self {
        Self { is_lean: true, ..self }
    }

    /// Returns the tool with another treatment of repeated calls.
    #[must_use]
    pub(crate) const fn with_repeat_policy(self, repeats: RepeatPolicy) -> Self {
        Self { repeat_policy: repeats, ..self }
    }

    /// Returns the JSON schema of the tool's arguments.
    pub fn schema(&self) -> Value {
        (self.schema)()
    }

    /// Parses arguments into a call that can be executed.
    pub(crate) fn parse(&self, arguments: Value) -> ParsedCallResult {
        (self.parse)(self.name, arguments)
    }

    /// Returns the arguments in the form of the schema: without `null` values, which mean the same
    /// as absent ones; with the tool's own names in place of other tools' names; and with values of
    /// the types that the schema demands, where the meaning is clear.
    pub fn normalize_arguments(&self, arguments: &Value) -> Value {
        let mut arguments = arguments.clone();
        // Values that were JSON in a string have names and values of their own, hence two passes.
        for _ in 0..2 {
            remove_nulls(&mut arguments, || self.schema());
            rename_aliases(&mut arguments, || self.schema());
            coerce_arguments(&mut arguments, || self.schema());
        }
        arguments
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tool").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A parsed call, or the error in its arguments.
type ParsedCallResult = Result<Box<dyn ParsedCall>, ToolError>;

/// A parsed call: the [`ToolArguments`] of some tool, without their type.
pub(crate) trait ParsedCall {
    fn permission_request(&self) -> PermissionRequest<'_>;
    fn question(&self) -> Option<&str>;
    fn is_about_working_directory(&self) -> bool;
    fn named_lines(&self) -> Option<FileLineRange<'_>>;
    fn context_lines(&self) -> u64;
    fn run(self: Box<Self>, work: &CallContext<'_>) -> Result<Findings, ToolError>;
}

impl<A: ToolArguments> ParsedCall for A {
    fn permission_request(&self) -> PermissionRequest<'_> {
        ToolArguments::permission_request(self)
    }

    fn question(&self) -> Option<&str> {
        ToolArguments::question(self).filter(|question| !question.trim().is_empty())
    }

    fn is_about_working_directory(&self) -> bool {
        ToolArguments::is_about_working_directory(self)
    }

    fn named_lines(&self) -> Option<FileLineRange<'_>> {
        ToolArguments::named_lines(self)
    }

    fn context_lines(&self) -> u64 {
        ToolArguments::context_lines(self)
    }

    fn run(self: Box<Self>, work: &CallContext<'_>) -> Result<Findings, ToolError> {
        ToolArguments::run(*self, work)
    }
}

fn parse_arguments<A: ToolArguments>(tool: &'static str, arguments: Value) -> ParsedCallResult {
    let arguments = match arguments {
        Value::Null => Value::Object(serde_json::Map::new()),
        object @ Value::Object(_) => object,
        // Serde would read an array as the field values in order.
        _ => {
            let what = "arguments are given as an object of names and values";
            return Err(ToolError::invalid_arguments(tool, what));
        }
    };
    let arguments: A = serde_json::from_value(arguments)
        .map_err(|error| ToolError::invalid_arguments(tool, error.to_string()))?;
    Ok(Box::new(arguments))
}
