//! Decisions explained on standard error, one line each, as far as that is wanted.

use std::fmt::Display;

use foveal_screen::in_one_line;
use foveal_tools::explain::{Explain, Topic as ToolTopic};

use crate::debug::{Debug, Topic};
use crate::notice;

/// Says what was decided, if that is wanted.
pub(crate) fn explain<T: Display>(debug: Debug, topic: Topic, text: impl FnOnce() -> T) {
    if debug.wants(topic) {
        let text = text().to_string();
        notice::say(format_args!("[{}] {}", Debug::name(topic), in_one_line(&text)));
    }
}

/// Says what tools decide.
pub(crate) fn of_tools(debug: Debug) -> Explain {
    Explain::to(move |explained| {
        let topic = match explained.topic() {
            ToolTopic::Reads => Topic::Reads,
            ToolTopic::Index => Topic::Index,
        };
        explain(debug, topic, || explained);
    })
}
