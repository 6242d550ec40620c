//! Layout of Markdown, code, diffs and tables as styled lines that fit a width.

mod code_lines;
mod diff_lines;
mod line_wrap;
mod markdown;
mod markdown_table;

pub(crate) use self::code_lines::highlight_code;
pub use self::diff_lines::diff_of_call;
pub(crate) use self::diff_lines::{count_changed_lines, render_diff};
pub(crate) use self::line_wrap::{
    WrapMode, display_width, printable_text, truncate_to_width, wrap_spans,
};
pub(crate) use self::markdown::render_markdown;
