//! Article 001: one small object, MessagePack against JSON.
//!
//! The object, its layouts and what is tabulated are the article's. The columns mean what they do in the .NET benchmarks that it uses: the
//! error is half of the 99.9 % confidence interval of the mean, the deviation that of the samples. No figure of the article is at hand.

use std::time::Duration;

use super::{Arguments, Claim, NOT_AT_HAND, Verdict, exact, print_claims};
use crate::command::print_table;
use wirewise::dataset::{Dataset, Person};
use wirewise::measure::{Budget, allocator, sample};
use wirewise::operation::Operation;
use wirewise::registry::{CaseId, Registry, Stock};
use wirewise::report::number;
use wirewise::statistics::Summary;

const RUNS: u16 = 100;

/// What is put against each other: the layouts that the article's libraries write, and the libraries of this language.
struct Pair {
    title: &'static str,
    json: &'static str,
    message_pack: &'static str,
}

const PAIRS: [Pair; 2] = [
    Pair { title: ".NET's bytes", json: "system-text-json", message_pack: "messagepack-csharp-map" },
    Pair { title: "Rust's libraries", json: "json", message_pack: "messagepack-map" },
];

/// One of the figures.
type Column = fn(&Figures) -> Summary;

/// What the article compares, in which MessagePack is to come out below.
const COMPARED: [(&str, Column); 5] = [
    ("encode time", |figures| figures.encode.interval()),
    ("decode time", |figures| figures.decode.interval()),
    ("size", |figures| exact(figures.bytes as f64)),
    ("memory allocated to encode", |figures| exact(figures.encode.allocated as f64)),
    ("memory allocated to decode", |figures| exact(figures.decode.allocated as f64)),
];

struct Figures {
    encode: Times,
    decode: Times,
    bytes: usize,
}

/// Of one operation: nanoseconds, and bytes allocated each time.
struct Times {
    mean: f64,
    error: f64,
    deviation: f64,
    allocated: u64,
}

impl Times {
    fn of(samples: &[f64], allocated: u64) -> Self {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        Self { mean, error: student_999(count - 1.0) * deviation / count.sqrt(), deviation, allocated }
    }

    /// The mean in its interval.
    fn interval(&self) -> Summary {
        Summary { median: self.mean, low: self.mean - self.error, high: self.mean + self.error }
    }
}

/// What Student's t exceeds in one of a thousand cases, on either side, by the first terms of its expansion around the normal distribution.
/// It is within a hundredth from nine degrees of freedom on; below, it is too small.
fn student_999(freedom: f64) -> f64 {
    const Z: f64 = 3.290_526_731_491_925;
    let freedom = freedom.max(1.0);
    let [z3, z5, z7] = [3, 5, 7].map(|power| Z.powi(power));
    Z + (z3 + Z) / (4.0 * freedom)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * Z) / (96.0 * freedom.powi(2))
        + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * Z) / (384.0 * freedom.powi(3))
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) {
    let runs = arguments.runs.unwrap_or(RUNS);
    let (mut rows, mut claims): (Vec<Vec<String>>, Vec<Claim>) = (Vec::new(), Vec::new());
    for pair in &PAIRS {
        let json = measure(registry, pair.json, runs);
        let message_pack = measure(registry, pair.message_pack, runs);
        for (format, figures) in [(pair.json, &json), (pair.message_pack, &message_pack)] {
            for (operation, of) in
                [("encode", (|figures| &figures.encode) as fn(&Figures) -> &Times), ("decode", |figures| &figures.decode)]
            {
                rows.push(row(format, operation, figures, json.as_ref().ok(), of));
            }
        }
        for (what, of) in COMPARED {
            let verdict = match (&json, &message_pack) {
                (Ok(json), Ok(message_pack)) => Some(Verdict::below(of(message_pack), of(json))),
                _ => None,
            };
            claims.push((format!("{}: MessagePack has less {what}", pair.title), verdict, None));
        }
    }
    println!("One Person, {runs} samples a row; what was decoded is what was encoded.\n");
    let head = ["", "", "mean ns", "error", "deviation", "ratio", "allocated", "bytes", "published"];
    print_table(&head, &rows, &[false, false, true, true, true, true, true, true, true]);
    println!(
        "\nThe ratio is to JSON in the same operation. The error is half of the mean's 99.9 % interval; where these overlap, it is a tie."
    );
    println!("The article's runs are another machine's and another runtime's, and its figures are not at hand: only the claims compare.\n");
    print_claims("MessagePack against JSON", "ratio", &claims);
}

fn row(
    format: &str,
    operation: &str,
    figures: &Result<Figures, String>,
    json: Option<&Figures>,
    of: fn(&Figures) -> &Times,
) -> Vec<String> {
    let cells = match figures {
        Ok(figures) => {
            let times = of(figures);
            let ratio = json.map_or_else(|| "–".to_owned(), |json| format!("{:.2}", times.mean / of(json).mean));
            let nanoseconds = |time: f64| format!("{time:.1}");
            let (allocated, bytes) = (number::count(times.allocated), number::count(figures.bytes as u64));
            [nanoseconds(times.mean), nanoseconds(times.error), nanoseconds(times.deviation), ratio, allocated, bytes]
        }
        Err(reason) => [reason.clone(), "–".into(), "–".into(), "–".into(), "–".into(), "–".into()],
    };
    [format.to_owned(), operation.to_owned()].into_iter().chain(cells).chain([NOT_AT_HAND.to_owned()]).collect()
}

fn measure(registry: &Registry, format: &str, runs: u16) -> Result<Figures, String> {
    let mut stock = Stock::default();
    let spec = Person::spec(1);
    let source = registry.source(format, Person::NAME).ok_or("its feature is not enabled")?;
    let bytes = source.payload(&mut stock, &spec).map_err(|error| error.to_string())?.len();
    let mut times = |operation: Operation| -> Result<Times, String> {
        let id = CaseId { operation, dataset: Person::NAME.into(), format: format.into(), codec: None };
        let case = registry.case(&id).ok_or_else(|| format!("there is no {id}"))?;
        let mut work = case.prepare(&mut stock, &spec).map_err(|error| error.to_string())?;
        let budget = Budget { samples: usize::from(runs), time: Duration::ZERO };
        let samples = sample(&mut work, budget).map_err(|error| error.to_string())?;
        let (ran, allocated) = allocator::count(|| work(1));
        ran.map_err(|error| error.to_string())?;
        Ok(Times::of(&samples, allocated.bytes))
    };
    Ok(Figures { encode: times(Operation::EncodeFresh)?, decode: times(Operation::Decode)?, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_is_that_of_students_table() {
        for (freedom, tabulated) in [(9.0, 4.781), (20.0, 3.850), (30.0, 3.646), (100.0, 3.390)] {
            assert!((student_999(freedom) - tabulated).abs() < 0.015, "{freedom}: {}", student_999(freedom));
        }
        let times = Times::of(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0], 0);
        assert_eq!((times.mean, (times.deviation * 1e4).round()), (5.5, 30277.0));
        assert!((times.error - 4.781 * 3.0277 / 10f64.sqrt()).abs() < 0.02);
    }
}
