//! Payloads exchanged with other languages' libraries, as records: `scripts/interop-dotnet` and `scripts/interop` run this.
//!
//! ```text
//! interop dotnet PROGRAM RECORDS SAMPLES MEMBERS RUNS [FORMAT…]    with the .NET program
//! interop write FOLDER                                             payloads for other languages, and what they hold
//! interop read FOLDER RECORDS                                      what other languages made of them, and their payloads
//! ```

mod dotnet;
mod others;

use std::path::Path;
use std::process::ExitCode;

use wirewise::measure::allocator::Allocator;
use wirewise::measure::build;
use wirewise::record::{Interop, InteropTime, InteropWriter, Record, Run, Writer};

/// The one of all other measurements.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// What came of the payloads of one library in one format and direction.
struct Tally(Interop);

impl Tally {
    fn new(language: &str, library: &str, version: &str, format: &str, written_by: InteropWriter) -> Self {
        let [language, library, version, format] = [language, library, version, format].map(str::to_owned);
        Self(Interop {
            language,
            library,
            version,
            format,
            written_by,
            payloads: 0,
            equal: 0,
            differed: 0,
            known: 0,
            refused: 0,
            examples: vec![],
        })
    }

    /// Counts a payload: equal or not, or the reason why it was refused; `known` is why it may differ.
    fn count(&mut self, name: &str, outcome: std::result::Result<bool, String>, known: Option<&str>) {
        self.0.payloads += 1;
        let said = match outcome {
            Ok(true) => {
                self.0.equal += 1;
                return;
            }
            Ok(false) => {
                self.0.differed += 1;
                match known {
                    Some(reason) => {
                        self.0.known += 1;
                        format!("not equal: {reason}")
                    }
                    None => "not equal".to_owned(),
                }
            }
            Err(reason) => {
                self.0.refused += 1;
                reason
            }
        };
        if self.0.examples.len() < 3 {
            self.0.examples.push(format!("{name}: {said}"));
        }
    }
}

/// A format's times in words.
fn said(of: &InteropTime) -> String {
    let (encode, decode) = (of.encode, of.decode);
    let [encoding, decoding] = [encode, decode].map(|(there, here)| there / here);
    format!(
        "{}: encode {:.1} ms there, {:.1} here ({encoding:.2}×); decode {:.1} ms there, {:.1} here ({decoding:.2}×)",
        of.format, encode.0, encode.1, decode.0, decode.1
    )
}

/// Writes the file of records, says each exchange, and whether all were equal.
fn record(program: &str, path: &Path, records: Vec<Record>) -> Result<bool> {
    let run = Run::unplanned(program, &build());
    let mut writer = Writer::create(path, run)?;
    let mut all_equal = true;
    for record in &records {
        writer.write(record)?;
        match record {
            Record::Interop(of) => {
                all_equal &= of.equal + of.known == of.payloads;
                let by = if of.written_by == InteropWriter::Here { "written here" } else { "written there" };
                println!("{} {} {}: {}, {by}: {} of {} equal", of.language, of.library, of.version, of.format, of.equal, of.payloads);
                of.examples.iter().for_each(|example| println!("    {example}"));
            }
            Record::InteropTime(of) => println!("{}", said(of)),
            Record::InteropSmall(of) => println!("{}: {:.0} ± {:.0} ns, {} bytes allocated", of.what, of.mean, of.deviation, of.allocated),
            Record::InteropSkipped(of) => println!("skipped {}: {}", of.what, of.reason),
            _ => {}
        }
    }
    Ok(all_equal)
}

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let all_equal = match arguments[..] {
        ["dotnet", program, records, samples, members, runs, ref formats @ ..] => {
            let wanted = dotnet::Wanted { samples: samples.parse()?, members: members.parse()?, runs: runs.parse()?, formats };
            let measured = dotnet::run(Path::new(program), &wanted)?;
            record("scripts/interop-dotnet", Path::new(records), measured)?
        }
        ["write", folder] => {
            others::write(Path::new(folder))?;
            true
        }
        ["read", folder, records] => record("scripts/interop", Path::new(records), others::read(Path::new(folder))?)?,
        _ => return Err("dotnet PROGRAM RECORDS SAMPLES MEMBERS RUNS [FORMAT…] | write FOLDER | read FOLDER RECORDS".into()),
    };
    Ok(if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
