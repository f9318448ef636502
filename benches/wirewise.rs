//! `cargo bench`: the main job.

use wirewise::Registry;
use wirewise::measure::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() {
    wirewise::bench::main(&Registry::standard());
}
