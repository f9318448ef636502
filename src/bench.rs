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
use crate::measure::forecast::Forecast;
use crate::measure::isolated;
use crate::measure::progress::minutes;
use crate::measure::session::{Course, Planned, Selection, Session, plan};
use crate::record::today;
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
/// How long each of a pair is timed.
const RATIO: Duration = Duration::from_secs(1);
const OTHER_ALLOCATOR_SAMPLES: usize = 3;

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
    for planned in plan(registry, &Selection::default(), members, codec_members) {
        let prepare = || planned.case.prepare(&mut stock, &planned.cell.spec).map_err(|error| error.to_string());
        bench(&mut criterion, &planned, "", prepare).map_err(|error| format!("{}: {error}", planned.cell))?;
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
    let records = PathBuf::from("docs/records").join(today());
    let file = records.join("bench.jsonl");
    let mut session = Session::start(registry, Selection::default(), "cargo bench", &file, &planned)?;

    let course = Course {
        again: AGAIN,
        ratios: members.iter().copied().max().into_iter().collect(),
        ratio_budget: Budget { samples: 7, time: RATIO },
        counted: members.iter().copied().min().into_iter().collect(),
        other_allocator: members.iter().copied().max().into_iter().collect(),
        other_allocator_samples: OTHER_ALLOCATOR_SAMPLES,
        process: false,
        readings: Vec::new(),
        reading_budget: Budget { samples: 7, time: RATIO },
    };
    eprintln!("wirewise: records go to {}.", file.display());
    let mut criterion = criterion();
    let forecast = Forecast::of(&planned);
    let seconds = |planned: &Planned| forecast.seconds(&planned.cell, SAMPLES + 3).max((WARM_UP + MEASUREMENT).as_secs_f64()) + 0.1;
    let elapsed = session.run(&planned, &course, &forecast, seconds, |stock, planned, again| {
        let prepare = || planned.case.prepare(stock, &planned.cell.spec).map_err(|error| error.to_string());
        bench(&mut criterion, planned, if again { "again-" } else { "" }, prepare)
    })?;
    criterion.final_summary();
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
