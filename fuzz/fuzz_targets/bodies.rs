#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| foveal_fuzz::bodies(data));
