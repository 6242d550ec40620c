//! Bills and keep-alive over written and generated requests.

mod bill;
mod keep_alive;
