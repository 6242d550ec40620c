//! Benchmarks of drawing a frame and handling a key in a long chat with a streaming answer.

use criterion::{Criterion, criterion_group, criterion_main};
use foveal_agent::AgentEvent;
use foveal_tui::{Chat, ChatInput, ChatSetup, KeyCode, KeyPress, draw_chat};
use ratatui_core::backend::TestBackend;
use ratatui_core::terminal::Terminal;
use serde_json::json;
use std::hint::black_box;

/// The number of messages in the chat.
const MESSAGES: usize = 10_000;

/// Streamed events during one frame: 500 events a second at 60 frames a second.
const EVENTS_A_FRAME: usize = 500 / 60 + 1;

/// Returns a chat with many messages, calls and diffs.
fn long() -> Chat {
    let mut chat = Chat::new(ChatSetup { model: "bench".to_owned(), ..ChatSetup::default() });
    let told = |chat: &mut Chat, told: AgentEvent| drop(chat.update(ChatInput::AgentEvent(told)));
    for at in 0..MESSAGES / 4 {
        let text = format!(
            "## Step {at}\n\nIt **reads** `src/a_{at}.rs`, and then some more words that are long \
             enough to need a second line on most screens.\n\n- one\n- two\n\n```rust\n\
             fn step_{at}(a: &str) -> u8 {{\n    \"text\".len() as u8 // why\n}}\n```\n"
        );
        told(&mut chat, AgentEvent::Reasoning { text: "I look first. ".repeat(40) });
        told(&mut chat, AgentEvent::Text { text });
        let id = format!("c{at}");
        let arguments = json!({"path": "a.rs", "old_str": "a\nb\nc\n", "new_str": "a\nx\nc\n"});
        let name = "edit_file".to_owned();
        told(&mut chat, AgentEvent::Call { id: id.clone(), name: name.clone(), arguments });
        let text = "a line of a result\n".repeat(50);
        told(&mut chat, AgentEvent::Result { id, name, cached: false, is_error: false, text });
        let sent = AgentEvent::Sent {
            number: at as u64,
            tokens_asked: 1_000,
            tokens_sent: 900,
            rewrite: None,
            inactive: None,
        };
        told(&mut chat, sent);
    }
    chat
}

fn screen() -> Terminal<TestBackend> {
    Terminal::new(TestBackend::new(200, 60)).expect("a screen in memory")
}

fn drawn(chat: &mut Chat, terminal: &mut Terminal<TestBackend>) {
    terminal.draw(|frame| draw_chat(black_box(chat), frame)).expect("a screen in memory");
}

fn frames(criterion: &mut Criterion) {
    let mut chat = long();
    let mut terminal = screen();
    criterion.bench_function("a frame at 10 000 messages", |bencher| {
        bencher.iter(|| drawn(&mut chat, &mut terminal));
    });
    criterion.bench_function("a page up and its frame at 10 000 messages", |bencher| {
        bencher.iter(|| {
            chat.update(ChatInput::Key(KeyPress::from_code(KeyCode::PageUp)));
            drawn(&mut chat, &mut terminal);
        });
    });
    criterion.bench_function("a resize and its frame at 10 000 messages", |bencher| {
        let mut wide = 80;
        bencher.iter(|| {
            wide = if wide == 80 { 50 } else { 80 };
            terminal.backend_mut().resize(wide, 24);
            drawn(&mut chat, &mut terminal);
        });
    });
}

fn keys(criterion: &mut Criterion) {
    let mut chat = long();
    let mut terminal = screen();
    criterion.bench_function("a key and its frame while 500 events a second stream", |bencher| {
        let mut at = 0_u64;
        bencher.iter(|| {
            for _ in 0..EVENTS_A_FRAME {
                at += 1;
                let text = if at.is_multiple_of(40) {
                    "\n\nNext ".to_owned()
                } else {
                    format!("word{at} ")
                };
                chat.update(ChatInput::AgentEvent(AgentEvent::Text { text }));
            }
            chat.update(ChatInput::Tick(at * 2));
            chat.update(ChatInput::Key(KeyPress::from_code(KeyCode::Char('a'))));
            chat.update(ChatInput::Key(KeyPress::from_code(KeyCode::Backspace)));
            drawn(&mut chat, &mut terminal);
        });
    });
}

criterion_group!(benches, frames, keys);
criterion_main!(benches);
