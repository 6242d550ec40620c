//! An additive ensemble of small decision trees, parsed from text.

/// A node of a decision tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ForestNode {
    /// Continue at `below` if the column is at most `limit`, else at `above`.
    Split { column: u16, limit: f32, below: u16, above: u16 },
    /// The value of the tree.
    Leaf(f32),
}

/// Trees whose values add up to the log-odds that a line is needed.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionForest {
    trees: Vec<Vec<ForestNode>>,
    start: f32,
}

impl DecisionForest {
    /// Parses the form that `fit-curator` writes: the first line is the start value; each other
    /// line is a tree of nodes separated by spaces, either `column:limit:below:above` or a value.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let start = lines.next()?.trim().parse().ok()?;
        let trees = lines.map(parse_tree).collect::<Option<Vec<_>>>()?;
        Some(Self { trees, start })
    }

    /// Returns the log-odds for one row of columns.
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.start + self.trees.iter().map(|tree| tree_value(tree, row)).sum::<f32>()
    }
}

fn tree_value(tree: &[ForestNode], row: &[f32]) -> f32 {
    let mut at = 0;
    // The parser ensures that children come after their parents, so this ends.
    loop {
        match tree.get(at) {
            Some(ForestNode::Split { column, limit, below, above }) => {
                let value = row.get(usize::from(*column)).copied().unwrap_or(0.0);
                at = usize::from(if value <= *limit { *below } else { *above });
            }
            Some(ForestNode::Leaf(value)) => return *value,
            None => return 0.0,
        }
    }
}

fn parse_tree(line: &str) -> Option<Vec<ForestNode>> {
    let mut nodes = Vec::new();
    for word in line.split_whitespace() {
        let parts: Vec<&str> = word.split(':').collect();
        let node = match parts.as_slice() {
            [value] => ForestNode::Leaf(value.parse().ok()?),
            [column, limit, below, above] => {
                let (below, above): (u16, u16) = (below.parse().ok()?, above.parse().ok()?);
                let after = |child: u16| usize::from(child) > nodes.len();
                if !after(below) || !after(above) {
                    return None;
                }
                ForestNode::Split {
                    column: column.parse().ok()?,
                    limit: limit.parse().ok()?,
                    below,
                    above,
                }
            }
            _ => return None,
        };
        nodes.push(node);
    }
    Some(nodes)
}
