//! Which decisions a person wants explained, who sets `FOVEAL_DEBUG`.

use anyhow::bail;

use crate::user_settings::keys::nearest;

/// Names what is explained, with commas between: `reads,index,plan,model`, or `all`.
pub(crate) const VARIABLE: &str = "FOVEAL_DEBUG";

/// The name that a design document has for `index`.
pub(crate) const GRAPH_VARIABLE: &str = "DEBUG_GRAPHRAG";

/// What can be explained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topic {
    /// How much of files is shown, and why.
    Reads,
    /// What the index does.
    Index,
    /// What of a conversation goes to the model, and why.
    Plan,
    /// What models beside the main one are asked, and answer.
    Model,
}

const TOPICS: [(Topic, &str); 4] = [
    (Topic::Reads, "reads"),
    (Topic::Index, "index"),
    (Topic::Plan, "plan"),
    (Topic::Model, "model"),
];

/// What is explained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Debug([bool; TOPICS.len()]);

impl Debug {
    /// What both variables ask for.
    ///
    /// # Errors
    /// For a name that is none.
    pub(crate) fn of(wanted: Option<&str>, graph: Option<&str>) -> anyhow::Result<Self> {
        let mut debug = Self::default();
        // `0` is how others switch it off.
        if graph.is_some_and(|value| value != "0") {
            debug.0[Topic::Index as usize] = true;
        }
        let names = wanted.unwrap_or_default().split(',').map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            match TOPICS.iter().find(|(_, known)| *known == name) {
                Some((topic, _)) => debug.0[*topic as usize] = true,
                None if name == "all" => debug = Self([true; TOPICS.len()]),
                None => {
                    let known = TOPICS.map(|(_, known)| known);
                    let meant = match nearest(name, known.into_iter()) {
                        Some(meant) => format!("did you mean `{meant}`? "),
                        None => String::new(),
                    };
                    let known = known.join(", ");
                    bail!("{VARIABLE} names `{name}`, which is none: {meant}it takes {known}, all");
                }
            }
        }
        Ok(debug)
    }

    /// Whether this is explained.
    pub(crate) fn wants(self, topic: Topic) -> bool {
        self.0[topic as usize]
    }

    /// What a topic is called.
    pub(crate) fn name(topic: Topic) -> &'static str {
        TOPICS[topic as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_none_are_refused() {
        let of = |wanted, graph| Debug::of(wanted, graph);
        let reads = of(Some("reads, model"), None).expect("they are known");
        let wanted = TOPICS.map(|(topic, _)| reads.wants(topic));
        assert_eq!(wanted, [true, false, false, true]);
        assert!(of(None, Some("1")).expect("it is known").wants(Topic::Index));
        assert!(!of(None, Some("0")).expect("it is known").wants(Topic::Index));
        assert!(of(Some("all"), None).expect("it is known").wants(Topic::Plan));
        let refused = of(Some("reds"), None).expect_err("there is no such name").to_string();
        assert!(refused.contains("did you mean `reads`?"), "{refused}");
    }
}
