use super::*;

#[test]
fn pieces_come_out_in_order_whoever_is_first() {
    let mut out = Vec::new();
    let ordered = OrderedWriter::new(Box::new(&mut out));
    let large = vec![b'x'; BUFFERED_BYTES_MAX];
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for text in [large.as_slice(), b"2", b"3"] {
                ordered.write(1, text).expect("memory takes it");
            }
            ordered.finish(1).expect("memory takes it");
        });
        ordered.write(2, b"4").expect("memory takes it");
        ordered.finish(2).expect("memory takes it");
        ordered.write(0, b"1").expect("memory takes it");
        ordered.finish(0).expect("memory takes it");
    });
    drop(ordered);
    out.retain(|byte| *byte != b'x');
    assert_eq!(out, b"1234");
}
