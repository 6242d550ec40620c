//! What the page of curated views shows.

/// What is drawn: curves of gold recall over lines kept, and tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurationReport {
    /// The command that measured, as the page's title.
    pub command: String,
    /// What the curve shows.
    pub title: String,
    /// What was measured, in a sentence.
    pub about: String,
    /// The curve of each curator; the one under test first.
    pub curves: Vec<CurationCurve>,
    /// Tables in their order.
    pub tables: Vec<CurationTable>,
    /// Names of measures and what they mean.
    pub measures: Vec<(String, String)>,
}

/// One curator's figures.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurationCurve {
    /// Its name.
    pub name: String,
    /// Its figures at fixed budgets, ascending.
    pub points: Vec<CurationPoint>,
    /// Its figures where it chooses how much it keeps.
    pub adaptive: Option<CurationPoint>,
}

/// Figures under one budget.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CurationPoint {
    /// Lines kept, as a share from 0 to 1.
    pub lines: f64,
    /// Gold lines kept, as a share from 0 to 1.
    pub recall: f64,
}

/// A table of texts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurationTable {
    /// Its heading.
    pub title: String,
    /// Headings of the columns.
    pub columns: Vec<String>,
    /// Rows of as many cells.
    pub rows: Vec<Vec<String>>,
}
