//! Conversations as clients send them: whole, request by request.

mod compress;
mod departures;
mod faults;
mod keeping;
mod late;
mod laws;
mod marks;
mod prices;
mod support;
mod thinking;
mod windows;
mod wishes;
