//! The loop, driven by hand and by generated courses.

mod courses;
mod laws;
mod resumed;
mod rewound;
mod sides;
mod staying;
mod sub_agents;
mod under_way;
mod world;
