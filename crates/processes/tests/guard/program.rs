//! A program that stands guard, as `foveal` does.

fn main() -> std::process::ExitCode {
    foveal_processes::stand_guard(std::env::args_os()).unwrap_or(std::process::ExitCode::FAILURE)
}
