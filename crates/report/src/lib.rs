//! Renders the figures of a replay as one web page: takes data, returns a string.
//!
//! A [`MeasuredConversation`] holds the figures of one conversation under every profile, a
//! [`ReportBuilder`] sums them and keeps details of the most expensive ones only, and [`render`]
//! draws the [`ReportData`]. The page needs neither network nor scripts; a small script adds
//! tooltips.

mod axis;
mod builder;
mod chart;
mod conversation_label;
mod data;
mod frame;
mod markup;
mod number;
mod page;
mod sampler;
mod tables;

pub use builder::{MeasuredConversation, ReportBuilder};
pub use conversation_label::ConversationLabel;
pub use data::{
    CompositionSample, ConversationDetail, FileTokens, PromptComposition, PromptContentKind,
    ReportConversation, ReportData, ReportLimits, ReportProfile, ReportTotals, RequestPoint,
    TokensByKind,
};
pub use page::render;
pub use sampler::CompositionSampler;
