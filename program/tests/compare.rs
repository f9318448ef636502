//! `wirewise cmp` and `wirewise export` as a user runs them, on records made here: what comes out is known to the figure. And the long
//! measurements, made short.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use wirewise::dataset::Spec;
use wirewise::operation::Operation;
use wirewise::record::{Build, Cell, Environment, Failure, Memory, Record, Run, Size, Time, VERSION, Writer};
use wirewise::registry::CaseId;

fn cell(operation: Operation, codec: Option<&str>) -> Cell {
    let id = CaseId { operation, dataset: "organization".into(), format: "json".into(), codec: codec.map(str::to_owned) };
    Cell { id, spec: Spec { members: 10, seed: 712, variant: "zh".into() } }
}

fn time(operation: Operation, again: bool, median: f64) -> Record {
    let samples = (-3..=3).map(|step| median * (1.0 + f64::from(step) / 1000.0)).collect();
    Record::Time(Time { cell: cell(operation, None), allocator: "fixed".into(), again, samples })
}

fn size(bytes: u64, codec: Option<&str>) -> Record {
    let spec = cell(Operation::Encode, None).spec;
    let codec = codec.map(str::to_owned);
    Record::Size(Size { spec, dataset: "organization".into(), format: "json".into(), codec, bytes, data_bytes: 50 })
}

fn failure(operation: Operation) -> Record {
    Record::Failure(Failure { cell: cell(operation, None), error: "no, \"never\" | at all".into() })
}

fn write(folder: &Path, name: &str, records: &[Record]) -> PathBuf {
    let path = folder.join(name);
    let environment = Environment::of_this_process(&Build { allocator: "fixed", ..Build::default() });
    let mut writer = Writer::create(&path, Run { version: VERSION, program: "test".into(), environment, planned: Vec::new() }).unwrap();
    for record in records {
        writer.write(record).unwrap();
    }
    path
}

/// The program's outcome in a folder that has `a.jsonl` and `b.jsonl`.
fn wirewise(before: &[Record], after: &[Record], arguments: &[&str]) -> (Output, String) {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "a.jsonl", before);
    write(folder.path(), "b.jsonl", after);
    let output = Command::new(env!("CARGO_BIN_EXE_wirewise")).args(arguments).current_dir(folder.path()).output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap() + &String::from_utf8_lossy(&output.stderr);
    (output, text)
}

#[test]
fn cmp_fails_above_the_bound_and_the_noise_and_only_then() {
    use Operation::{Decode, Encode};
    // Decode has an A/A pair: the second is so much slower, which is the noise of the whole size.
    let run = |encode: f64, noise: f64| vec![time(Encode, false, encode), time(Decode, false, 100.0), time(Decode, true, 100.0 * noise)];
    let before = run(1000.0, 1.01);
    let also = |mut run: Vec<Record>, record| {
        run.push(record);
        run
    };
    for (what, before, after, fails, says) in [
        ("the same", before.clone(), run(1000.0, 1.01), false, "0 worse, 0 better, 2 within the noise"),
        ("slower by less than the bound", before.clone(), run(1040.0, 1.01), false, "1 worse"),
        ("slower by more", before.clone(), run(1060.0, 1.01), true, "+6.0"),
        ("slower, and as noisy", before.clone(), run(1060.0, 1.07), false, "0 worse"),
        ("faster", before.clone(), run(900.0, 1.01), false, "1 better"),
        ("larger", also(before.clone(), size(100, None)), also(run(1000.0, 1.01), size(106, None)), true, "106 bytes"),
        ("lost", before.clone(), also(run(1000.0, 1.01).split_off(1), failure(Encode)), true, "fails now: no, \"never\""),
    ] {
        let (output, text) = wirewise(&before, &after, &["cmp", "a.jsonl", "b.jsonl", "--fail-above", "5%"]);
        assert_eq!(output.status.success(), !fails, "{what}: {text}");
        assert!(text.contains(says), "{what}: {text}");
        let (output, _) = wirewise(&before, &after, &["cmp", "a.jsonl", "b.jsonl"]);
        assert!(output.status.success(), "{what} without a bound");
    }
}

#[test]
fn cmp_says_what_cannot_be_compared() {
    let only = |operation| vec![time(operation, false, 10.0)];
    let (output, text) = wirewise(&only(Operation::Encode), &only(Operation::Decode), &["cmp", "a.jsonl", "b.jsonl"]);
    assert!(!output.status.success() && text.contains("no cell in common"), "{text}");
    let (output, text) = wirewise(&only(Operation::Encode), &[], &["cmp", "a.jsonl", "b.jsonl", "--fail-above", "5"]);
    assert!(!output.status.success() && text.contains("a percentage such as 5%"), "{text}");
    let (output, text) = wirewise(&only(Operation::Encode), &[], &["cmp", "a.jsonl", "none.jsonl"]);
    assert!(!output.status.success() && text.contains("none.jsonl"), "{text}");
}

#[test]
fn export_writes_what_other_tools_read() {
    let memory = Record::Memory(Memory {
        cell: cell(Operation::Encode, None),
        allocations: 3,
        allocated_bytes: 300,
        peak_bytes: 200,
        resident_peak_bytes: 1000,
        state_bytes: 0,
    });
    let records =
        [time(Operation::Encode, false, 2e6), time(Operation::Encode, true, 3e6), size(100, None), memory, failure(Operation::Decode)];
    let export = |to| {
        let (output, text) = wirewise(&records, &[], &["export", "a.jsonl", "--to", to]);
        assert!(output.status.success(), "{text}");
        text
    };

    let text = export("csv");
    let mut lines = text.lines();
    let columns = "name,model,rebar_version,engine,engine_version,err,haystack_len,iters,total,median,mad,mean,stddev,min,max";
    assert_eq!(lines.next(), Some(columns));
    let encode: Vec<&str> = lines.next().unwrap().split(',').collect();
    assert_eq!((encode[0], encode[1], encode[3]), ("encode/organization-zh-712/10", "encode", "json"));
    assert_eq!(encode[6..], ["100", "7", "14.00ms", "2.00ms", "4.00us", "2.00ms", "4.00us", "1.99ms", "2.01ms"]);
    assert!(lines.next().unwrap().contains(r#","no, ""never"" | at all",100,0,0.00ns"#), "{text}");

    let text = export("markdown");
    let row = "| encode | organization-zh-712/10 | json | 2.00 ms | 1.99 ms–2.01 ms | 200,000 |";
    assert!(text.lines().any(|line| line == row), "{text}");
    assert!(text.contains(r#"failed: no, "never" \| at all"#), "{text}");

    let bencher: serde_json::Value = serde_json::from_str(&export("bencher")).unwrap();
    let encode = &bencher["encode/organization/json/zh/10"];
    assert_eq!(encode["latency"]["value"], 2e6);
    assert!(encode["latency"]["lower_value"].as_f64().unwrap() < 2e6);
    assert_eq!(encode["allocated-bytes"]["value"], 300.0);
    assert_eq!(bencher["payload/organization/json/zh/10"]["file-size"]["value"], 100.0);
    assert_eq!(bencher["decode/organization/json/zh/10"], serde_json::Value::Null);

    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "empty.jsonl", &[]);
    let output = Command::new(env!("CARGO_BIN_EXE_wirewise")).args(["export", "empty.jsonl"]).current_dir(folder.path()).output().unwrap();
    assert!(!output.status.success() && String::from_utf8_lossy(&output.stderr).contains("no cell was timed"));
}

/// The program in a folder, and what it wrote to its standard error.
#[cfg(feature = "json")]
fn measure(folder: &Path, arguments: &str) -> (bool, String) {
    let common = "measure --format json --samples 1 --seconds 0 --times-only --out records/run.jsonl";
    let arguments = common.split(' ').chain(arguments.split(' '));
    let output = Command::new(env!("CARGO_BIN_EXE_wirewise")).args(arguments).current_dir(folder).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
#[cfg(feature = "json")]
fn a_full_run_goes_on_where_it_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("records/run.jsonl");
    let full = |members: &str| measure(folder.path(), &format!("--full --members {members} --codec none"));
    assert!(full("1,30").0);
    let whole = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();

    // Killed in the middle of a line: that one and those behind it are measured again, the others are kept to the byte.
    let kept = 20;
    std::fs::write(&path, format!("{}\n{}", lines[..kept].join("\n"), &lines[kept][..20])).unwrap();
    let (succeeded, said) = full("1,30");
    assert!(succeeded && said.contains("records are there already"), "{said}");
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(again.lines().take(kept).collect::<Vec<_>>(), lines[..kept]);
    // A break-even point depends on the times, and so does how many of them are run.
    let but_passes = |text: &str| text.lines().filter(|line| !line.contains(r#""kind":"passes""#)).count();
    assert_eq!(but_passes(&again), but_passes(&whole));

    // Killed among the readings of a format, which belong together: all of them are measured again.
    let readings = again.lines().position(|line| line.contains(r#""kind":"reading""#)).unwrap();
    std::fs::write(&path, again.lines().take(readings + 2).fold(String::new(), |text, line| text + line + "\n")).unwrap();
    assert!(full("1,30").0);
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(but_passes(&again), but_passes(&whole));

    let (succeeded, said) = full("1,30");
    assert!(succeeded && said.contains("0 cells"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), again);

    let (succeeded, said) = full("1");
    assert!(!succeeded && said.contains("another run: its plan is of"), "{said}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), again);
}

#[test]
#[cfg(feature = "json")]
fn the_report_tells_where_conclusions_turn_and_ways_cross() {
    let folder = tempfile::tempdir().unwrap();
    assert!(measure(folder.path(), "--members 20 --codec none --readings").0);
    std::fs::rename(folder.path().join("records/run.jsonl"), folder.path().join("records/plain.jsonl")).unwrap();
    assert!(measure(folder.path(), "--members 20 --codec none --shapes --operation encode,decode,clone,read-all").0);
    let output =
        Command::new(env!("CARGO_BIN_EXE_wirewise")).args(["report", "--records", "records"]).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let page = std::fs::read_to_string(folder.path().join("docs/report/index.md")).unwrap();
    for words in ["Where the conclusions turn", "15 of 15", "| json | borrow, then read |", "of opening and passes together"] {
        assert!(page.contains(words), "{words}");
    }
}
