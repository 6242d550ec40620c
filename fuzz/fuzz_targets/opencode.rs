#![no_main]

use foveal_session_readers::SessionFormat;

libfuzzer_sys::fuzz_target!(|data: &[u8]| foveal_fuzz::read(SessionFormat::OpenCode, data));
