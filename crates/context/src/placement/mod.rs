//! Placement: what stands where in a prompt, so that the provider's cache holds.
//!
//! Project knowledge and pinned files stand in the system prompt ([`base_files`]), all other
//! files only in tool results ([`read_files`]). At the budget's high mark contents leave the
//! results and the important files move to the base ([`reset`]). [`breakpoints`] says where
//! the provider is asked to cache.

pub mod base_files;
pub mod breakpoints;
pub mod read_files;
pub mod reset;

#[cfg(test)]
pub(crate) mod tests {
    use foveal_transcript::{Block, Call, Conversation, Entry, Mark, Role, Source, ToolResult};

    /// A conversation of one `read_files` call and one result for each of `results`.
    pub(crate) fn conversation(results: &[&str]) -> Conversation {
        let entry = |role, block| Entry {
            source: Source { step: 1, result: None },
            role,
            time: None,
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![block],
        };
        let mut conversation = Conversation::default();
        for (index, content) in results.iter().enumerate() {
            let id = format!("call{index}");
            conversation.push(entry(
                Role::Assistant,
                Block::Call(Call {
                    id: id.clone(),
                    name: "read_files".to_owned(),
                    arguments: serde_json::json!({}),
                }),
            ));
            conversation.push(entry(
                Role::Tool,
                Block::Result(ToolResult {
                    call: id,
                    content: (*content).to_owned(),
                    is_error: false,
                }),
            ));
        }
        conversation
    }
}
