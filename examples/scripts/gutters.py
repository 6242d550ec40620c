"""A session with line gutters, edits by replacement, a pause and a compaction."""

from recording import ROOT

SRC = f"{ROOT}/crates/context/src"
TEST = "cargo test -p foveal-context handle"


def read(path, **window):
    return "Read", {"file_path": f"{SRC}/{path}", **window}


def edit(path, old, new):
    return "Edit", {"file_path": f"{SRC}/{path}", "old_string": old, "new_string": new}


def grep(pattern, path="crates", mode="content"):
    return "Grep", {"pattern": pattern, "path": f"{ROOT}/{path}", "output_mode": mode}


def bash(command, description):
    return "Bash", {"command": command, "description": description}


def play(session):
    handle_prefix(session)
    results_of_a_conversation(session)
    saved_bytes(session)


PREFIX_TEST = """    #[test]
    fn a_prefix_is_understood_once() {
        let handle = Handle::of(b"fn main() {}");
        assert_eq!(format!("foveal:{handle}").parse(), Ok(handle));
        assert!(format!("foveal:foveal:{handle}").parse::<Handle>().is_err());
        assert!("foveal:".parse::<Handle>().is_err());
    }

"""

CHECK = """        if text.len() != HANDLE_BYTES * 2 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(fail());
        }
"""

LOOP = "        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {\n"


def handle_prefix(session):
    session.user(
        "Models sometimes copy a handle as `foveal:1a2b3c4d5e6f`. Make `Handle` parse that too, "
        "with and without the prefix, and add a test."
    )
    session.agent(
        "I'll find where handles are parsed.",
        ("Glob", {"pattern": "crates/context/src/**/*.rs"}),
        grep(r"\bHandle\b"),
    )
    session.agent("", read("handle.rs"))
    session.agent(
        "Parsing is in `from_str`. Let me see who else relies on the text form.",
        read("shape.rs"),
        read("lib.rs"),
    )
    session.agent("", grep(r"FromStr|\.parse\(|parse::<"))
    session.agent(
        "`from_str` in `handle.rs` is the place. First the state of the tests.",
        bash(TEST, "Run the handle tests"),
        says="test result: ok",
    )
    session.agent(
        "I'll cut the prefix off before the check.",
        edit(
            "handle.rs",
            CHECK,
            '        let digits = text.trim_start_matches("foveal:");\n'
            + CHECK.replace("text.", "digits."),
        ),
    )
    session.agent(
        "Now the test.",
        edit("handle.rs", "    use super::*;\n\n", "    use super::*;\n\n" + PREFIX_TEST),
    )
    session.agent("", bash(TEST, "Run the handle tests"), fails=True, says="panicked")
    session.agent(
        "The prefixed form is refused. I'll look at the rest of `from_str`.",
        read("handle.rs", offset=44, limit=25),
    )
    session.agent(
        "The check uses `digits`, but the loop still walks over `text`.",
        edit("handle.rs", LOOP, LOOP.replace("text.", "digits.")),
    )
    session.agent("", bash(TEST, "Run the handle tests"), fails=True, says="panicked")
    session.agent(
        "Closer: `trim_start_matches` takes the prefix off as often as it stands there. "
        "`strip_prefix` takes it once.",
        edit(
            "handle.rs",
            'text.trim_start_matches("foveal:")',
            'text.strip_prefix("foveal:").unwrap_or(text)',
        ),
    )
    session.agent("", bash(TEST, "Run the handle tests"), says="a_prefix_is_understood_once ... ok")
    session.agent(
        "Green. The documentation of the type should say it.",
        read("handle.rs", offset=1, limit=40),
    )
    session.agent(
        "",
        edit(
            "handle.rs",
            "12 hex digits in text.\n",
            "12 hex digits in text;\n/// `foveal:` before them is understood.\n",
        ),
        bash("cargo build", "Build the program"),
        bash("git diff", "Show the changes"),
    )
    session.agent(
        "`Handle` parses with and without `foveal:`; a doubled prefix and a prefix alone are "
        "refused. The handle tests pass."
    )


RESULTS_ANCHOR = "    /// Indices of the model's responses."

RESULTS = """    /// The tool results with their indices, in order.
    pub fn results(&self) -> impl Iterator<Item = (EntryIndex, &ToolResult)> + '_ {
        (0u32..)
            .zip(&self.entries)
            .filter_map(|(index, entry)| Some((index, entry.result()?)))
    }

"""

RESULTS_TEST = """//! The results of a conversation.

use foveal_context::transcript::{
    Block, Conversation, Entry, EntryIndex, Mark, Role, Source, ToolResult,
};

fn entry(role: Role, block: Block) -> Entry {
    Entry {
        source: Source { step: 1, result: None },
        role,
        time: None,
        mark: Mark::None,
        model: None,
        usage: None,
        blocks: vec![block],
    }
}

#[test]
fn results_come_with_their_indices() {
    let result = ToolResult { call: "a".into(), content: "text".into(), is_error: false };
    let conversation = Conversation {
        entries: vec![
            entry(Role::User, Block::Text("question".into())),
            entry(Role::Tool, Block::Result(result.clone())),
        ],
        ..Conversation::default()
    };
    let found: Vec<_> = conversation.results().collect();
    assert_eq!(found, [(EntryIndex(1), &result)]);
}
"""

RESULTS_RUN = "cargo test -p foveal-context --test conversation_results"


def results_of_a_conversation(session):
    session.user(
        "Good. Next: I often write the loop over all tool results of a conversation by hand. Add "
        "`Conversation::results()` that yields the index and the result.",
        after_s=11 * 60,
    )
    session.agent("", read("transcript.rs"))
    session.agent(
        "`responses()` is the model to follow. Who loops over results today?",
        grep(r"\.result\(\)|Block::Result"),
        grep("EntryIndex", mode="files_with_matches"),
    )
    session.agent(
        "I'll put it before `responses()`.",
        edit("transcript.rs", RESULTS_ANCHOR, RESULTS + RESULTS_ANCHOR),
    )
    session.agent(
        "",
        (
            "Write",
            {
                "file_path": f"{ROOT}/crates/context/tests/conversation_results.rs",
                "content": RESULTS_TEST,
            },
        ),
    )
    session.agent("", bash(RESULTS_RUN, "Run the new test"), fails=True, says="error[E0")
    session.agent(
        "The index is a bare `u32` there; it has to be wrapped.",
        grep(r"pub struct EntryIndex|fn results|fn responses", "crates/context/src/transcript.rs"),
    )
    session.agent(
        "",
        edit(
            "transcript.rs",
            ".filter_map(|(index, entry)| Some((index, entry.result()?)))",
            ".filter_map(|(index, entry)| Some((EntryIndex(index), entry.result()?)))",
        ),
    )
    session.agent("", bash(RESULTS_RUN, "Run the new test"), says="1 passed")
    session.agent(
        "Passes. Let me check the whole crate, and the formatting.",
        bash("cargo test -p foveal-context", "Run all tests of the crate"),
        bash("cargo fmt --check", "Check the formatting"),
    )
    session.agent(
        "",
        bash("git diff --stat", "Show what changed"),
        read("transcript.rs", offset=225, limit=70),
    )
    session.agent("`Conversation::results()` is in place, with a test of its own in `tests/`.")


SAVED_ANCHOR = "    /// Bytes of the rendered text.\n"

SAVED = """    /// Bytes that the shape saves of `original`; none if it saves nothing.
    pub fn saved_len(&self, original: &str) -> usize {
        original.len().saturating_sub(self.rendered_len())
    }

"""


def saved_bytes(session):
    session.compact(
        "This session continues an earlier one that was compacted. So far: `Handle` parses an "
        "optional `foveal:` prefix (crates/context/src/handle.rs, tested), and "
        "`Conversation::results()` yields each tool result with its index "
        "(crates/context/src/transcript.rs, tested in crates/context/tests/conversation_results.rs). "
        "Both are uncommitted. The user may go on with shapes next."
    )
    session.user("One more: a shape should be able to say how many bytes it saves of its original.")
    session.agent(
        "I'll add it next to `rendered_len`.",
        edit("shape.rs", "    /// Length of the rendered text.\n", SAVED + SAVED_ANCHOR),
        fails=True,
        says="not found",
    )
    session.agent("The wording differs from what I assumed; I'll read the file.", read("shape.rs"))
    session.agent("", edit("shape.rs", SAVED_ANCHOR, SAVED + SAVED_ANCHOR))
    session.agent(
        "Is there a caller that computes this by hand?",
        grep(r"rendered_len|\.render\("),
        read("handle.rs"),
    )
    session.agent(
        "Nothing to change there. Checking everything together.",
        bash("cargo clippy -p foveal-context", "Lint the crate"),
        bash("cargo test -p foveal-context", "Run all tests of the crate"),
        says="test result: ok",
    )
    session.agent("", read("transcript.rs", offset=180, limit=130), read("shape.rs", offset=70, limit=50))
    session.agent("", bash("git status --short && git diff", "Show all changes"))
    session.agent(
        "`Shape::saved_len` is added. All three changes together: the prefix of handles, "
        "`Conversation::results()`, and `saved_len`; tests pass and clippy is quiet."
    )
