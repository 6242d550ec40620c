use super::*;

fn row(kept: &BTreeSet<usize>, count: usize) -> String {
    (0..count).map(|at| if kept.contains(&at) { 'F' } else { '.' }).collect()
}

#[test]
fn the_table_of_reads() {
    let rows = [
        (0, ""),
        (1, "F"),
        (2, "FF"),
        (3, "F.F"),
        (4, "F..F"),
        (5, "F...F"),
        (6, "F..F.F"),
        (7, "F.F.F.F"),
        (8, "F.F.FF.F"),
        (9, "F.F.F.F.F"),
        (13, "F..F..F..F..F"),
    ];
    for (count, expected) in rows {
        assert_eq!(
            row(&reads_kept_by_table(count, FILE_READS_MAX), count),
            expected,
            "{count} reads"
        );
    }
}

#[test]
fn the_code_of_reads() {
    let rows = [
        (0, ""),
        (1, "F"),
        (2, "FF"),
        (3, "FFF"),
        (5, "FFFFF"),
        (6, "FFFF.F"),
        (7, "FFF.F.F"),
        (8, "FF.F.F.F"),
        (12, "FF..F..F...F"),
    ];
    for (count, expected) in rows {
        assert_eq!(row(&reads_kept_by_code(count, 5), count), expected, "{count} reads");
    }
    assert_eq!(row(&reads_kept_by_code(4, 0), 4), "F..F");
}

#[test]
fn the_table_of_run_output() {
    let rows = [
        (0, RunOutputClass::Full),
        (999, RunOutputClass::Full),
        (1_000, RunOutputClass::FullMarked),
        (10_000, RunOutputClass::FullMarked),
        (10_001, RunOutputClass::Truncated),
    ];
    for (characters, expected) in rows {
        assert_eq!(
            classify_run_output(characters, LONG_CHARACTERS),
            expected,
            "{characters} characters"
        );
    }
}

#[test]
fn numbers_have_separators() {
    let rows = [(0, "0"), (342, "342"), (45_231, "45,231"), (1_000_000, "1,000,000")];
    for (number, expected) in rows {
        assert_eq!(with_separators(number), expected);
    }
}
