//! A connection of this machine, held to a speed by a token bucket at the sender.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Barrier;
use std::sync::mpsc::{Receiver as Queue, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::{Message, Pipeline, TransferError};
use wirewise::payload::Payload;
use wirewise::registry::Registry;

/// What is sent at once: small beside a block, large beside the cost of a call.
const CHUNK: usize = 32 << 10;

/// What the bucket holds at most: a thread that wakes late makes up for it.
const BURST: Duration = Duration::from_millis(2);

/// Blocks that wait between two threads.
const WAITING: usize = 2;

/// Time from the writer's value to everything read, and the bytes that were sent.
pub(super) fn transfer(
    pipeline: &Pipeline,
    registry: &Registry,
    message: &Message,
    bandwidth: f64,
) -> Result<(Duration, u64), TransferError> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let stream = TcpStream::connect(listener.local_addr()?)?;
    let (incoming, _) = listener.accept()?;
    for stream in [&stream, &incoming] {
        stream.set_nodelay(true)?;
    }
    // Both ends are made before the clock starts; a registry is not shared between threads, so each has its own.
    let mut writer = pipeline.writer(registry, message)?;
    let ready = Barrier::new(2);
    thread::scope(|scope| {
        let reader = scope.spawn(|| receive(pipeline, message, incoming, &ready));
        ready.wait();
        let start = Instant::now();
        let (blocks, to_send) = sync_channel::<Vec<u8>>(WAITING);
        let (sent, reused) = sync_channel::<Vec<u8>>(WAITING + 2);
        let sender = scope.spawn(move || send(&to_send, &stream, bandwidth, |block| drop(sent.try_send(block))));
        let written = (0..message.blocks).try_for_each(|_| {
            let mut sink = reused.try_recv().unwrap_or_default();
            writer.write(&mut sink)?;
            blocks.send(sink).map_err(|_| TransferError::Gone)
        });
        drop(blocks);
        let sent = sender.join().map_err(|_| TransferError::Gone)?;
        // What went wrong at the reader is why the others could not go on.
        let end = reader.join().map_err(|_| TransferError::Gone)??;
        let bytes = sent?;
        written?;
        Ok((end - start, bytes))
    })
}

/// Sends each block behind its length, no faster than the bandwidth.
fn send(blocks: &Queue<Vec<u8>>, mut stream: &TcpStream, bandwidth: f64, mut done: impl FnMut(Vec<u8>)) -> io::Result<u64> {
    let mut bytes = 0;
    let mut due = Instant::now();
    for block in blocks {
        stream.write_all(&(block.len() as u64).to_le_bytes())?;
        for chunk in block.chunks(CHUNK) {
            // A chunk arrives when its last bit could have.
            let earliest = Instant::now().checked_sub(BURST).unwrap_or(due);
            due = due.max(earliest) + Duration::from_secs_f64(chunk.len() as f64 * 8.0 / bandwidth);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            stream.write_all(chunk)?;
        }
        bytes += block.len() as u64;
        done(block);
    }
    Ok(bytes)
}

/// Receives in one thread and reads in another, so that the link does not wait for the reader.
fn receive(pipeline: &Pipeline, message: &Message, mut stream: TcpStream, ready: &Barrier) -> Result<Instant, TransferError> {
    let registry = Registry::with_codecs();
    let receiver = pipeline.receiver(&registry, message);
    ready.wait();
    let mut receiver = receiver?;
    let (received, blocks) = sync_channel::<Payload>(WAITING);
    thread::scope(|scope| {
        let link = scope.spawn(move || -> io::Result<()> {
            for _ in 0..message.blocks {
                let mut length = [0; 8];
                stream.read_exact(&mut length)?;
                let mut payload = Payload::default();
                stream.read_exact(payload.overwrite(u64::from_le_bytes(length) as usize))?;
                if received.send(payload).is_err() {
                    break;
                }
            }
            Ok(())
        });
        // An error drops the queue, so that the other thread does not wait for it.
        for payload in blocks {
            receiver.read(&payload)?;
        }
        let end = Instant::now();
        link.join().map_err(|_| TransferError::Gone)??;
        Ok(end)
    })
}
