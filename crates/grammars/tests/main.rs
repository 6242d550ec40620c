//! The packed grammars parse as those do that come from their generators.

use std::collections::HashMap;

use tree_sitter::{Language, Parser};

#[path = "../build/numbers.rs"]
mod numbers;
#[path = "../build/packing.rs"]
mod packing;
#[path = "../build/parser_source.rs"]
mod parser_source;

/// A language, and a text of it that has no errors.
type Example = (fn() -> Language, &'static str);

const TEXTS: &[Example] = &[
    (foveal_grammars::bash, "for f in *.c; do [[ -e $f ]] && wc -l \"$f\" | sort; done\n"),
    (foveal_grammars::c, "int f(const char *x) { return x ? *x : 0; }"),
    (foveal_grammars::c_sharp, "class A { int F(int x) => x switch { > 1 => 2, _ => 3 }; }"),
    (foveal_grammars::cpp, "template <class T> struct A { auto f() const -> T { return {}; } };"),
    (foveal_grammars::go, "package a\n\nfunc f[T any](x []T) (T, error) { return x[0], nil }\n"),
    (foveal_grammars::java, "class A { int f(int x) { return x > 1 ? x : 0; } }"),
    (foveal_grammars::javascript, "const f = async (x) => <a>{await x?.y}</a>;"),
    (foveal_grammars::kotlin, "fun f(x: Int?): Int = x?.let { it + 1 } ?: 0\n"),
    (foveal_grammars::markdown, "# A\n\n- one\n- two\n\n```c\nx\n```\n"),
    (foveal_grammars::php, "<?php function f(?int $x): int { return $x ?? 0; }"),
    (foveal_grammars::python, "async def f(x: int) -> int:\n    return x if x else 0\n"),
    (foveal_grammars::ruby, "def f(x) = x.map { |y| y + 1 }\n"),
    (foveal_grammars::rust, "fn f<T: Copy>(x: &[T]) -> Option<T> { x.first().copied() }"),
    (foveal_grammars::sql, "SELECT a, count(*) FROM t WHERE b > 1 GROUP BY a;"),
    (
        foveal_grammars::swift,
        "func f(_ x: Int?) -> Int { guard let x else { return 0 }; return x }\n",
    ),
    (foveal_grammars::typescript, "const f = <T,>(x: T[]): T | undefined => x[0] as T;"),
    (foveal_grammars::tsx, "const A = (p: P): X => <a b={p.c}>text</a>;"),
    (foveal_grammars::yaml, "a: &x\n  - b: [1, 2]\n  - *x\n"),
    (foveal_grammars::zig, "pub fn f(x: ?u8) u8 { return x orelse 0; }"),
];

#[test]
fn all_are_packed_here() {
    assert_eq!(foveal_grammars::PACKED.len(), TEXTS.len(), "{:?}", foveal_grammars::PACKED);
}

#[test]
fn texts_are_parsed_without_errors() {
    for (language, text) in TEXTS {
        let mut parser = Parser::new();
        parser.set_language(&language()).expect("a version that the parser knows");
        let tree = parser.parse(text, None).expect("nothing stops it");
        assert!(!tree.root_node().has_error(), "{}", tree.root_node().to_sexp());
    }
}

#[test]
fn threads_may_ask_at_once() {
    std::thread::scope(|scope| {
        for (language, _) in TEXTS.iter().cycle().take(4 * TEXTS.len()) {
            scope.spawn(|| assert!(language().node_kind_count() > 0));
        }
    });
}

/// What `unpack.h` does.
fn unpacked(packed: &[u8]) -> Vec<u16> {
    let mut bytes = packed.iter().copied();
    let mut number = || {
        let (mut number, mut shift) = (0_usize, 0);
        for byte in bytes.by_ref() {
            number |= usize::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    };
    let mut table = Vec::new();
    while let Some(plain) = number() {
        for _ in 0..plain {
            table.push(u16::try_from(number().expect("as many as were said")).expect("16 bits"));
        }
        let (copied, back) = (number().expect("a copy"), number().expect("from where"));
        for _ in 0..copied {
            table.push(table[table.len() - back]);
        }
    }
    table
}

#[test]
fn tables_come_back_as_they_were() {
    let rows = (0..200_u16).flat_map(|row| (0..50).map(move |at| (row / 7) * (at % 5)));
    let mixed = (0..5_000_u32).map(|at| (at.wrapping_mul(40_503) >> 3) as u16);
    let tables = [vec![], vec![7], vec![0; 3_000], rows.collect(), mixed.collect()];
    for table in tables {
        for width in [0, 1, 50] {
            assert_eq!(unpacked(&packing::pack(&table, width)), table, "{width}");
        }
    }
}

/// A generated parser with three symbols and four states, two of them in the table of rows.
const PARSER: &str = r#"#include "tree_sitter/parser.h"
#define STATE_COUNT 4
#define LARGE_STATE_COUNT 2
#define SYMBOL_COUNT 3
enum ts_symbol_identifiers {
  sym_a = 1,
  sym_b = 2,
};
static const TSStateId ts_primary_state_ids[STATE_COUNT] = {
  [0] = 0,
  [1] = 1,
  [2] = 1,
};
static const TSLexerMode ts_lex_modes[STATE_COUNT] = {
  [0] = {.lex_state = 0, .external_lex_state = 1},
  [2] = {.lex_state = 7, .reserved_word_set_id = 3},
  [3] = {(TSStateId)(-1),},
};
static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {
  [STATE(1)] = {
    [ts_builtin_sym_end] = ACTIONS(1),
    [sym_b] = STATE(2),
  },
};
static const uint16_t ts_small_parse_table[] = {
  [0] = 1,
    ACTIONS(3), 1,
      sym_a,
  [4] = 0,
};
static const uint32_t ts_small_parse_table_map[] = {
  [SMALL_STATE(2)] = 0,
  [SMALL_STATE(3)] = 4,
};
static const TSParseActionEntry ts_parse_actions[] = {
  [0] = {.entry = {.count = 0, .reusable = false}},
  [1] = {.entry = {.count = 2, .reusable = true}}, REDUCE(sym_b, 3, -1, 9), SHIFT_REPEAT(2),
  [4] = {.entry = {.count = 1, .reusable = false}}, SHIFT_EXTRA(),
  [6] = {.entry = {.count = 1, .reusable = true}}, ACCEPT_INPUT(),
};
#define TS_PUBLIC

TS_PUBLIC const TSLanguage *tree_sitter_a(void) {
  static const TSLanguage language = {
    .abi_version = 15,
  };
  return &language;
}
"#;

#[test]
fn each_table_of_a_parser_is_read() {
    let copy = parser_source::packed(PARSER).expect("a form that is known");
    for room in [
        "static uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT];",
        "static uint16_t ts_small_parse_table[5];",
        "static uint32_t ts_small_parse_table_map[2];",
        "static TSLexerMode ts_lex_modes[STATE_COUNT];",
        "static TSStateId ts_primary_state_ids[STATE_COUNT];",
        "static TSParseActionEntry ts_parse_actions[8];",
        "{(char *)ts_small_parse_table_map + 4, 2}",
    ] {
        assert!(copy.contains(room), "{room}\n{copy}");
    }
    let names = HashMap::from([("sym_b", 2)]);
    let body = |name: &str| {
        let (_, rest) = PARSER.split_once(&format!(" {name}[")).expect("it is there");
        rest.split_once("{\n").and_then(|(_, rest)| rest.split_once("\n};")).expect("an end").0
    };
    let actions = numbers::actions(body("ts_parse_actions"), &names).expect("known");
    let reduce = [2 | 3 << 3, 2, u16::MAX, 9];
    let lists = [[0, 0, 0, 0], [8, 2, 0, 0], reduce, [1, 2, 0, 1], [0, 1, 0, 0], [1, 0, 1, 0]];
    assert_eq!(actions, [lists.concat(), vec![8, 1, 0, 0, 3, 0, 0, 0]].concat());
    let modes = numbers::modes(body("ts_lex_modes"), 4, "TSLexerMode").expect("known");
    assert_eq!(modes, [0, 1, 0, 0, 0, 0, 7, 0, 3, u16::MAX, 0, 0]);
    let ids = numbers::near_their_places(body("ts_primary_state_ids"), 4).expect("known");
    assert_eq!(ids, [0, 0, u16::MAX, u16::MAX - 2]);
    assert_eq!(numbers::rising(body("ts_small_parse_table_map"), 2).expect("known"), [0, 4]);
}

#[test]
fn a_table_of_another_form_is_left_as_it_comes() {
    for (known, other) in [
        ("SHIFT_EXTRA()", "SHIFT_ELSEWHERE(1)"),
        ("[SMALL_STATE(3)] = 4", "[SMALL_STATE(2)] = 4"),
        (".reserved_word_set_id = 3", ".word_set = 3"),
        ("  [2] = 1,", "  [9] = 1,"),
    ] {
        let source = PARSER.replacen(known, other, 1);
        let copy = parser_source::packed(&source).expect("the two large ones are known");
        assert!(copy.contains(other), "{copy}");
        assert_eq!(copy.matches("static const").count(), 3, "{copy}");
    }
    assert!(parser_source::packed(&PARSER.replacen("ACTIONS(1)", "ACTION(1)", 1)).is_err());
}
