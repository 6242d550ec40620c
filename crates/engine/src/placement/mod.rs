//! Placement: the position of content in a prompt, chosen so that the provider's cache holds.
//!
//! Project knowledge and pinned files stand in the system prompt ([`base_files`]), all other files
//! only in tool results ([`read_files`]). At the budget's high mark contents leave the results and
//! the important files move to the base files ([`content_reset`]). [`breakpoints`] places the cache
//! breakpoints.

pub mod base_files;
pub mod breakpoints;
pub mod content_reset;
pub mod read_files;

#[cfg(test)]
pub(crate) mod tests {
    use foveal_transcript::{
        ContentBlock, Conversation, EntryMark, MessageRole, RecordingPosition, ToolCall,
        ToolResult, TranscriptEntry,
    };

    /// A conversation of one `read_files` call and one result for each of `results`.
    pub(crate) fn conversation(results: &[&str]) -> Conversation {
        let entry = |role, block| TranscriptEntry {
            source: RecordingPosition { step: 1, result: None },
            role,
            time: None,
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        };
        let mut conversation = Conversation::default();
        for (index, content) in results.iter().enumerate() {
            let id = format!("call{index}");
            conversation.push(entry(
                MessageRole::Assistant,
                ContentBlock::Call(ToolCall {
                    id: id.clone(),
                    name: "read_files".to_owned(),
                    arguments: serde_json::json!({}),
                }),
            ));
            conversation.push(entry(
                MessageRole::Tool,
                ContentBlock::Result(ToolResult {
                    call: id,
                    content: (*content).to_owned(),
                    is_error: false,
                }),
            ));
        }
        conversation
    }
}
