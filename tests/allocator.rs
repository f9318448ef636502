//! The counts of the measuring allocator, in a program that has it.

use wirewise::measure::allocator::{self, Allocator, count};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// One test, since the counts are the whole process's.
#[test]
fn what_is_allocated_is_counted() {
    let before = vec![0u8; 5000];
    let (kept, counted) = count(|| {
        drop(before);
        let first = vec![1u8; 1000];
        let second = vec![2u8; 300];
        drop(first);
        let mut third: Vec<u8> = Vec::with_capacity(10);
        third.extend_from_slice(&[3; 10]);
        third.reserve_exact(90);
        (second, third)
    });
    assert_eq!(counted.calls, 4);
    assert_eq!(counted.bytes, 1000 + 300 + 10 + 100);
    // What stood before and is freed meanwhile makes room: it takes from what is live, not from what was asked for.
    assert_eq!(counted.peak, 0);
    assert_eq!(counted.live, 0);
    drop(kept);

    let (kept, counted) = count(|| {
        let first = vec![1u8; 1000];
        let second = vec![2u8; 300];
        drop(first);
        second
    });
    assert_eq!((counted.calls, counted.bytes, counted.peak, counted.live), (2, 1300, 1300, 300));
    drop(kept);
    assert_eq!(count(|| ()).1.calls, 0);
    let expected = if std::env::var(allocator::VARIABLE).is_ok_and(|value| value == "system") { "system" } else { "mimalloc" };
    assert_eq!(allocator::name(), expected);
}
