#![no_main]

use foveal_wire::Format;

libfuzzer_sys::fuzz_target!(|data: &[u8]| foveal_fuzz::read(Format::Cline, data));
