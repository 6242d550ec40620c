//! Pictures of a short piece of work.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use foveal_mock_provider::{MockProvider, ModelReply, ReplyCall, ReplyScript, Settings};
use serde_json::{Value, json};

use super::svg::svg;
use super::terminal::Terminal;

const ENTER: &str = "\r";
const SIZE: (u16, u16) = (84, 28);

const CODE: &str = "//! What a parcel costs.\n\npub const FREE_FROM: u32 = 50;\n\n\
    /// Postage in euros, by the price of what is sent.\npub fn postage(price: u32) -> u32 {\n    \
    if price > FREE_FROM { 0 } else { 5 }\n}\n";

/// Writes them into a folder.
pub(crate) fn write(program: &Path, folder: &Path) -> anyhow::Result<()> {
    // Its name is in the pictures.
    let home = tempfile::Builder::new().prefix("shop").rand_bytes(0).tempdir()?;
    let work = home.path();
    fs::create_dir_all(work.join("src"))?;
    fs::write(work.join("src/postage.rs"), CODE)?;
    let upstream = MockProvider::start(Settings::default()).context("no server")?;
    upstream.set_script(ReplyScript::by_turn(turns()));
    let mut chat = Terminal::chat(program, work, &upstream.url(), &[], SIZE)?;
    chat.shows("/help lists keys")?;
    chat.types("parcels of exactly 50 euros should be free too")?.types(ENTER)?;
    // The question takes keys a moment after it appears.
    chat.shows("\n  y once")?;
    picture(&chat, folder, "chat-question")?;
    chat.types("y")?.shows("at 50 euros and above")?;
    picture(&chat, folder, "chat")?;
    chat.types("/context")?.types(ENTER)?.shows("last billed")?;
    picture(&chat, folder, "chat-context")?;
    chat.types("\x1b")?.shows("✓ edit_file")?;
    chat.types("/config")?.types(ENTER)?.shows("Settings in")?;
    picture(&chat, folder, "chat-config")?;
    chat.types("\x1b")?.shows("✓ edit_file")?;
    chat.quits()
}

/// Writes a picture of the screen once all of it is there.
fn picture(chat: &Terminal, folder: &Path, name: &str) -> anyhow::Result<()> {
    std::thread::sleep(Duration::from_millis(500));
    Ok(fs::write(folder.join(format!("{name}.svg")), svg(&chat.cells()))?)
}

fn turns() -> [ModelReply; 3] {
    let call = |name: &str, arguments: Value| ReplyCall { name: name.to_owned(), arguments };
    let edit = json!({
        "path": "src/postage.rs",
        "old_str": "    if price > FREE_FROM { 0 } else { 5 }",
        "new_str": "    if price >= FREE_FROM { 0 } else { 5 }",
        "intent": "free from 50 euros on, not only above",
    });
    [
        ModelReply {
            calls: vec![call("read_file", json!({"path": "src/postage.rs"}))],
            thinking: "The limit is compared somewhere: I look for it first.".to_owned(),
            ..ModelReply::from_text("I look at how postage is computed.")
        },
        ModelReply {
            calls: vec![call("edit_file", edit)],
            ..ModelReply::from_text("It asks for *more* than 50.")
        },
        ModelReply::from_text(
            "Parcels are free **at 50 euros and above** now:\n\n```rust\nif price >= FREE_FROM { 0 } \
             else { 5 }\n```\n\n- `FREE_FROM` itself stays as it is.\n",
        ),
    ]
}
