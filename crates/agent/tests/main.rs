//! Tests of the agent's state machine, with fixed and with generated inputs.

mod courses;
mod laws;
mod resumed;
mod rewound;
mod sides;
mod staying;
mod sub_agents;
mod under_way;
mod world;
