//! Figures as a table in Markdown.

/// Prints headings and rows; the first column names, the others are figures.
pub(crate) fn print(headings: &[&str], rows: &[Vec<String>]) {
    print_headings(headings);
    rows.iter().for_each(|row| print_row(row));
}

/// Prints headings, for rows that come one by one.
pub(crate) fn print_headings(headings: &[&str]) {
    println!("| {} |", headings.join(" | "));
    println!("|{}", "---|".repeat(headings.len()));
}

/// Prints one row.
pub(crate) fn print_row(row: &[String]) {
    println!("| {} |", row.join(" | "));
}

/// `3.1 s` or `12.4 ms`.
pub(crate) fn time(milliseconds: f64) -> String {
    if milliseconds >= 1_000.0 {
        format!("{:.2} s", milliseconds / 1e3)
    } else if milliseconds >= 10.0 {
        format!("{milliseconds:.0} ms")
    } else {
        format!("{milliseconds:.2} ms")
    }
}

/// `11.5 MB`.
pub(crate) fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
