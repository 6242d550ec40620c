//! First full reads make cases; what is used of them later is gold.

use foveal_engine::conversation_record::ConversationRecord;
use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::parse_fixture;

use super::{EVIDENCE, UsageEvidence, read_cases};

/// Lines of a file as tools print them, from `first` to `last`.
fn printed(first: u32, last: u32) -> String {
    (first..=last).map(|n| format!("{n:>6}→let value_{n} = {n};\n")).collect()
}

fn check(later: &str, expected: &str) {
    let all = printed(1, 120);
    let text = format!(
        "//- user\nmake it faster\n//- assistant\nI look at the parser.\n\
         //- call Read {{\"file_path\":\"/r/a.rs\"}}\n//- result\n{all}{later}"
    );
    let conversation = parse_fixture(&text);
    let record = ConversationRecord::from_conversation(conversation.clone(), Tokenizer::O200k);
    let cases = read_cases(&record, "s", EVIDENCE);
    let lines: Vec<String> = cases
        .iter()
        .map(|case| {
            format!(
                "{} {} {:?}",
                case.id,
                case.path,
                case.gold_lines.as_deref().unwrap_or_default()
            )
        })
        .collect();
    let id = format!("s:{}:3 /r/a.rs ", conversation.id);
    assert_eq!(lines.join("\n"), format!("{id}{expected}"), "{later}");
}

#[test]
fn used_lines_are_gold() {
    check("", "[]");
    // Quoted; a line too short to be told does not count.
    check("//- assistant\nThe slow one is\n    let value_7 = 7;\nand not\n}", "[7]");
    // Edited, also in part of a line.
    check(
        "//- call Edit {\"file_path\":\"/r/a.rs\",\"old_string\":\"value_9 = 9;\\nlet value_10\",\
         \"new_string\":\"x\"}\n//- result\ndone",
        "[9, 10]",
    );
    // Inserted by number: the lines around. After a change numbers say nothing.
    let insert = |line: u32| {
        format!(
            "//- call str_replace_editor {{\"command\":\"insert\",\"path\":\"/r/a.rs\",\
             \"insert_line\":{line},\"new_str\":\"x\"}}\n//- result\ndone\n"
        )
    };
    check(&insert(4), "[4, 5]");
    check(&insert(0), "[1]");
    check(&insert(120), "[120]");
    check(&format!("{}{}", insert(4), insert(90)), "[4, 5]");
    // Read again by numbers, also after an edit that moved the lines.
    let part = "//- call Read {\"file_path\":\"/r/a.rs\",\"offset\":50,\"limit\":3}\n//- result\n";
    check(&format!("{part}{}", printed(50, 52)), "[50, 51, 52]");
    check(&format!("{part}    50→let value_40 = 40;\n    51→}}\n"), "[40]");
    // Read again in full, or another file: nothing is told of the lines.
    check(
        &format!("//- call Read {{\"file_path\":\"/r/a.rs\"}}\n//- result\n{}", printed(1, 120)),
        "[]",
    );
    check(
        "//- call Edit {\"file_path\":\"/r/b.rs\",\"old_string\":\"let value_9 = 9;\",\"new_string\":\"x\"}\n//- result\ndone",
        "[]",
    );
    // Nothing from before a compaction is in view behind it.
    check("//- compact\n//- summary\nsome\n//- assistant\nlet value_7 = 7;", "[]");
}

#[test]
fn only_first_full_reads_of_long_files_count() {
    let ids = |text: String| {
        let conversation = parse_fixture(&text);
        let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
        read_cases(&record, "s", EVIDENCE).len()
    };
    let read = |arguments: &str, result: &str| {
        format!("//- call Read {{\"file_path\":\"/r/a.rs\"{arguments}}}\n//- result\n{result}")
    };
    let full = read("", &printed(1, 101));
    assert_eq!(ids(read("", &printed(1, 100))), 0);
    assert_eq!(ids(full.clone()), 1);
    assert_eq!(ids(format!("{full}{full}")), 1);
    assert_eq!(ids(format!("{}{full}", read(",\"offset\":3,\"limit\":2", &printed(3, 4)))), 0);
    // After a compaction the file has to be read anew.
    assert_eq!(ids(format!("{full}//- compact\n//- summary\nx\n{full}")), 2);
    // A result that does not start with the first line, or leaves lines out.
    assert_eq!(ids(read("", &printed(2, 150))), 0);
    assert_eq!(ids(read("", &format!("{}{}", printed(1, 99), printed(120, 150)))), 0);
}

#[test]
fn the_question_is_the_conversation_until_the_read() {
    let conversation = parse_fixture(&format!(
        "//- system\nbe good\n//- user\nfix the parser\n//- assistant\nsearching\n\
         //- call Grep {{\"pattern\":\"parse_all\"}}\n//- result\n/r/a.rs:3:fn parse_all\n\
         //- assistant\nnow the file\n//- call Read {{\"file_path\":\"/r/a.rs\"}}\n//- result\n{}\
         //- assistant\nlater",
        printed(1, 120)
    ));
    let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
    let cases = read_cases(&record, "s", EVIDENCE);
    assert_eq!(
        cases[0].query,
        "fix the parser\n\nsearching\nGrep {\"pattern\":\"parse_all\"}\n\nGrep parse_all\n\
         /r/a.rs:3:fn parse_all\n\nnow the file\nRead {\"file_path\":\"/r/a.rs\"}"
    );
    assert!(cases[0].content_before.ends_with("\nlet value_120 = 120;\n"));
}

#[test]
fn kinds_of_evidence_are_told_apart() {
    let conversation = parse_fixture(&format!(
        "//- user\ngo\n//- call Read {{\"file_path\":\"/r/a.rs\"}}\n//- result\n{}\
         //- assistant\nlet value_7 = 7;\n//- call Read {{\"file_path\":\"/r/a.rs\",\"offset\":50,\
         \"limit\":1}}\n//- result\n{}//- call Edit {{\"file_path\":\"/r/a.rs\",\
         \"old_string\":\"let value_9 = 9;\",\"new_string\":\"x\"}}\n//- result\ndone",
        printed(1, 120),
        printed(50, 50)
    ));
    let record = ConversationRecord::from_conversation(conversation, Tokenizer::O200k);
    for (evidence, gold) in [
        (EVIDENCE, vec![7, 9, 50]),
        (&[UsageEvidence::Edited], vec![9]),
        (&[UsageEvidence::Quoted], vec![7]),
        (&[UsageEvidence::Reread], vec![50]),
        (&[], vec![]),
    ] {
        let cases = read_cases(&record, "s", evidence);
        assert_eq!(cases[0].gold_lines, Some(gold), "{evidence:?}");
    }
}
