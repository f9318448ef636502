//! How many instructions a format takes for a small payload, counted under valgrind: a regression shows on the noisiest machine.
//!
//! `cargo bench --features instructions --bench instructions` needs valgrind and gungraun-runner, see CONTRIBUTING.md. Cases have numbers there;
//! the lines above gungraun's output say which is which.

#![allow(missing_docs)]

use wirewise::Registry;
use wirewise::dataset::{Dataset, Organization};
use wirewise::operation::Operation;
use wirewise::registry::{Case, Loop, Stock};

/// The numbers of members that are counted: one message, and enough of them for what each costs to show.
const MEMBERS: [usize; 2] = [1, 100];

/// What is counted. Everything else of a format is made of these.
const OPERATIONS: [Operation; 3] = [Operation::Encode, Operation::Decode, Operation::Access];

fn cases() -> Vec<(Case, usize)> {
    let cases = Registry::standard().cases().into_iter();
    let chosen = cases.filter(|case| OPERATIONS.contains(&case.id.operation) && case.id.dataset == Organization::NAME);
    chosen.flat_map(|case| MEMBERS.map(|members| (case.clone(), members))).collect()
}

/// Prepared and run once, which is not counted: what a format or a reused sink does only the first time is not its cost.
fn prepared((case, members): (Case, usize)) -> Loop {
    let work = case.prepare(&mut Stock::default(), &Organization::spec(members));
    let mut work = work.unwrap_or_else(|error| panic!("{}: {error}", case.id));
    work(1).unwrap_or_else(|error| panic!("{}: {error}", case.id));
    work
}

/// What gungraun's macros make, apart from the `main` that they make too.
mod counted {
    use gungraun::{library_benchmark, library_benchmark_group};

    use super::{Loop, cases, prepared};

    #[library_benchmark(setup = prepared)]
    #[benches::case(iter = cases())]
    fn once(mut work: Loop) -> Loop {
        work(1).expect("it has run before");
        // What was prepared is dropped by the caller, and is not counted.
        work
    }

    library_benchmark_group!(name = instructions, benchmarks = once);

    gungraun::main!(library_benchmark_groups = instructions);

    pub(super) fn run() {
        main();
    }
}

fn main() {
    // The runner starts this program again for each case, with an argument of its own.
    if !std::env::args().any(|argument| argument.starts_with("--gungraun-run")) {
        for (number, (case, members)) in cases().iter().enumerate() {
            println!("case_{number}: {} of {members}", case.id);
        }
    }
    counted::run();
}
