//! The tools of an agent: read, search, edit and run, with each answer shaped for the model that
//! asked.
//!
//! [`tool_table::TOOLS`] lists them; a [`ToolSession`] executes calls and tracks the
//! content that the model can see.

pub mod answer;
mod answer_budget;
mod argument_aliases;
mod argument_coercion;
pub mod call_control;
mod call_execution;
mod changed_files;
pub mod clock;
pub mod code_index;
pub mod duplicate_calls;
mod earlier_answers;
pub mod error;
pub mod explanation;
mod file_reading;
mod file_writing;
mod findings;
mod interrupted_writes;
pub mod model_progress;
mod notes;
pub mod permission;
mod progress_reporter;
mod read_limit_views;
pub mod read_view;
pub mod read_views;
mod schema;
pub mod session;
pub mod settings;
pub mod store_notice;
mod tool;
mod tool_definition;
mod tool_request;
pub mod tool_table;
pub mod toolbox;
mod unique_keys;
pub mod user_notifier;
mod workspace_relations;
mod write_protection;

pub use self::answer::{AnswerRow, ToolCallAnswer};
pub use self::call_control::CallControl;
pub use self::error::ToolError;
pub use self::file_writing::{EarlierContent, RewindState, RewindableFile};
pub use self::read_limit_views::ReadLimitViews;
pub use self::session::ToolSession;
pub use self::tool_definition::Tool;
pub use self::tool_request::ToolRequest;
pub use self::toolbox::Toolbox;
pub use self::unique_keys::UniqueKeys;
