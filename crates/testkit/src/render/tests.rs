use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;

use super::*;
use crate::parse_fixture;

fn start(profile: &str) -> Projector {
    let profile = Profile::find(profile).expect("the profile exists");
    profile.new_projector(&PriceCard::anthropic_5m())
}

fn read_twice() -> Conversation {
    let body = "pub fn area(width: u32, height: u32) -> u32 { width * height }\n".repeat(9);
    parse_fixture(&format!(
        "//- user\nWhat does a.rs do? Tell me in one sentence.\n\
         //- assistant\nReading.\n//- call Read {{\"file_path\":\"/w/a.rs\"}}\n\
         //- result\n{body}//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{body}"
    ))
}

#[test]
fn a_line_says_what_stands_in_a_results_place() {
    assert_eq!(
        prompt_summary(&read_twice(), start("lossless")),
        "00 user \"What does a.rs do? Tell …\" 12t\n\
         01 assistant \"Reading.\", Read a.rs 12t\n\
         02 tool_result Read a.rs 189t\n\
         03 assistant Read a.rs 10t\n\
         04 tool_result Read a.rs 189t -> pointer to 02\n"
    );
}

#[test]
fn the_course_tells_what_each_request_changed() {
    assert_eq!(
        step_summary(&read_twice(), start("lossless")),
        "before 01: kept 0\nbefore 03: kept 1\nbefore 05: kept 3, 04 pointer to 02\n"
    );
}

#[test]
fn the_prompt_is_what_is_sent() {
    let conversation =
        parse_fixture("//- user\nhello\n//- call Ls {\"path\":\".\"}\n//- result\na.rs");
    assert_eq!(
        prompt_text(&conversation, start("lossless")),
        "//- 00 user\nhello\n//- 01 assistant\nLs {\"path\":\".\"}\n//- 02 tool_result\na.rs\n"
    );
}
