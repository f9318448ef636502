//! The program as a user runs it.

// The program has nothing to work on without a format.
#![cfg(feature = "json")]

use std::path::Path;
use std::process::{Command, Output};

fn wirewise(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wirewise")).args(arguments).current_dir(folder).output().unwrap()
}

fn succeeds(folder: &Path, arguments: &[&str]) -> String {
    let output = wirewise(folder, arguments);
    assert!(output.status.success(), "wirewise {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn fails(folder: &Path, arguments: &[&str]) -> String {
    let output = wirewise(folder, arguments);
    assert!(!output.status.success(), "wirewise {arguments:?} succeeded");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn list_shows_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeeds(folder.path(), &["list"]);
    for word in ["FORMATS", "OPERATIONS", "CODECS", "DATASETS", "organization", "zh, ja, en"] {
        assert!(text.contains(word), "{word}");
    }
    for (feature, names) in [(cfg!(feature = "json"), "json"), (cfg!(feature = "zstd"), "zstd-19"), (cfg!(feature = "rkyv"), "rkyv")] {
        assert_eq!(text.contains(names), feature, "{names}");
    }
    for line in succeeds(folder.path(), &["list", "--json"]).lines() {
        serde_json::from_str::<wirewise::record::Record>(line).unwrap();
    }
}

/// `wirewise list | head` ends with `head`, and says nothing of it.
#[test]
#[cfg(unix)]
fn output_that_nobody_reads_is_no_error() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = Command::new(env!("CARGO_BIN_EXE_wirewise")).arg("list").stdout(writer).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// From a measurement to a report, and the check that notices when the two part.
#[test]
fn measure_then_report_then_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fails(path, &["report"]);
    succeeds(path, &["measure", "--members", "20,50", "--samples", "2", "--seconds", "0"]);
    let said = succeeds(path, &["report"]);
    assert!(said.contains("index.html"), "{said}");
    succeeds(path, &["report", "--check"]);

    let page = path.join("docs/report/index.md");
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text.replacen("members", "nembers", 1)).unwrap();
    let complaint = fails(path, &["report", "--check"]);
    assert!(complaint.contains("index.md"), "{complaint}");
    succeeds(path, &["report"]);
    succeeds(path, &["report", "--check"]);

    // A run that was killed has holes, and a report of it would be a lie.
    let day = std::fs::read_dir(path.join("docs/records")).unwrap().next().unwrap().unwrap().path();
    let records = day.join("measure.jsonl");
    let lines: Vec<String> = std::fs::read_to_string(&records).unwrap().lines().map(str::to_owned).collect();
    let cut: Vec<&str> = lines.iter().map(String::as_str).filter(|line| !line.contains(r#""kind":"time","operation":"clone""#)).collect();
    assert!(cut.len() < lines.len());
    std::fs::write(&records, cut.join("\n")).unwrap();
    let complaint = fails(path, &["report"]);
    assert!(complaint.contains("clone/organization/native"), "{complaint}");
}

#[test]
fn measure_takes_a_choice_and_writes_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeeds(
        folder.path(),
        &["measure", "--members", "10", "--operation", "clone", "--samples", "1", "--seconds", "0", "--times-only", "--out", "-"],
    );
    let records: Vec<wirewise::record::Record> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(matches!(records[0], wirewise::record::Record::Run(_)));
    assert!(records.iter().any(|record| matches!(record, wirewise::record::Record::Time(_))));
    assert!(fails(folder.path(), &["measure", "--format", "jason"]).contains("no format \"jason\""));
    assert!(fails(folder.path(), &["measure", "--operation", "encoed"]).contains("no operation \"encoed\""));
}

/// A short run: nothing panics, dies or takes more than it may, and behind the envelope nothing is wrong in silence.
#[test]
fn torture_keeps_its_promises() {
    use wirewise::record::{Record, RunRecords};

    let folder = tempfile::tempdir().unwrap();
    succeeds(folder.path(), &["torture", "--mutations", "400", "--records", "torture.jsonl"]);
    let results = RunRecords::read(&folder.path().join("torture.jsonl")).unwrap().records;
    assert!(!results.is_empty());
    for result in results {
        let Record::Torture(result) = result else { panic!("{result:?}") };
        let name = &result.target;
        assert_eq!(result.tally.failures, [], "{name}");
        assert_eq!((result.tally.sealed.different, result.tally.sealed.panics), (0, 0), "{name}");
        for operation in result.tally.operations() {
            let counts = result.tally.of_operation(operation);
            assert_eq!(counts.total(), 400, "{operation} of {name}");
            assert!(counts.refused > 0, "{operation} of {name} refuses nothing");
        }
    }
    let text = succeeds(folder.path(), &["torture", "--format", "json", "--only", "0"]);
    assert!(text.contains("cut to 0 bytes of an ordinary value"), "{text}");
    assert!(fails(folder.path(), &["torture", "--format", "jason"]).contains("no format or codec \"jason\""));
}

#[test]
fn reproduce_says_what_holds() {
    let folder = tempfile::tempdir().unwrap();
    let text = succeeds(folder.path(), &["reproduce", "--members", "200", "--runs", "1"]);
    assert!(text.contains("92,853,782"), "{text}");
    let custom = cfg!(feature = "custom");
    let line = text.lines().find(|line| line.starts_with("Custom ")).unwrap();
    assert_eq!(line.contains("its feature is not enabled"), !custom, "{line}");
    let all = ["json", "custom", "binary-writer", "protobuf", "messagepack", "lz4"];
    let enabled = [
        cfg!(feature = "json"),
        custom,
        cfg!(feature = "binary-writer"),
        cfg!(feature = "protobuf"),
        cfg!(feature = "messagepack"),
        cfg!(feature = "lz4"),
    ];
    let not_run = text.lines().filter(|line| line.contains("not run")).count();
    assert_eq!(not_run == 0, enabled.iter().all(|&enabled| enabled), "{all:?}: {text}");
}

/// Every row is there, and what is not enabled says so; a claim is judged exactly where both of its sides were run.
#[test]
fn reproduce_of_the_small_object_and_of_the_two_protobufs() {
    let folder = tempfile::tempdir().unwrap();
    let rows: [(&str, &[(&str, bool)]); 2] = [
        (
            "001",
            &[
                ("json ", cfg!(feature = "json")),
                ("messagepack-map ", cfg!(feature = "messagepack")),
                ("system-text-json ", cfg!(feature = "system-text-json")),
                ("messagepack-csharp-map ", cfg!(feature = "messagepack-csharp")),
            ],
        ),
        (
            "004",
            &[
                ("google-protobuf ", cfg!(feature = "google-protobuf")),
                ("protobuf-net ", cfg!(feature = "protobuf-net")),
                ("datacontract ", cfg!(feature = "datacontract")),
            ],
        ),
    ];
    for (article, formats) in rows {
        let text = succeeds(folder.path(), &["reproduce", article, "--runs", "3"]);
        for (format, enabled) in formats {
            let lines: Vec<&str> = text.lines().filter(|line| line.starts_with(format) || line.contains(&format!("  {format}"))).collect();
            assert_eq!(lines.len(), 2, "{article}, {format}: {text}");
            assert!(lines.iter().all(|line| line.contains("its feature is not enabled") != *enabled), "{article}, {format}: {text}");
            assert!(lines.iter().all(|line| line.ends_with("not at hand")), "{article}, {format}: {text}");
        }
        let judged = text.lines().filter(|line| line.contains("  holds  ") || line.contains("  does not hold  ")).count();
        let not_run = text.lines().filter(|line| line.contains("  not run  ")).count();
        assert_eq!(judged + not_run, if article == "001" { 10 } else { 32 }, "{text}");
        assert_eq!(not_run == 0, formats.iter().all(|(_, enabled)| *enabled), "{text}");
        // Each reads the other's files, whatever the times of a debug build.
        for line in text.lines().filter(|line| line.contains("'s file")) {
            assert!(line.contains("  holds  ") || line.contains("  not run  "), "{line}");
        }
    }
}

/// A choice from records of a moment ago, and what is said where none can be made.
#[test]
fn choose_ranks_what_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let complaint = fails(path, &["choose"]);
    assert!(complaint.contains("run `cargo bench` or `wirewise measure` first"), "{complaint}");
    let measured = ["encode", "decode", "borrow", "read-all", "read-all-borrowed", "clone", "compress", "decompress"].join(",");
    succeeds(path, &["measure", "--members", "200", "--operation", &measured, "--samples", "2", "--seconds", "0", "--times-only"]);

    let text = succeeds(path, &["choose", "--bandwidth", "100Mbit", "--reads-per-write", "20", "--fields-read", "5%", "--untrusted"]);
    for word in ["measured with 200 members", "Take ", "20 readings", "bandwidth × "] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let json = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&succeeds(path, &[&["choose", "--json"], arguments].concat())).unwrap()
    };
    let answer = json(&["--bandwidth", "2MB", "--members", "1000", "--cores", "2"]);
    let ranking = answer["ranking"].as_array().unwrap();
    let times: Vec<f64> = ranking.iter().map(|choice| choice["time"][0].as_f64().unwrap()).collect();
    assert!(!times.is_empty() && times.is_sorted(), "{times:?}");
    assert_eq!((answer["wish"]["bandwidth"].as_f64(), answer["measured_members"].as_u64()), (Some(16e6), Some(200)));
    // A link that carries nothing leaves the fewest bytes.
    let bytes = |answer: &serde_json::Value| -> Vec<f64> {
        answer["ranking"].as_array().unwrap().iter().map(|choice| choice["bytes"].as_f64().unwrap()).collect()
    };
    let slow = bytes(&json(&["--bandwidth", "1kbit"]));
    assert_eq!(slow[0], slow.iter().copied().fold(f64::INFINITY, f64::min));

    for (arguments, word) in [
        (&["--bandwidth", "100"][..], "100Mbit"),
        (&["--fields-read", "500%"], "between 0% and 100%"),
        (&["--memory", "much"], "512MB"),
        (&["--dataset", "none"], "there is organization"),
        (&["--memory", "1b", "--records", "nowhere"], "nowhere"),
    ] {
        let complaint = fails(path, &[&["choose"], arguments].concat());
        assert!(complaint.contains(word), "{word}: {complaint}");
    }
}

/// Transfers that were run stand in the report beside what the model said.
#[test]
fn transfer_checks_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let format = ["--format", "json", "--codec", "none", "--members", "300", "--samples", "2"];
    succeeds(path, &["measure", "--members", "50", "--operation", "clone", "--samples", "1", "--seconds", "0", "--times-only"]);
    let text = succeeds(path, &[&["transfer", "--bandwidth", "100Mbit,1Gbit"], &format[..]].concat());
    assert!(text.contains("median error of the model"), "{text}");
    succeeds(path, &["report"]);
    let page = std::fs::read_to_string(path.join("docs/report/index.md")).unwrap();
    for words in ["How far the model is off", "TCP at 100 Mbit/s, in blocks", "mapped file, cold"] {
        assert!(page.contains(words), "{words}");
    }
    assert!(fails(path, &["transfer", "--codec", "zip"]).contains("no codec \"zip\""));
    assert!(fails(path, &["transfer", "--format", "jason"]).contains("no format \"jason\""));
}
