//! Files that move to the system prompt when contents are reset.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::placement::base_files::{BaseFile, BaseFileLoader};
use foveal_engine::planner::Planner;
use foveal_engine::policies::Policy;
use foveal_engine::policies::content_reset::ResetMarks;
use foveal_engine::settings::Settings;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_testkit::{laws, parse_fixture};

const PRELUDE: Tokens = Tokens(4_000);

/// A folder whose files are all alike, and none of which stands in the system prompt at first.
#[derive(Debug)]
struct Folder {
    content: String,
}

impl BaseFileLoader for Folder {
    fn initial_files(&self) -> &[BaseFile] {
        &[]
    }

    fn current_content(&self, _path: &str) -> Option<String> {
        Some(self.content.clone())
    }

    fn is_storable(&self, _content: &str) -> bool {
        true
    }

    fn replace_base_files(&self, system: &str, _files: &[BaseFile]) -> String {
        system.to_owned()
    }
}

/// The system prompt is the beginning of what the provider keeps: all of it is written again.
#[test]
fn what_is_placed_is_paid_for() {
    let content: String = (0..120).map(|at| format!("const VALUE_{at}: u32 = {at};\n")).collect();
    let read = |path: &str| {
        format!("//- assistant\n//- call Read {{\"file_path\":\"{path}\"}}\n//- result\n{content}")
    };
    let reads = ["a.rs", "b.rs", "a.rs", "b.rs"].map(read).concat();
    let text = format!("//- user\ngo\n{reads}//- assistant\nso\n//- user\nand\n");
    let record = ConversationRecord::from_conversation(parse_fixture(&text), Tokenizer::O200k);
    let of_file = Tokenizer::O200k.count(&content);
    let high = Tokens(PRELUDE.0 + of_file.0 * 4);
    let marks = ResetMarks { high, low: Tokens(PRELUDE.0 + of_file.0 * 2) };
    let prices = PriceCard::anthropic_5m();
    let mut planner = Planner::new(Settings::lossless(), prices.clone())
        .with_policy(Policy::ContentReset(marks))
        .with_base_file_loader(Arc::new(Folder { content }));
    planner.set_prelude(PRELUDE);
    let mut placed = 0;
    for (request, answer) in laws::answers_to_plan(&record).into_iter().enumerate() {
        let before = planner.entry_costs().prelude();
        let step = planner.advance(&record, answer, None);
        let cost = (planner.entry_costs().prelude() - before) * 1e6;
        let is_written = request == 0 || step.base.is_some();
        let price = if is_written { prices.cache_write } else { prices.cache_read };
        let front = planner.prelude_with_base_files();
        assert!((cost - front.0 as f64 * price).abs() < 0.01, "{request}: {cost} for {front:?}");
        assert_eq!(front > PRELUDE, placed > 0 || step.base.is_some(), "{request}");
        placed += usize::from(step.base.is_some());
    }
    assert!(placed > 0, "no file moved");
}
