//! A program that runs as a guard, as `foveal` does.

fn main() -> std::process::ExitCode {
    foveal_sandbox::run_guard(std::env::args_os()).unwrap_or(std::process::ExitCode::FAILURE)
}
