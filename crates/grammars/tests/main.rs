//! The packed grammars parse as those do that come from their generators.

use tree_sitter::{Language, Parser};

#[path = "../build/packing.rs"]
mod packing;

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
