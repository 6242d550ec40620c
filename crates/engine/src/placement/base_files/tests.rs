use super::*;
use proptest::prelude::*;

fn candidate(path: &str, words: usize, edits: u32, reads: u32, age: u32) -> BaseFileCandidate {
    let content = "word ".repeat(words);
    BaseFileCandidate {
        path: path.to_owned(),
        content,
        edits,
        reads,
        age,
        ..BaseFileCandidate::default()
    }
}

fn rules(limit: Tokens) -> BaseFileRules {
    BaseFileRules { limit, tokenizer: Tokenizer::O200k }
}

fn paths(files: &[BaseFile]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn knowledge_files_are_known_by_name_or_path() {
    for (path, known) in [
        ("CLAUDE.md", true),
        ("a/b/AGENTS.md", true),
        ("README", true),
        ("README.rst", true),
        ("READMEX", false),
        ("src/auth.knowledge.md", true),
        ("src/knowledge.md.rs", false),
        ("", false),
    ] {
        assert_eq!(is_knowledge_file(path), known, "{path}");
    }
}

#[test]
fn critical_files_go_first_then_the_most_used_per_token() {
    let candidates = [
        candidate("rarely.rs", 50, 0, 1, 0),
        candidate("edited.rs", 50, 3, 1, 0),
        candidate("edited_long_ago.rs", 50, 3, 1, 40),
        candidate("never.rs", 5, 0, 0, 0),
        candidate("AGENTS.md", 50, 0, 0, 90),
        candidate("huge.rs", 5000, 9, 9, 0),
    ];
    let all = select_base_files(&[], &candidates, &rules(Tokens(1000)));
    assert_eq!(paths(&all), ["AGENTS.md", "edited.rs", "edited_long_ago.rs", "rarely.rs"]);
    let few = select_base_files(&[], &candidates, &rules(Tokens(200)));
    assert_eq!(paths(&few), ["AGENTS.md", "edited.rs", "edited_long_ago.rs"]);
}

#[test]
fn placed_files_keep_their_place_and_are_brought_up_to_date() {
    let rules = rules(Tokens(1000));
    let candidates = [candidate("b.rs", 5, 1, 0, 0), candidate("a.rs", 5, 0, 1, 0)];
    let placed = select_base_files(&[], &candidates, &rules);
    assert_eq!(paths(&placed), ["b.rs", "a.rs"]);
    let changed = BaseFileCandidate { content: "new".to_owned(), ..candidate("a.rs", 0, 99, 0, 0) };
    let later = select_base_files(&placed, &[changed, candidate("README", 3, 0, 0, 0)], &rules);
    assert_eq!(paths(&later), ["b.rs", "a.rs", "README"]);
    assert_eq!(later[1].content, "new");
    assert_eq!(render_base_files(&later[..1]), render_base_files(&placed[..1]));
    assert_eq!(later[1].render(), "<file path=\"a.rs\">\nnew\n</file>\n");
}

#[test]
fn what_was_rendered_can_be_read() {
    let file = |path: &str, content: &str| BaseFile { path: path.into(), content: content.into() };
    let files = [
        file("AGENTS.md", "Be brief.\n"),
        file("docs/a b.md", "<file path=\"x\">\n</file>\nas it is\n"),
        file("empty", "\n"),
    ];
    assert_eq!(parse_base_files(&render_base_files(&files)), files);
    assert_eq!(parse_base_files(""), []);
    assert_eq!(parse_base_files("no files"), []);
}

proptest::proptest! {
    /// Whatever files hold, nothing of them is gone when they are placed again.
    #[test]
    fn nothing_of_files_that_are_read_back_is_gone(
        files in prop::collection::vec(
            ("[a-z.]{1,6}", prop::collection::vec(prop::sample::select(vec![
                "</file>\n", "<file path=\"", "x", "\n", "\">\n", "\">", "</file>", "y z\n",
            ]), 0..12)),
            0..4,
        ),
    ) {
        let files: Vec<BaseFile> =
            files.into_iter().map(|(path, all)| BaseFile { path, content: all.concat() }).collect();
        let rendered = render_base_files(&files);
        let again = render_base_files(&parse_base_files(&rendered));
        let lines = |text: &str| -> Vec<String> {
            text.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
        };
        prop_assert_eq!(lines(&again), lines(&rendered));
    }
}
