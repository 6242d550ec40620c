#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| foveal_fuzz::mcp_messages(data));
