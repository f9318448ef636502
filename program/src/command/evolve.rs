//! `wirewise evolve`: every kind of schema change, run through every format; or one cell, shown as it happens.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;

use super::print_table;
use wirewise::evolution::change::{Direction, Side};
use wirewise::evolution::formats::Setting;
use wirewise::evolution::matrix::{CellId, SEED, VALUES, cells};
use wirewise::evolution::{change_named, change_numbered, changes, documented, isolated, price, witness};
use wirewise::measure::build;
use wirewise::record::{Evolution, EvolutionVerdict, Record, Run, Writer};
use wirewise::report::number;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Show this cell happening, by its name, such as EVO-R-01-fwd
    cell: Option<CellId>,
    /// Only this format or setting, such as rkyv or json-default
    #[arg(long)]
    format: Option<String>,
    /// Only this change, such as append-optional-field, or its number
    #[arg(long)]
    change: Option<String>,
    /// Print the cells as JSON lines
    #[arg(long, conflicts_with = "cell")]
    json: bool,
    /// Write the cells as records to this file as well
    #[arg(long, value_name = "FILE", conflicts_with = "cell")]
    records: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if let Some(cell) = arguments.cell {
        return show(cell);
    }
    let wanted = wanted(arguments)?;
    let start = Instant::now();
    let results = isolated::run_all(&wanted, |_| ()).context("the cells' processes")?;
    let seconds = start.elapsed().as_secs_f64();
    let is_whole = arguments.format.is_none() && arguments.change.is_none();
    let prices = if is_whole { price::prices(&results) } else { Vec::new() };
    if let Some(path) = &arguments.records {
        let run = Run::unplanned("wirewise evolve", &build());
        let mut writer = Writer::create(path, run).with_context(|| path.display().to_string())?;
        for result in &results {
            writer.write(&Record::Evolution(Box::new(result.clone())))?;
        }
        for price in &prices {
            writer.write(&Record::EvolutionPrice(price.clone()))?;
        }
    }
    if arguments.json {
        for result in &results {
            println!("{}", Record::Evolution(Box::new(result.clone())).to_json()?);
        }
        for price in &prices {
            println!("{}", Record::EvolutionPrice(price.clone()).to_json()?);
        }
        return Ok(ExitCode::SUCCESS);
    }
    print_matrix(&results);
    if !is_whole {
        print_details(&results);
    }
    if is_whole {
        println!(
            "\nWHAT IT COSTS, for {} entries; never silent: changes that are, for no value in neither direction\n",
            prices.first().map_or(0, |price| price.entries)
        );
        let rows: Vec<Vec<String>> = prices
            .iter()
            .map(|price| {
                vec![
                    price.format.clone(),
                    number::count(price.bytes),
                    format!("{:.0}", price.write_nanoseconds),
                    format!("{:.0}", price.read_nanoseconds),
                    format!("{}/{}", price.never_silent, price.changes),
                    price.note.clone(),
                ]
            })
            .collect();
        print_table(
            &["format", "bytes", "ns to write one", "to read one", "never silent", "what it is"],
            &rows,
            &[false, true, true, true, true, false],
        );
    }
    print_differences(&results);
    print_sums(&results, seconds);
    Ok(ExitCode::SUCCESS)
}

fn wanted(arguments: &Arguments) -> anyhow::Result<Vec<CellId>> {
    let number = match &arguments.change {
        None => None,
        Some(text) => {
            let change = change_named(text).or_else(|| change_numbered(text.parse().ok()?));
            let names = || changes().iter().map(|change| change.name).collect::<Vec<_>>().join(", ");
            Some(change.with_context(|| format!("no change {text}; there are {}", names()))?.number)
        }
    };
    let is_wanted = |setting: Setting| match &arguments.format {
        None => true,
        Some(name) => setting.name() == name || setting.format().replace('_', "-") == *name,
    };
    let wanted: Vec<CellId> =
        cells().into_iter().filter(|cell| number.is_none_or(|number| cell.number == number) && is_wanted(cell.setting)).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = Setting::ALL.iter().map(|setting| setting.name()).collect();
        bail!("no format {}; there are {}", arguments.format.as_deref().unwrap_or_default(), names.join(", "));
    }
    Ok(wanted)
}

/// A row for each change, a column for each setting: forward, backward and hop, the worst outcome's letter each.
fn print_matrix(results: &[Evolution]) {
    let settings: Vec<Setting> =
        Setting::ALL.iter().copied().filter(|setting| results.iter().any(|result| result.format == setting.name())).collect();
    let mut head = vec!["#", "change"];
    head.extend(settings.iter().map(|setting| setting.letter()));
    let rows: Vec<Vec<String>> = changes()
        .iter()
        .filter(|change| results.iter().any(|result| result.number == change.number))
        .map(|change| {
            let mut row = vec![change.number.to_string(), change.name.to_owned()];
            row.extend(settings.iter().map(|setting| {
                let letters = Direction::ALL.map(|direction| {
                    let of = |result: &&Evolution| {
                        result.number == change.number && result.format == setting.name() && result.direction == direction.to_string()
                    };
                    results.iter().find(of).map_or(' ', letter)
                });
                String::from_iter(letters)
            }));
            row
        })
        .collect();
    println!("FORWARD, BACKWARD, HOP: the worst of {} values at each of 4 positions, seed {SEED}\n", VALUES);
    let mut right = vec![false; head.len()];
    right[0] = true;
    print_table(&head, &rows, &right);
    println!("\nO works  K kept by its number  D defaulted  X dropped  E error  S silently wrong  ! crash  – does not apply");
    for setting in settings {
        println!("{:>4}  {:<26}{}", setting.letter(), setting.name(), setting.note());
    }
}

fn letter(result: &Evolution) -> char {
    match &result.verdict {
        EvolutionVerdict::Ran { letter, .. } => *letter,
        EvolutionVerdict::NotApplicable { .. } => '–',
        EvolutionVerdict::Failed { .. } => '?',
    }
}

fn print_details(results: &[Evolution]) {
    println!("\nCELLS\n");
    let rows: Vec<Vec<String>> = results
        .iter()
        .map(|result| {
            let (worst, share, detail) = match &result.verdict {
                EvolutionVerdict::Ran { worst, values, with_worst, hop, example, .. } => {
                    let example = example.as_ref().map_or_else(String::new, |example| match &example.error {
                        Some(error) => error.lines().next().unwrap_or_default().to_owned(),
                        None if worst == "exact" => String::new(),
                        None => format!("{}: {} for {}", example.field, example.got, example.expected),
                    });
                    let worst = hop.as_ref().map_or_else(|| worst.clone(), |hop| format!("{worst}, {hop}"));
                    (worst, format!("{with_worst}/{values}"), example.chars().take(110).collect())
                }
                EvolutionVerdict::NotApplicable { reason } => ("does not apply".into(), String::new(), reason.clone()),
                EvolutionVerdict::Failed { reason } => ("failed".into(), String::new(), reason.clone()),
            };
            let documented = result.documented.clone().unwrap_or_default();
            vec![result.id.clone(), worst, share, documented, detail]
        })
        .collect();
    print_table(&["cell", "worst", "values", "documented", "for example"], &rows, &[false, false, true, false, false]);
}

fn print_differences(results: &[Evolution]) {
    let rows: Vec<Vec<String>> = results
        .iter()
        .filter(|result| result.differs)
        .map(|result| {
            let share = match &result.verdict {
                EvolutionVerdict::Ran { values, with_worst, .. } => format!("{with_worst}/{values}"),
                _ => String::new(),
            };
            vec![result.id.clone(), result.title.clone(), result.documented.clone().unwrap_or_default(), letter(result).to_string(), share]
        })
        .collect();
    if !rows.is_empty() {
        println!("\nDOCUMENTED AGAINST MEASURED, where the two differ; ? was inferred and not documented\n");
        print_table(&["cell", "change", "documented", "measured", "values"], &rows, &[false; 5]);
    }
}

fn print_sums(results: &[Evolution], seconds: f64) {
    let mut values = 0;
    let mut silent = 0;
    let mut ran = 0;
    for result in results {
        if let EvolutionVerdict::Ran { values: count, silent: wrong, .. } = &result.verdict {
            ran += 1;
            values += u64::from(*count);
            silent += usize::from(*wrong > 0);
        }
    }
    let without = results.len() - ran;
    let compared = results
        .iter()
        .filter(|result| result.documented.is_some() && !matches!(result.verdict, EvolutionVerdict::NotApplicable { .. }))
        .count();
    let differing = results.iter().filter(|result| result.differs).count();
    println!(
        "\n{} cells: {ran} run with {} values in {seconds:.1} s, {without} do not apply; {silent} silent; {differing} of {compared} differ from what is documented. \
         `wirewise evolve <cell>` shows one, as in `wirewise evolve EVO-R-01-fwd`.",
        results.len(),
        number::count(values)
    );
}

/// One cell, from the schemas to what came out.
fn show(id: CellId) -> anyhow::Result<ExitCode> {
    let change = change_numbered(id.number).context("no such change")?;
    let results = isolated::run_all(&[id], |_| ()).context("the cell's process")?;
    let result = results.first().context("the cell has no result")?;
    println!("{id}: {}, in {} ({}), {}\n", change.title, id.setting.name(), id.setting.note(), id.direction);
    println!("Intended: {}.", change.intent);
    println!("Rule: {}.", documented::rule(id.setting.format()));
    if let Some(documented) = &result.documented {
        println!("Documented: {documented}. Measured: {}{}.", letter(result), if result.differs { ", which differs" } else { "" });
    }
    println!();
    let is_silent = matches!(&result.verdict, EvolutionVerdict::Ran { witness: Some(_), .. });
    for side in Side::ALL.into_iter().filter(|_| !is_silent) {
        println!("{} schema\n", side.name());
        for line in witness::schema(change, id.setting, side).trim_end().lines() {
            println!("{}", format!("    {line}").trim_end());
        }
        println!();
    }
    match &result.verdict {
        EvolutionVerdict::NotApplicable { reason } => println!("Does not apply: {reason}."),
        EvolutionVerdict::Failed { reason } => println!("Failed: {reason}."),
        EvolutionVerdict::Ran { worst, values, with_worst, unwritable, positions, example, witness, hop, .. } => {
            println!("Worst: {worst}, for {with_worst} of {values} values.");
            if let Some(hop) = hop {
                println!("The hop: {hop}.");
            }
            if *unwritable > 0 {
                println!("{unwritable} more could not be written: the writer's types cannot hold them.");
            }
            println!();
            let rows: Vec<Vec<String>> = positions
                .iter()
                .map(|position| {
                    let outcomes = position.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}"));
                    vec![position.position.clone(), outcomes.collect::<Vec<_>>().join(", ")]
                })
                .collect();
            print_table(&["position", "outcomes"], &rows, &[false; 2]);
            if let Some(example) = example.as_ref().filter(|_| witness.is_none()) {
                let field = if example.field.is_empty() { "the whole" } else { &example.field };
                println!("\nFor example, {}, {field}: ", example.position);
                println!("    expected  {}", example.expected);
                match &example.error {
                    Some(error) => println!("    error     {error}"),
                    None => println!("    got       {}", example.got),
                }
            }
            if let Some(witness) = witness {
                println!("\nThe smallest payload found that is silently wrong, {} bytes:\n", witness.payload.len() / 2);
                for line in witness.dump().lines() {
                    println!("{}", format!("    {line}").trim_end());
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}
