//! Benchmarks of planning, counting, reading and replaying generated conversations.

mod planning;
mod throughput;

criterion::criterion_group!(benches, planning::bench, throughput::bench);
criterion::criterion_main!(benches);
