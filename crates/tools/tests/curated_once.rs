//! A long file is curated no more often than it must: each time takes as long as the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use foveal_code::views::CuratedViews;
use foveal_context::room::Room;
use foveal_context::tokens::Tokens;
use foveal_context::views::{Read, View, Views, Wanted};
use foveal_tools::settings::ToolSettings;
use foveal_tools::{Control, Request, Session};
use serde_json::json;

use crate::world::{source, toolbox};

/// Counts how often it is asked for a view.
#[derive(Debug, Default)]
struct Counting(CuratedViews, AtomicU32);

impl Views for Counting {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.view(read, wanted)
    }
}

/// How often a file is curated for a first read with room for an answer of `bytes`, and how many
/// bytes the answer has.
fn curated(text: &str, bytes: usize) -> (u32, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.rs"), text).expect("a file");
    let curator = Arc::new(Counting::default());
    let mut toolbox = toolbox(folder.path().to_owned(), ToolSettings::default());
    toolbox.curate_by_model(Arc::clone(&curator) as Arc<dyn Views>, "counting".to_owned());
    let room = Room { tokens: Tokens(bytes as u64 / 3), bytes, lines: 1_900, is_json: false };
    let session = Session::new(&Arc::new(toolbox), "test").with_room(room);
    let read = Request::new("read_file", json!({"path": "a.rs"}));
    let answer = session.call(&read, &Control::NONE);
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
