//! The program: see `wirewise --help`.

use std::process::ExitCode;

use wirewise::Registry;
use wirewise::measure::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> ExitCode {
    wirewise_cli::main(&Registry::standard())
}
