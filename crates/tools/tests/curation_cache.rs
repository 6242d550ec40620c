//! A long file is curated no more often than it must: each time takes as long as the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use foveal_engine::output_budget::OutputBudget;
use foveal_engine::views::{LineSelection, ReadContext, ViewRequest, ViewSource};
use foveal_pricing::tokens::Tokens;
use foveal_relevance::curated_view_source::CuratedViewSource;
use foveal_tools::settings::ToolSettings;
use foveal_tools::{CallControl, ToolRequest, ToolSession};
use serde_json::json;

use crate::world::{source, toolbox};

/// Counts how often it is asked for a view.
#[derive(Debug, Default)]
struct Counting(CuratedViewSource, AtomicU32);

impl ViewSource for Counting {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.choose_view(read, wanted)
    }
}

/// How often a file is curated for a first read with room for an answer of `bytes`, and how many
/// bytes the answer has.
fn curated(text: &str, bytes: usize) -> (u32, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.rs"), text).expect("a file");
    let curator = Arc::new(Counting::default());
    let mut toolbox = toolbox(folder.path().to_owned(), ToolSettings::default());
    toolbox.set_model_curator(Arc::clone(&curator) as Arc<dyn ViewSource>, "counting".to_owned());
    let room =
        OutputBudget { tokens: Tokens(bytes as u64 / 3), bytes, lines: 1_900, is_json: false };
    let session = ToolSession::new(&Arc::new(toolbox), "test").with_output_budget(room);
    let read = json!({"path": "a.rs", "question": "what does step 7 double?"});
    let read = ToolRequest::new("read_file", read);
    let answer = session.call(&read, &CallControl::NONE);
    assert!(!answer.is_error && answer.text.contains("(curated)"), "{}", answer.text);
    (curator.1.load(Ordering::Relaxed), answer.text.len())
}

#[test]
fn a_file_longer_than_any_answer_is_curated_once() {
    let text = source(5_000);
    assert!(text.len() > 400_000);
    for bytes in [12_000, 24_000] {
        let (times, shown) = curated(&text, bytes);
        assert_eq!(times, 1, "for {bytes} bytes");
        // It fills most of its room all the same.
        assert!(shown > bytes / 2, "{shown} of {bytes} bytes");
    }
}
