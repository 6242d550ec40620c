//! Scanned request bodies: they have the same entries as whole bodies, slots match their texts, and
//! no byte outside of replaced slots changes.

pub(crate) mod check;
mod generated;
mod messages;
mod sessions;
mod whole_body;
