//! Payloads exchanged with other languages' libraries, as records: `scripts/interop-dotnet` and `scripts/interop` run this.
//!
//! ```text
//! interop dotnet PROGRAM RECORDS SAMPLES MEMBERS RUNS    with the .NET program
//! interop write FOLDER                                   payloads for other languages, and what they hold
//! interop read FOLDER RECORDS                            what other languages made of them, and their payloads
//! ```

mod dotnet;
mod others;

use std::path::Path;
use std::process::ExitCode;

use wirewise::record::{Interop, InteropWriter, Record, Run, Writer};

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

/// Writes the file of records, says each exchange, and whether all were equal.
fn record(program: &str, path: &Path, records: Vec<Record>) -> Result<bool> {
    let run = Run::unplanned(program, "mimalloc");
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
            Record::InteropTime(of) => println!(
                "{}: encode {:.1} ms there, {:.1} here; decode {:.1} ms there, {:.1} here",
                of.format, of.encode.0, of.encode.1, of.decode.0, of.decode.1
            ),
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
        ["dotnet", program, records, samples, members, runs] => {
            let measured = dotnet::exchange(Path::new(program), samples.parse()?, members.parse()?, runs.parse()?)?;
            record("scripts/interop-dotnet", Path::new(records), measured)?
        }
        ["write", folder] => {
            others::write(Path::new(folder))?;
            true
        }
        ["read", folder, records] => record("scripts/interop", Path::new(records), others::read(Path::new(folder))?)?,
        _ => return Err("dotnet PROGRAM RECORDS SAMPLES MEMBERS RUNS | write FOLDER | read FOLDER RECORDS".into()),
    };
    Ok(if all_equal { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
