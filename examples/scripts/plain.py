"""A session with read, edit, write and bash, and no line numbers in what is read."""

SHAPE = "crates/context/src/shape.rs"
TRANSCRIPT = "crates/context/src/transcript.rs"


def read(path, **window):
    return "read", {"path": path, **window}


def edit(path, old, new):
    return "edit", {"path": path, "oldText": old, "newText": new}


def bash(command):
    return "bash", {"command": command}


def play(session):
    words(session)
    usage(session)
    review(session)


WORD_ANCHOR = "    /// The word used in reports and messages.\n"

FROM_WORD = """    /// The kind that `word` names, if it names one.
    pub fn from_word(word: &str) -> Option<ShapeKind> {
        match word {
            "compacted" => Some(ShapeKind::Compacted),
            "pointer" => Some(ShapeKind::Pointer),
            "delta" => Some(ShapeKind::Delta),
            "excerpt" => Some(ShapeKind::Excerpt),
            "outline" => Some(ShapeKind::Outline),
            "note" => Some(ShapeKind::Note),
        }
    }

"""

WORD_TEST = """//! Words of shapes.

use foveal_context::shape::ShapeKind;

#[test]
fn every_word_names_its_kind() {
    for kind in [
        ShapeKind::Compacted,
        ShapeKind::Pointer,
        ShapeKind::Delta,
        ShapeKind::Excerpt,
        ShapeKind::Outline,
        ShapeKind::Note,
    ] {
        assert_eq!(ShapeKind::from_word(kind.word()), Some(kind));
        assert_eq!(ShapeKind::from_word(&kind.word().to_uppercase()), Some(kind));
    }
    assert_eq!(ShapeKind::from_word("picture"), None);
}
"""

WORD_RUN = "cargo test -p foveal-context --test shape_words"


def words(session):
    session.user(
        "shape kinds can be printed as a word but not read back. add the way back, any letter case, with a test"
    )
    session.agent("I'll read the shapes.", read(SHAPE))
    session.agent(
        "",
        bash("grep -rn 'ShapeKind' crates --include='*.rs' | sort"),
        bash("ls crates crates/context crates/context/src"),
    )
    session.agent("How does `handle.rs` read its text form?", read("crates/context/src/handle.rs"))
    session.agent(
        "That is a `FromStr` with an error type. An `Option` is enough here, next to `word`.",
        edit(SHAPE, WORD_ANCHOR, FROM_WORD + WORD_ANCHOR),
        ("write", {"path": "crates/context/tests/shape_words.rs", "content": WORD_TEST}),
    )
    session.agent("", bash(WORD_RUN), fails=True, says="E0004")
    session.agent(
        "Other words need an arm.",
        edit(
            SHAPE,
            '            "note" => Some(ShapeKind::Note),\n',
            '            "note" => Some(ShapeKind::Note),\n            _ => None,\n',
        ),
    )
    session.agent("", bash(WORD_RUN), fails=True, says="panicked")
    session.agent("Upper case is not understood yet.", read(SHAPE, offset=15, limit=60))
    session.agent("", edit(SHAPE, "        match word {\n", "        match word.to_ascii_lowercase().as_str() {\n"))
    session.agent("", bash(WORD_RUN), says="1 passed")
    session.agent("", bash("cargo clippy -p foveal-context && cargo fmt --check && git diff"))
    session.agent("`ShapeKind::from_word` reads the words back in any case; the test covers every kind.")


USAGE_ANCHOR = "    /// All input tokens: uncached, read and written.\n"

PLUS = """    /// The sum of two responses' counts.
    pub fn plus(self, other: Usage) -> Usage {
        Usage {
            input: self.input + other.input,
            cache_read: self.cache_read + other.cache_read,
            cache_write: self.cache_write + other.cache_write,
            output: self.output + other.input,
        }
    }

"""

RECORDED_ANCHOR = "    /// Indices of the model's responses."

RECORDED = """    /// What the recording says all responses used together; `None` if it says nothing.
    pub fn recorded_usage(&self) -> Option<Usage> {
        self.entries.iter().filter_map(|entry| entry.usage).reduce(Usage::plus)
    }

"""

USAGE_TEST = """//! Recorded usage.

use foveal_context::transcript::Usage;

#[test]
fn counts_add_up_field_by_field() {
    let one = Usage { input: 1, cache_read: 20, cache_write: 300, output: 4000 };
    let two = Usage { input: 5, cache_read: 60, cache_write: 700, output: 8000 };
    let sum = Usage { input: 6, cache_read: 80, cache_write: 1000, output: 12000 };
    assert_eq!(one.plus(two), sum);
    assert_eq!(one.plus(Usage::default()), one);
}
"""

USAGE_RUN = "cargo test -p foveal-context --test recorded_usage"


def usage(session):
    session.user("now i want the recorded usage of a whole conversation in one call", after_s=17 * 60)
    session.agent("", read(TRANSCRIPT))
    session.agent(
        "",
        bash("grep -rn 'Usage\\b' crates --include='*.rs' | sort"),
        read("crates/context/src/tokens.rs", limit=40),
        read("crates/context/src/prices.rs"),
    )
    session.agent(
        "Two small methods: a sum of two `Usage`s, and one over the entries.",
        edit(TRANSCRIPT, USAGE_ANCHOR, PLUS + USAGE_ANCHOR),
        edit(TRANSCRIPT, RECORDED_ANCHOR, RECORDED + RECORDED_ANCHOR),
        ("write", {"path": "crates/context/tests/recorded_usage.rs", "content": USAGE_TEST}),
    )
    session.agent("", bash(USAGE_RUN), fails=True, says="panicked")
    session.agent("Output is off by the other's input.", bash("grep -n -A 9 'pub fn plus' " + TRANSCRIPT))
    session.agent(
        "A slip of mine.",
        edit(TRANSCRIPT, "output: self.output + other.input,", "output: self.output + other.output,"),
    )
    session.agent("", bash(USAGE_RUN), says="1 passed")
    session.agent("", read(TRANSCRIPT, offset=90, limit=60), read(TRANSCRIPT, offset=215, limit=70))
    session.agent("", bash("cargo test -p foveal-context"), says="test result: ok")
    session.agent("`Conversation::recorded_usage()` sums what each response reported.")


def review(session):
    session.user("check everything once more before i commit: formatting, lints, build, the full diff")
    session.agent(
        "",
        bash("cargo fmt --check"),
        bash("cargo clippy -p foveal-context --all-targets"),
        bash("cargo build"),
    )
    session.agent("", bash("git status --short"), bash("git diff"))
    session.agent("I'll read both files whole, as they are now.", read(SHAPE), read(TRANSCRIPT))
    session.agent("", bash("cargo tree -p foveal-context -e normal --charset ascii"))
    session.agent("No dependency came in. The new tests together:", bash("cargo test -p foveal-context --tests"), says="test result: ok")
    session.agent(
        "Everything is in order: formatting and lints are clean, the program builds, and all tests "
        "of the crate pass. Two source files and two new test files are changed."
    )
