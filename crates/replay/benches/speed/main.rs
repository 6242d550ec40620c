//! How fast planning, counting, reading and replaying are, on generated conversations.

mod planning;
mod throughput;

criterion::criterion_group!(benches, planning::bench, throughput::bench);
criterion::criterion_main!(benches);
