"""A session with a shell as the only tool; one command per response."""

SYSTEM = """You are a helpful assistant that solves programming tasks with a shell.
Every response holds a THOUGHT section and exactly one command.
Each command runs in a new shell in the repository's root."""

TASK = """Reports print token counts in full, and 1234567 is hard to read. Add `Tokens::short`, which \
gives "999", "1.2k" or "1.2M", rounded to one decimal, to crates/context/src/tokens.rs, with a test. \
Make sure that the crate's tests pass."""

SHORT = """cat > short.part <<'EOF'
impl Tokens {
    /// The count for a table: `999`, `1.2k`, `1.2M`, rounded to one decimal.
    pub fn short(self) -> String {
        match self.0 {
            count if count < 1_000 => count.to_string(),
            count if count < 1_000_000 => format!("{:.1}k", count as f64 / 1e3),
            count => format!("{:.1}M", count as f64 / 1e6),
        }
    }
}

EOF
sed -i '/^\\/\\/\\/ A way to count tokens\\.$/e cat short.part' crates/context/src/tokens.rs && rm short.part \
&& grep -n 'pub fn short' crates/context/src/tokens.rs"""

TEST = """mkdir -p crates/context/tests && cat > crates/context/tests/short_tokens.rs <<'EOF'
//! Short token counts.

use foveal_context::tokens::Tokens;

#[test]
fn counts_are_short() {
    for (count, expected) in [
        (0, "0"),
        (999, "999"),
        (1_000, "1.0k"),
        (1_249, "1.2k"),
        (999_949, "999.9k"),
        (999_950, "1.0M"),
        (1_234_567, "1.2M"),
    ] {
        assert_eq!(Tokens(count).short(), expected);
    }
}
EOF
cargo test -p foveal-context --test short_tokens"""

REPAIR = """sed -i 's/count if count < 1_000_000 => format/count if count < 999_950 => format/' \
crates/context/src/tokens.rs && cargo test -p foveal-context --test short_tokens"""


def play(session):
    session.system(SYSTEM)
    session.user(TASK)
    short_counts(session)
    price_question(session)


def run(session, thought, command, **expected):
    session.agent(f"THOUGHT: {thought}", ("bash", {"command": command}), **expected)


def short_counts(session):
    run(session, "I'll look at the layout first.", "ls && find crates -name '*.rs' | sort | xargs wc -l")
    run(session, "Now the file in question.", "cat crates/context/src/tokens.rs")
    run(
        session,
        "Where are counts used and printed?",
        "grep -rn 'Tokens' crates --include='*.rs' | sort",
    )
    run(session, "The first lines of the price card use them.", "head -40 crates/context/src/prices.rs")
    run(session, "How do other types give text?", "grep -rn 'impl fmt::' crates --include='*.rs' | sort")
    run(session, "`handle.rs` has an example of style.", "nl -ba crates/context/src/handle.rs | sed -n '1,80p'")
    run(
        session,
        "I also want to see how the shapes name their words.",
        "sed -n '15,60p' crates/context/src/shape.rs",
    )
    run(session, "What lints hold here?", "cat Cargo.toml clippy.toml rustfmt.toml")
    run(session, "The tests pass before I start?", "cargo test -p foveal-context", says="test result: ok")
    run(session, "I'll insert the method before the tokenizer.", SHORT, says="pub fn short")
    run(session, "I check the place.", "sed -n '35,70p' crates/context/src/tokens.rs", says="pub fn short")
    run(session, "Now a test with the borders.", TEST, fails=True, says="1000.0k")
    run(
        session,
        "999950 rounds up to 1000.0k: the border of the match has to be where rounding carries.",
        "grep -n 'count if\\|count =>' crates/context/src/tokens.rs",
    )
    run(session, "The border moves to 999950.", REPAIR, says="1 passed")
    run(session, "The whole crate, and lints.", "cargo test -p foveal-context && cargo clippy -p foveal-context")
    run(session, "I read the result once more.", "cat crates/context/src/tokens.rs")
    run(session, "A comment should say why the border is odd.", """python3 - <<'EOF'
import pathlib
path = pathlib.Path("crates/context/src/tokens.rs")
text = path.read_text()
old = "            count if count < 999_950 =>"
assert text.count(old) == 1
path.write_text(text.replace(old, "            // From here on one decimal would read 1000.0k.\\n" + old))
EOF
git diff crates/context/src/tokens.rs""", says="1000.0k")
    run(session, "The comment stands a line too early: it is about what follows the border.", """sed -i '/From here on one decimal/d' crates/context/src/tokens.rs \
&& sed -i 's|^            count => format|            // From 999950 on, one decimal of thousands would read 1000.0k.\\n&|' crates/context/src/tokens.rs \
&& sed -n '40,60p' crates/context/src/tokens.rs""", says="would read")
    run(session, "Formatting and the build.", "cargo fmt --check && cargo build && git status --short")
    run(session, "The last full run.", "cargo test -p foveal-context 2>&1 | tail -40", says="test result: ok")
    session.agent("THOUGHT: `Tokens::short` is in place, with a test of its borders. All tests of the crate pass.")


def price_question(session):
    session.user(
        "Thanks. Before I go on to prices: which parts of the code know about the cache's lifetime, "
        "and what types would a cost function need?",
        after_s=8 * 60,
    )
    run(session, "I'll search for the lifetime.", "grep -rn 'cache_lifetime\\|since_ms\\|Timestamp' crates --include='*.rs' | sort")
    run(session, "The whole price card.", "cat crates/context/src/prices.rs")
    run(session, "Times and usage are in the transcript.", "cat crates/context/src/transcript.rs")
    run(session, "That was cut; the part about usage.", "grep -n 'pub struct\\|pub enum\\|pub fn' crates/context/src/transcript.rs")
    run(session, "From the start to `Usage`.", "sed -n '1,125p' crates/context/src/transcript.rs")
    run(session, "And the conversation and its window.", "sed -n '190,330p' crates/context/src/transcript.rs")
    run(session, "Does a dependency already deal with prices?", "cargo tree -p foveal-context -e normal --charset ascii")
    run(session, "Which crates would call it?", "cat crates/replay/Cargo.toml crates/cli/Cargo.toml crates/wire/Cargo.toml && ls crates/*/src")
    run(session, "I look at the effect types too, since reports group by them.", "cat crates/context/src/effects/mod.rs | head -130")
    run(session, "The same search again, with the tests in.", "grep -rn 'cache_lifetime\\|since_ms\\|Timestamp' crates --include='*.rs' | sort")
    run(session, "The token type once more, for its arithmetic.", "sed -n '1,60p' crates/context/src/tokens.rs")
    run(session, "And the lines module, which counts something else.", "cat crates/context/src/lines.rs")
    session.agent(
        "THOUGHT: `PriceCard::cache_lifetime_ms` in crates/context/src/prices.rs is where the lifetime is "
        "stated; `Timestamp::since_ms` in transcript.rs gives the gaps to compare it with. A cost "
        "function needs the card, the prompt's tokens split into read, written and uncached, as "
        "`Usage` has them, and the time since the request before."
    )
