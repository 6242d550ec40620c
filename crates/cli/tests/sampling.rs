//! The model of a client of `foveal mcp` as the curator, through the official Python SDK.

use crate::curator::file;
use crate::mcp::{self, address, start};
use crate::world::World;

/// A world with files to curate and these settings.
fn world(test: &str, settings: &str) -> World {
    let world = World::new(test);
    // Put together here, so that no scanner takes it for one.
    let secret = format!("pub const KEY: &str = \"{}{}\";\n", "AKIA", "Q3ZT5KD2M7XW4RVB");
    for name in ["a", "b", "c", "d", "e", "f"] {
        // Of lines that stand in another file a note says where.
        let own = file(30).replace("value_", &format!("{name}_"));
        world.write(&format!("work/{name}.rs"), own + &secret);
    }
    world.write("home/.config/foveal/config.toml", settings);
    world
}

/// Runs a client that lends its model; says so where it cannot be run.
fn client(world: &World, mode: &str, transport: &str, target: &[&str]) {
    mcp::client("mcp/sampling_client.py", world, (mode, transport), target);
}

/// From version 2026-07-28 on (`auto`) a client cannot be asked while its call runs.
#[test]
fn a_client_may_lend_its_model_over_standard_input_and_output() {
    for mode in ["legacy", "auto"] {
        let world = world(&format!("sampling_stdio_{mode}"), "curator_model = \"client\"\n");
        let root = world.folder.join("work").display().to_string();
        client(&world, mode, "stdio", &[env!("CARGO_BIN_EXE_foveal"), "mcp", "--root", &root]);
    }
}

#[test]
fn a_client_may_lend_its_model_over_http() {
    for mode in ["legacy", "auto"] {
        let world = world(&format!("sampling_http_{mode}"), "curator_model = \"client\"\n");
        let mut served = start(&world, "mcp --http 0 --root work");
        let address = address(&mut served);
        client(&world, mode, "http", &[&address]);
    }
}

/// It costs the client's user tokens, and often a question: nothing but their own word starts it.
#[test]
fn no_client_is_asked_unless_the_user_says_so() {
    for (n, settings) in
        ["", "curator = \"auto\"\n", "curator = \"extractive\"\ncurator_model = \"client\"\n"]
            .into_iter()
            .enumerate()
    {
        let world = world(&format!("sampling_off_{n}"), settings);
        world.write("work/nobody-is-asked", "");
        let root = world.folder.join("work").display().to_string();
        client(&world, "legacy", "stdio", &[env!("CARGO_BIN_EXE_foveal"), "mcp", "--root", &root]);
    }
}

/// At a shell there is no client: files are shown as without a model, and nothing is said.
#[test]
fn a_person_is_served_by_the_built_in_curator() {
    let usual = world("sampling_person_usual", "").run("read work/a.rs --for step_12");
    for settings in
        ["curator_model = \"client\"\n", "curator = \"model\"\ncurator_model = \"client\"\n"]
    {
        let ran = world("sampling_person", settings).run("read work/a.rs --for step_12");
        assert_eq!(ran, usual, "{settings}");
    }
}
