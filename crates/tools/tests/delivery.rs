//! What is pointed at was delivered before the call arrived, and what is written over was seen
//! before.

use foveal_tools::session::{CallArrival, PendingDelivery};
use foveal_tools::{CallControl, ToolCallAnswer, ToolRequest, ToolSession};
use serde_json::{Value, json};

use crate::world::{World, source};

/// A world with two files.
fn world() -> World {
    let world = World::new();
    world.write("a.rs", source(15));
    world.write("b.rs", source(15).replace("step", "walk"));
    world
}

fn answer(
    session: &ToolSession,
    from: CallArrival,
    tool: &str,
    arguments: Value,
) -> (ToolCallAnswer, PendingDelivery) {
    session.call_with_delivery(from, &ToolRequest::new(tool, arguments), &CallControl::NONE)
}

fn read(session: &ToolSession, from: CallArrival) -> (ToolCallAnswer, PendingDelivery) {
    answer(session, from, "read_file", json!({"path": "a.rs"}))
}

fn print(session: &ToolSession, from: CallArrival) -> (ToolCallAnswer, PendingDelivery) {
    answer(session, from, "bash", json!({"command": "cat a.rs"}))
}

fn is_whole(answer: &ToolCallAnswer) -> bool {
    answer.text.contains("pub fn step_7(")
}

/// Reads once more, when all before was delivered or lost.
fn is_whole_later(session: &ToolSession) -> bool {
    let (answer, delivery) = read(session, session.register_arrival());
    delivery.confirm();
    is_whole(&answer)
}

#[test]
fn nothing_is_pointed_at_that_came_after_the_call() {
    let World { session, .. } = &world();
    let (slow, quick) = (session.register_arrival(), session.register_arrival());
    let (answer, delivery) = read(session, quick);
    assert!(is_whole(&answer));
    delivery.confirm();
    let (answer, delivery) = print(session, slow);
    assert!(is_whole(&answer), "{}", answer.text);
    delivery.confirm();
    assert!(!is_whole_later(session));
}

#[test]
fn nothing_is_pointed_at_that_is_not_delivered() {
    let World { session, .. } = &world();
    let (answer, kept_back) = read(session, session.register_arrival());
    assert!(is_whole(&answer));
    let (answer, lost) = read(session, session.register_arrival());
    assert!(is_whole(&answer), "{}", answer.text);
    drop(lost);
    let before = session.register_arrival();
    kept_back.confirm();
    let (answer, delivery) = print(session, before);
    assert!(is_whole(&answer), "{}", answer.text);
    drop(delivery);
    assert!(!is_whole_later(session));
}

#[test]
fn an_answer_that_is_lost_takes_nothing_from_the_others() {
    let World { session, .. } = &world();
    let (_, delivery) = read(session, session.register_arrival());
    delivery.confirm();
    let other =
        || answer(session, session.register_arrival(), "read_file", json!({"path": "b.rs"}));
    let (lost, delivery) = other();
    assert!(lost.text.contains("walk_7"));
    drop(delivery);
    let (again, delivery) = other();
    assert!(again.text.contains("walk_7"), "{}", again.text);
    delivery.confirm();
    assert!(!is_whole_later(session));
    assert!(!other().0.text.contains("walk_7"));
}

#[test]
fn who_asks_twice_at_once_is_asking_once() {
    let World { session, .. } = &world();
    let twice = [session.register_arrival(), session.register_arrival()];
    for arrival in twice {
        let (answer, delivery) = print(session, arrival);
        assert!(is_whole(&answer), "{}", answer.text);
        delivery.confirm();
    }
    // Each of two at once is the first after what they point at.
    let twice = [session.register_arrival(), session.register_arrival()];
    for arrival in twice {
        let (answer, delivery) = print(session, arrival);
        assert!(!is_whole(&answer), "{}", answer.text);
        delivery.confirm();
    }
    // And who asks again has seen that, and needs the whole.
    let (answer, _) = print(session, session.register_arrival());
    assert!(is_whole(&answer), "{}", answer.text);
}

#[test]
fn nothing_is_written_over_that_was_not_seen_when_the_call_was_made() {
    let world = world();
    let session = &world.session;
    let write = |from| {
        let arguments = json!({"path": "a.rs", "content": "new\n"});
        answer(session, from, "write_file", arguments)
    };
    let early = session.register_arrival();
    let (_, delivery) = read(session, session.register_arrival());
    let beside = session.register_arrival();
    delivery.confirm();
    for arrival in [early, beside] {
        let (refused, delivery) = write(arrival);
        assert!(refused.is_error, "{}", refused.text);
        delivery.confirm();
    }
    let (written, _) = write(session.register_arrival());
    assert!(!written.is_error, "{}", written.text);
}

#[test]
fn edits_at_once_know_of_each_other() {
    let world = world();
    let session = &world.session;
    let (_, delivery) = read(session, session.register_arrival());
    delivery.confirm();
    let edits = [1, 2, 3].map(|number| (number, session.register_arrival()));
    for (number, arrival) in edits {
        let arguments = json!({"path": "a.rs", "old_str": format!("doubled + {number}\n"),
            "new_str": format!("doubled + {number} + 1\n"), "intent": "add"});
        let (edited, delivery) = answer(session, arrival, "edit_file", arguments);
        assert!(!edited.is_error, "{}", edited.text);
        drop(delivery);
    }
    assert_eq!(world.on_disk("a.rs").matches(" + 1\n").count(), 3);
}

#[test]
fn a_session_that_is_taken_up_points_at_what_was_delivered() {
    for is_delivered in [true, false] {
        let world = world();
        let session = world.session_named("taken up");
        let (_, delivery) = print(&session, session.register_arrival());
        if is_delivered {
            delivery.confirm();
        } else {
            drop(delivery);
        }
        session.record_deliveries();
        drop(session);
        let session = world.session_named("taken up");
        assert_eq!(is_whole(&print(&session, session.register_arrival()).0), !is_delivered);
    }
    // One that was killed knows it from the answer after it.
    for goes_on in [true, false] {
        let world = world();
        let session = world.session_named("killed");
        print(&session, session.register_arrival()).1.confirm();
        if goes_on {
            let other = json!({"command": "echo"});
            answer(&session, session.register_arrival(), "bash", other).1.confirm();
        }
        let again = world.session_named("killed");
        assert_eq!(is_whole(&print(&again, again.register_arrival()).0), !goes_on);
    }
}

/// What the model saw before everything was forgotten is no news afterwards, also where no call
/// came between the delivery and that.
#[test]
fn what_was_delivered_last_was_seen_before_it_is_forgotten() {
    let world = world();
    let session = &world.session;
    read(session, session.register_arrival()).1.confirm();
    world.write("a.rs", source(16).replace("doubled + 7", "doubled + 70"));
    read(session, session.register_arrival()).1.confirm();
    session.clear_visibility();
    let edit = json!({
        "path": "a.rs", "old_str": "doubled + 70", "new_str": "doubled + 71", "intent": "try",
    });
    let (written, _) = answer(session, session.register_arrival(), "edit_file", edit);
    assert!(!written.is_error, "{}", written.text);
}

/// The same in a process that takes the session up: it knows as little of the file as this one.
#[test]
fn what_is_forgotten_is_not_kept_afterwards() {
    let world = world();
    let session = &world.session;
    read(session, session.register_arrival()).1.confirm();
    session.clear_visibility();
    session.record_deliveries();
    let session = &world.session_named("test");
    world.write("a.rs", source(60));
    read(session, session.register_arrival()).1.confirm();
    let (again, _) = read(session, session.register_arrival());
    assert!(again.text.starts_with("[a.rs: unchanged"), "{}", again.text);
}
