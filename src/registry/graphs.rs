//! How a program reads and writes graphs of objects without naming the format.

use super::Registry;
use crate::error::Result;
use crate::graph::Graph;
use crate::payload::Payload;

/// Reads the graph that fills a payload to its end.
pub type GraphReader = fn(&Payload) -> Result<Graph>;

/// The graphs of a format whose payloads do not describe them, by a model of their classes.
pub trait Modelled {
    /// Reads the graph that fills a payload to its end.
    ///
    /// # Errors
    ///
    /// The payload is malformed, or the model does not fit it.
    fn read(&self, payload: &Payload) -> Result<Graph>;

    /// Writes a graph. The content of `sink` is replaced.
    ///
    /// # Errors
    ///
    /// The model or the format has no place for something in the graph.
    fn write(&self, graph: &Graph, sink: &mut Vec<u8>) -> Result<()>;
}

/// Takes a model, as JSON, and what it calls the root of a payload; its first class without a name. The error says what is wrong with it.
pub type Modeller = fn(&[u8], Option<&str>) -> std::result::Result<Box<dyn Modelled>, String>;

impl Registry {
    /// How a format's payload is read as a graph, if it can hold any.
    pub fn graph_reader(&self, format: &str) -> Option<GraphReader> {
        self.graph_readers.iter().find(|(name, _)| *name == format).map(|(_, read)| *read)
    }

    /// Says that a format has graphs which a model has to describe.
    pub fn declare_modeller(&mut self, format: &'static str, modeller: Modeller) {
        self.modellers.push((format, modeller));
    }

    /// The formats whose graphs a model has to describe, and what takes one.
    pub fn modellers(&self) -> &[(&'static str, Modeller)] {
        &self.modellers
    }
}
