//! A sum of small decision trees, read from data.

/// A tree's node: a question, or the last word.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    /// Go to `below` where the column is at most `limit`, else to `above`.
    Split { column: u16, limit: f32, below: u16, above: u16 },
    /// What the tree adds.
    Leaf(f32),
}

/// Trees whose values add up to the logarithm of the odds that a line is needed.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    trees: Vec<Vec<Node>>,
    start: f32,
}

impl Forest {
    /// Reads the form that `fit-curator` writes: the first line is the start value; each
    /// other line is a tree, its nodes apart by spaces, `column:limit:below:above` or a value.
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let start = lines.next()?.trim().parse().ok()?;
        let trees = lines.map(tree).collect::<Option<Vec<_>>>()?;
        Some(Self { trees, start })
    }

    /// The sum for one row of columns.
    pub fn value(&self, row: &[f32]) -> f32 {
        self.start + self.trees.iter().map(|tree| of_tree(tree, row)).sum::<f32>()
    }
}

fn of_tree(tree: &[Node], row: &[f32]) -> f32 {
    let mut at = 0;
    // Reading made sure that children come after their parents.
    loop {
        match tree.get(at) {
            Some(Node::Split { column, limit, below, above }) => {
                let value = row.get(usize::from(*column)).copied().unwrap_or(0.0);
                at = usize::from(if value <= *limit { *below } else { *above });
            }
            Some(Node::Leaf(value)) => return *value,
            None => return 0.0,
        }
    }
}

fn tree(line: &str) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    for word in line.split_whitespace() {
        let parts: Vec<&str> = word.split(':').collect();
        let node = match parts.as_slice() {
            [value] => Node::Leaf(value.parse().ok()?),
            [column, limit, below, above] => {
                let (below, above): (u16, u16) = (below.parse().ok()?, above.parse().ok()?);
                let after = |child: u16| usize::from(child) > nodes.len();
                if !after(below) || !after(above) {
                    return None;
                }
                Node::Split {
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
