//! Tests of the agent's state machine, with fixed and with generated inputs.

mod further_tasks;
mod laws;
mod missing_usage;
mod resumption;
mod rewind;
mod run_sequences;
mod side_model_cost;
mod sub_agents;
mod world;
