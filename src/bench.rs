//! What `cargo bench` runs: every case of a registry through criterion, then the report of this run's records.
//!
//! Criterion gives the filters, the baselines and what other tools read; the samples are kept here, as criterion's loop hands them over,
//! so that nothing reads criterion's own files.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, SamplingMode, Throughput};

use crate::measure::Budget;
use crate::measure::isolated::{self, Task};
use crate::measure::session::{Planned, Selection, Session, minutes, plan};
use crate::record::Environment;
use crate::registry::{Loop, Registry, Stock};
use crate::report::Report;

/// How many members each format is measured at: one size that stays in a core's own cache, and the article's.
const MEMBERS: [usize; 2] = [1_000, 1_000_000];
/// How many members each codec is measured at: what makes a payload of about a megabyte, since the strongest level needs minutes for more.
const CODEC_MEMBERS: [usize; 1] = [10_000];
/// The environment variable that replaces both, as a list: `WIREWISE_MEMBERS=100,10000`.
const MEMBERS_VARIABLE: &str = "WIREWISE_MEMBERS";

/// Samples of each cell. Criterion takes no fewer than ten.
const SAMPLES: usize = 10;
const WARM_UP: Duration = Duration::from_millis(100);
const MEASUREMENT: Duration = Duration::from_millis(400);

/// Every how many cells one is measured again, for the noise floor.
const AGAIN: usize = 9;

/// The whole of a bench target of your own: `fn main() { wirewise::bench::main(&registry) }`.
///
/// Without a filter it ends with a report in `docs/report`, made from this run's records in `docs/records/<date>`.
pub fn main(registry: &Registry) {
    isolated::serve(registry);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match Mode::of(&arguments) {
        Mode::Whole => whole(registry),
        Mode::Part => part(registry, &sizes(&MEMBERS), &sizes(&CODEC_MEMBERS)),
        Mode::Test => part(registry, &[10], &[10]),
    };
    if let Err(error) = outcome {
        eprintln!("wirewise: {error}");
        std::process::exit(1);
    }
}

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
enum Mode {
    /// All cells, records and report.
    Whole,
    /// A filter, a list, or a profile: criterion alone.
    Part,
    /// Each cell once, as `cargo test` runs benches.
    Test,
}

impl Mode {
    fn of(arguments: &[String]) -> Self {
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        if has("--test") || !has("--bench") {
            return Self::Test;
        }
        let mut expects_value = false;
        for argument in arguments {
            if expects_value {
                expects_value = false;
                continue;
            }
            match argument.as_str() {
                "--save-baseline" | "-s" | "--baseline" | "-b" | "--baseline-lenient" | "--color" | "-c" | "--output-format" => {
                    expects_value = true
                }
                "--bench" | "--noplot" | "-n" | "--verbose" | "-v" | "--quiet" => {}
                other if other.starts_with("--") && other.contains('=') && !other.starts_with("--profile-time") => {}
                // A filter, or an option that changes how criterion samples: then the records would not be those of a whole run.
                _ => return Self::Part,
            }
        }
        Self::Whole
    }
}

fn sizes(default: &[usize]) -> Vec<usize> {
    let chosen = std::env::var(MEMBERS_VARIABLE).ok();
    let chosen: Option<Vec<usize>> = chosen.and_then(|list| list.split(',').map(|size| size.trim().parse().ok()).collect());
    chosen.unwrap_or_else(|| default.to_vec())
}

fn criterion() -> Criterion {
    Criterion::default()
        .sample_size(SAMPLES)
        .warm_up_time(WARM_UP)
        .measurement_time(MEASUREMENT)
        .nresamples(2000)
        .without_plots()
        .configure_from_args()
}

/// Criterion alone, as far as its filter goes.
fn part(registry: &Registry, members: &[usize], codec_members: &[usize]) -> Result<(), Box<dyn std::error::Error>> {
    let mut criterion = criterion();
    let mut stock = Stock::default();
    for Planned { case, cell } in plan(registry, &Selection::default(), members, codec_members) {
        let prepare = || case.prepare(&mut stock, &cell.spec).map_err(|error| error.to_string());
        bench(&mut criterion, &Planned { case: case.clone(), cell: cell.clone() }, "", prepare)
            .map_err(|error| format!("{cell}: {error}"))?;
    }
    criterion.final_summary();
    Ok(())
}

/// Runs one cell through criterion; returns its samples, in nanoseconds an iteration, if criterion's filter took it.
fn bench(
    criterion: &mut Criterion,
    Planned { case, cell }: &Planned,
    prefix: &str,
    prepare: impl FnOnce() -> Result<Loop, String>,
) -> Result<Vec<f64>, String> {
    // Prepared at criterion's first call, so that what its filter leaves out costs nothing.
    let prepare = RefCell::new(Some(prepare));
    let prepared: RefCell<Option<Result<Loop, String>>> = RefCell::new(None);
    let taken: Rc<RefCell<Vec<f64>>> = Rc::default();
    let mut group = criterion.benchmark_group(format!("{prefix}{}/{}", case.id.operation, case.id.dataset));
    group.throughput(Throughput::Elements(cell.spec.members as u64)).sampling_mode(SamplingMode::Flat);
    group.bench_with_input(BenchmarkId::new(case.id.pipeline(), cell.spec.members), &(), |bencher, ()| {
        bencher.iter_custom(|iterations| {
            let mut prepared = prepared.borrow_mut();
            let work = prepared.get_or_insert_with(|| prepare.take().map_or_else(|| Err("prepared twice".to_owned()), |prepare| prepare()));
            // Criterion has no way to fail: a cell that failed is told it took a moment, and its samples are dropped below.
            let elapsed = match work {
                Ok(work) => work(iterations).map_err(|error| error.to_string()),
                Err(error) => Err(error.clone()),
            };
            match elapsed {
                Ok(elapsed) => {
                    taken.borrow_mut().push(elapsed.as_secs_f64() * 1e9 / iterations as f64);
                    elapsed.max(Duration::from_nanos(1))
                }
                Err(error) => {
                    *prepared = Some(Err(error));
                    Duration::from_millis(100) * u32::try_from(iterations).unwrap_or(u32::MAX)
                }
            }
        });
    });
    group.finish();
    match prepared.into_inner() {
        Some(Err(error)) => Err(error),
        // The calls before the last ones were criterion's warm-up.
        _ => {
            let taken = taken.borrow();
            Ok(taken[taken.len().saturating_sub(SAMPLES)..].to_vec())
        }
    }
}

/// All cells, what is recorded beside times, and the report.
fn whole(registry: &Registry) -> Result<(), Box<dyn std::error::Error>> {
    let (members, codec_members) = (sizes(&MEMBERS), sizes(&CODEC_MEMBERS));
    let planned = plan(registry, &Selection::default(), &members, &codec_members);
    let records = PathBuf::from("docs/records").join(Environment::of_this_process("").date);
    let file = records.join("bench.jsonl");
    let mut session = Session::start(registry, Selection::default(), "cargo bench", &file, &planned)?;

    let largest = members.iter().copied().max().unwrap_or(0);
    let smallest = members.iter().copied().min().unwrap_or(0);
    let again: Vec<usize> =
        (0..planned.len()).filter(|index| index.is_multiple_of(AGAIN) && planned[*index].cell.id.codec.is_none()).collect();
    let ratios: usize = registry.comparisons().len();
    let counted: Vec<&Planned> = planned.iter().filter(|planned| planned.cell.spec.members == smallest && planned.is_counted()).collect();
    let other_allocator: Vec<&Planned> =
        planned.iter().filter(|planned| planned.cell.spec.members == largest && planned.is_the_allocators()).collect();
    let expected =
        planned.iter().chain(again.iter().map(|&index| &planned[index])).map(|planned| seconds(planned, SAMPLES + 3)).sum::<f64>()
            + ratios as f64 * RATIO_SECONDS
            + counted.len() as f64 * PROCESS_SECONDS
            + other_allocator.iter().map(|planned| seconds(planned, OTHER_ALLOCATOR_SAMPLES + 3)).sum::<f64>();
    let steps = planned.len() + again.len() + 1 + counted.len() + other_allocator.len();
    session.progress.expect(steps, expected);
    eprintln!("wirewise: {} cells, about {}. Records go to {}.", planned.len(), minutes(expected), file.display());

    let mut criterion = criterion();
    for (cells, prefix) in [((0..planned.len()).collect(), ""), (again, "again-")] {
        let cells: Vec<usize> = cells;
        for index in cells {
            let Planned { case, cell } = &planned[index];
            session.progress.step(format_args!("{prefix}{cell}"), seconds(&planned[index], SAMPLES + 3));
            let prepare = || case.prepare(&mut session.stock, &cell.spec).map_err(|error| error.to_string());
            let samples = bench(&mut criterion, &planned[index], prefix, prepare);
            if prefix.is_empty() {
                session.size(cell)?;
            }
            session.write_time(cell, !prefix.is_empty(), samples)?;
        }
    }
    criterion.final_summary();
    session.fidelity()?;
    session.default_limits(largest)?;
    session.progress.step("ratios", ratios as f64 * RATIO_SECONDS);
    session.ratios(largest, Budget { samples: 7, time: Duration::from_secs_f64(RATIO_SECONDS / 2.0) })?;
    for planned in counted {
        session.progress.step(format_args!("allocations of {}", planned.cell), PROCESS_SECONDS);
        session.isolated(Task::Count, &planned.cell)?;
    }
    for planned in other_allocator {
        session.progress.step(format_args!("with the system's allocator, {}", planned.cell), seconds(planned, OTHER_ALLOCATOR_SAMPLES + 3));
        session.isolated(Task::TimeWithSystemAllocator(OTHER_ALLOCATOR_SAMPLES), &planned.cell)?;
    }
    let elapsed = session.progress.end();
    drop(session);
    report(&records, elapsed)
}

fn report(records: &Path, elapsed: Duration) -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new("docs/report");
    let report = Report::from_folder(records)?;
    report.write(folder)?;
    eprintln!("wirewise: done in {}. The report: {}", minutes(elapsed.as_secs_f64()), folder.join("index.html").display());
    eprintln!("          The same for a terminal or a forge: {}", folder.join("index.md").display());
    Ok(())
}

const RATIO_SECONDS: f64 = 2.0;
const PROCESS_SECONDS: f64 = 0.05;
const OTHER_ALLOCATOR_SAMPLES: usize = 3;

/// About what so many iterations of a cell take through criterion.
fn seconds(planned: &Planned, iterations: usize) -> f64 {
    planned.expected_seconds(iterations).max((WARM_UP + MEASUREMENT).as_secs_f64()) + 0.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_tell_a_whole_run_from_a_part() {
        for (arguments, mode) in [
            ("--bench", Mode::Whole),
            ("--bench --save-baseline before", Mode::Whole),
            ("--save-baseline=before --bench --noplot", Mode::Whole),
            ("--bench decode/.*", Mode::Part),
            ("decode/.* --bench --save-baseline before", Mode::Part),
            ("--bench --list", Mode::Part),
            ("--bench --profile-time 5", Mode::Part),
            ("--bench --profile-time=5", Mode::Part),
            ("--bench --test", Mode::Test),
            ("", Mode::Test),
        ] {
            let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
            assert_eq!(Mode::of(&arguments), mode, "{arguments:?}");
        }
    }
}
