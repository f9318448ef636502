//! Arrays of entities in a cache, as a .NET program with a protobuf-net transcoder puts them there: the type's name, then the payload.
//!
//! `scripts/memcached` starts a memcached on this machine and runs this against it. By hand:
//!
//! ```text
//! cargo run --features protobuf-net --example memcached -- 127.0.0.1:11211
//! ```

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use wirewise::dataset::{Dataset, Organization};
use wirewise::format::contract::{Contract, Field, Kind, Object, Rule, Value, read, write};
use wirewise::format::protobuf_net::{CodeFirst, ProtobufNet, read_cache_entry, write_cache_entry};
use wirewise::format::{Decode, Encode};
use wirewise::limits::Limits;
use wirewise::{Payload, Read as _};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Two commands of memcached's text protocol.
struct Cache(BufReader<TcpStream>);

impl Cache {
    fn connect(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(std::time::Duration::from_secs(10)))?;
        Ok(Self(BufReader::new(stream)))
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.0.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    fn set(&mut self, key: &str, entry: &[u8]) -> Result<()> {
        let stream = self.0.get_mut();
        write!(stream, "set {key} 0 60 {}\r\n", entry.len())?;
        stream.write_all(entry)?;
        stream.write_all(b"\r\n")?;
        match self.line()?.as_str() {
            "STORED" => Ok(()),
            answer => Err(format!("{key} was not stored: {answer}").into()),
        }
    }

    fn get(&mut self, key: &str) -> Result<Vec<u8>> {
        write!(self.0.get_mut(), "get {key}\r\n")?;
        let head = self.line()?;
        let Some(("VALUE", len)) = head.split_once(' ').and_then(|(word, rest)| Some((word, rest.rsplit_once(' ')?.1))) else {
            return Err(format!("{key} is not there: {head}").into());
        };
        let mut entry = vec![0; len.parse()?];
        self.0.read_exact(&mut entry)?;
        match (self.line()?.as_str(), self.line()?.as_str()) {
            ("", "END") => Ok(entry),
            answer => Err(format!("{key} does not end: {answer:?}").into()),
        }
    }
}

/// `class Person { Id, Name, Age }`: an array of them is field 1 of a message.
fn people() -> (Contract, Object) {
    let field = |number, kind, rule| Field { number, kind, rule };
    let person = Contract {
        fields: vec![field(1, Kind::Int32, Rule::Plain), field(2, Kind::Text, Rule::Plain), field(3, Kind::Int32, Rule::Plain)],
        derived: vec![],
    };
    let one = |id, name: Option<&str>, age| {
        let name = name.map_or(Value::Null, |name| Value::Text(name.to_owned()));
        Value::Object(Object { values: vec![Value::Integer(id), name, Value::Integer(age)], derived: None })
    };
    let items = vec![one(1, Some("张三"), 18), one(2, Some(""), 0), one(0, None, -1)];
    let list = Contract { fields: vec![field(1, Kind::Message(person), Rule::List)], derived: vec![] };
    (list, Object { values: vec![Value::List(items)], derived: None })
}

/// Puts an entry, gets it back, and checks that it is the same byte for byte. Gives back its type's name and its payload.
fn there_and_back(cache: &mut Cache, key: &str, type_name: &str, payload: &[u8]) -> Result<Vec<u8>> {
    let mut entry = Vec::new();
    write_cache_entry(type_name, payload, &mut entry)?;
    cache.set(key, &entry)?;
    let back = cache.get(key)?;
    if back != entry {
        return Err(format!("{key}: {} bytes came back as {} others", entry.len(), back.len()).into());
    }
    let (name, payload) = read_cache_entry(&back)?;
    if name != type_name {
        return Err(format!("{key}: {name} instead of {type_name}").into());
    }
    println!("{key}: {} bytes of {name} put, got back and equal", back.len());
    Ok(payload.to_vec())
}

fn main() -> Result<()> {
    let Some(address) = std::env::args().nth(1) else {
        println!("skipped: no memcached's address was given; scripts/memcached starts one and gives it");
        return Ok(());
    };
    let mut cache = Cache::connect(&address)?;

    let (contract, value) = people();
    let mut payload = Vec::new();
    write::<CodeFirst>(&contract, &value, &mut payload)?;
    let back = there_and_back(&mut cache, "people", "Demo.Person[], Demo", &payload)?;
    assert_eq!(read::<CodeFirst>(&contract, &back, &Limits::for_payload(back.len()))?, value);

    for members in [0, 1, 1_000] {
        let value = Organization::generate(&Organization::spec(members))?;
        ProtobufNet::default().encode(&value, &mut payload)?;
        let back = there_and_back(&mut cache, &format!("organization-{members}"), "Demo.Organization, Demo", &payload)?;
        let back: Organization = ProtobufNet::default().decode(&Payload::from(back))?;
        // An empty list comes back as none, which the checksum tells apart only where there is one.
        assert!(members == 0 || back.checksum()? == value.checksum()?);
        assert_eq!(back.records(), value.records());
    }

    let missing = cache.get("nobody-put-this").unwrap_err();
    println!("nobody-put-this: {missing}");
    Ok(())
}
