//! Measures the replacement of a file:
//! `cargo run --release -p foveal-workspace --example replace_bench [FILES [BYTES]]`.

use std::fs;
use std::time::Instant;

use foveal_transcript::{CancelToken, ContentHash};
use foveal_workspace::{FileWriter, WorkspaceRoots};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>());
    let count = arguments.next().transpose()?.unwrap_or(2000);
    let size = arguments.next().transpose()?.unwrap_or(20_000);
    let folder = std::env::temp_dir().join(format!("foveal-replace-bench-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let roots = WorkspaceRoots::open(&[&folder])?;
    let mut bytes = vec![b'a'; size];
    fs::write(folder.join("file"), &bytes)?;
    let located = roots.resolve("file")?;
    let writer = FileWriter::default();
    let mut each = Vec::with_capacity(count);
    for turn in 0..count {
        let expected = ContentHash::from_content(&bytes);
        bytes[0] = b'a' + u8::try_from(turn % 26)?;
        let started = Instant::now();
        writer.compare_and_replace(&located, &expected, &bytes, &CancelToken::NEVER)?;
        each.push(started.elapsed());
    }
    each.sort_unstable();
    println!(
        "{count} times {size} bytes: p50 {:?}, p95 {:?}",
        each[count / 2],
        each[count * 19 / 20]
    );
    fs::remove_dir_all(&folder)?;
    Ok(())
}
