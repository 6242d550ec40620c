//! The terminal user interface of foveal's own agent: the conversation, the message editor and a
//! map of the prompt.
//!
//! The crate is pure. Keys, agent events and the time come in as values ([`ChatInput`]), the
//! actions to perform go out as values ([`ChatAction`]), and [`draw_chat`] fills the cells of a
//! frame. The caller owns the terminal and the agent. The time to draw a frame depends on the
//! visible lines only, not on the length of the conversation.

mod chat;
mod command_output;
mod completion_popup;
mod editor;
mod indexing_status;
mod key_press;
mod permission_question;
mod prompt_map_view;
mod screen_layout;
mod session_status;
mod settings_list;
mod settings_view;
mod slash_command;
mod text_layout;
mod theme;
mod transcript_view;

pub use chat::{Chat, ChatAction, ChatInput, ChatSetup};
pub use completion_popup::CompletionCandidate;
pub use key_press::{KeyCode, KeyPress};
pub use permission_question::{PermissionAnswer, PermissionQuestion};
pub use screen_layout::draw_chat;
pub use settings_list::{EditableSetting, SettingInput, SettingOrigin, SettingsList};
pub use slash_command::SlashCommand;
pub use text_layout::diff_of_call;
pub use theme::ColourSupport;
pub use transcript_view::NoticeLevel;
