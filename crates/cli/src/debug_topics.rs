//! The topics whose decisions foveal explains, chosen by `FOVEAL_DEBUG`.

use anyhow::bail;

use foveal_settings::setting_keys::nearest_name;

/// The variable that lists the topics, separated by commas: `reads,index,plan,model`, or `all`.
pub(crate) const DEBUG_VARIABLE: &str = "FOVEAL_DEBUG";

/// The name that a design document gives to the topic `index`.
pub(crate) const GRAPH_DEBUG_VARIABLE: &str = "DEBUG_GRAPHRAG";

/// A topic of explanations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DebugTopic {
    /// How much of a file is shown, and why.
    Reads,
    /// The work of the index.
    Index,
    /// Which parts of a conversation go to the model, and why.
    Plan,
    /// The questions to models beside the main one, and their answers.
    Model,
}

const TOPICS: [(DebugTopic, &str); 4] = [
    (DebugTopic::Reads, "reads"),
    (DebugTopic::Index, "index"),
    (DebugTopic::Plan, "plan"),
    (DebugTopic::Model, "model"),
];

/// The topics that are explained.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DebugTopics([bool; TOPICS.len()]);

impl DebugTopics {
    /// Parses the values of both variables.
    ///
    /// # Errors
    /// For an unknown topic.
    pub(crate) fn parse(wanted: Option<&str>, graph: Option<&str>) -> anyhow::Result<Self> {
        let mut debug = Self::default();
        // Other programs switch it off with `0`.
        if graph.is_some_and(|value| value != "0") {
            debug.0[DebugTopic::Index as usize] = true;
        }
        let names = wanted.unwrap_or_default().split(',').map(str::trim);
        for name in names.filter(|name| !name.is_empty()) {
            match TOPICS.iter().find(|(_, known)| *known == name) {
                Some((topic, _)) => debug.0[*topic as usize] = true,
                None if name == "all" => debug = Self([true; TOPICS.len()]),
                None => {
                    let known = TOPICS.map(|(_, known)| known);
                    let meant = match nearest_name(name, known.into_iter()) {
                        Some(meant) => format!("did you mean `{meant}`? "),
                        None => String::new(),
                    };
                    let known = known.join(", ");
                    bail!(
                        "{DEBUG_VARIABLE} has an unknown topic `{name}`: {meant}expected {known} \
                         or all"
                    );
                }
            }
        }
        Ok(debug)
    }

    /// Returns true if `topic` is explained.
    pub(crate) fn includes(self, topic: DebugTopic) -> bool {
        self.0[topic as usize]
    }

    /// Returns the name of a topic.
    pub(crate) fn topic_name(topic: DebugTopic) -> &'static str {
        TOPICS[topic as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_none_are_refused() {
        let of = |wanted, graph| DebugTopics::parse(wanted, graph);
        let reads = of(Some("reads, model"), None).expect("they are known");
        let wanted = TOPICS.map(|(topic, _)| reads.includes(topic));
        assert_eq!(wanted, [true, false, false, true]);
        assert!(of(None, Some("1")).expect("it is known").includes(DebugTopic::Index));
        assert!(!of(None, Some("0")).expect("it is known").includes(DebugTopic::Index));
        assert!(of(Some("all"), None).expect("it is known").includes(DebugTopic::Plan));
        let refused = of(Some("reds"), None).expect_err("there is no such name").to_string();
        assert!(refused.contains("did you mean `reads`?"), "{refused}");
    }
}
