//! `foveal doctor`: checks of the machine, with advice for repairs.

mod agents;
mod command;
mod diagnosis;
mod gateways;
mod machine;
mod stored_data;
mod write_access;

pub(crate) use self::command::{DoctorArguments, run};
