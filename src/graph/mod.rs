//! Values that only .NET has: graphs of typed objects that may be shared and may point back.
//!
//! A [`Graph`] is an arena. Objects stand in one list and point at each other by [`ObjectId`], so a shared object is there once, a cycle is
//! two ids, and nothing here (dropping, walking, printing) uses the call stack, however deep a graph nests. It belongs to no format: what
//! can write references writes it, and says what it cannot write.

mod json;
mod scalars;

use std::fmt;

pub use json::{View, write_json};
pub use scalars::{DateTime, DateTimeKind, Decimal, NotADecimal, TimeSpan};

/// An object's place in its [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(u32);

/// A class's place in its [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(u32);

/// A library's place in its [`Graph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LibraryId(u32);

macro_rules! places {
    ($($place:ident),+) => {$(
        impl $place {
            /// The place at this position, from 0.
            ///
            /// # Panics
            ///
            /// There are more than a `u32` tells apart, which would take more memory than these lists are ever given.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 in a graph"))
            }

            /// The position in the graph's list, from 0.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

places!(ObjectId, ClassId, LibraryId);

/// Writes down everything that differs only in the kind of a single value.
macro_rules! primitives {
    ($($(#[$doc:meta])+ $kind:ident: $native:ty = $name:literal),+ $(,)?) => {
        /// The kinds of values that are no objects.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Primitive {
            $($(#[$doc])+ $kind),+
        }

        impl Primitive {
            /// What .NET calls it.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name),+
                }
            }

            /// The kind that .NET calls so, if there is one.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$kind),)+
                    _ => None,
                }
            }
        }

        /// What a member or an element holds.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Value {
            /// Nothing.
            Null,
            $($(#[$doc])+ $kind($native),)+
            /// An object of the same graph.
            Object(ObjectId),
        }

        impl Value {
            /// The kind, if it is neither null nor an object.
            pub fn primitive(self) -> Option<Primitive> {
                match self {
                    Self::Null | Self::Object(_) => None,
                    $(Self::$kind(_) => Some(Primitive::$kind)),+
                }
            }
        }

        /// The elements of an array, in the order of memory: the last index runs fastest.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Elements {
            $($(#[$doc])+ $kind(Box<[$native]>),)+
            /// Anything, with its nulls counted.
            Values(Box<[Run]>),
        }

        impl Elements {
            /// The kind of all elements, if they are no objects.
            pub fn primitive(&self) -> Option<Primitive> {
                match self {
                    $(Self::$kind(_) => Some(Primitive::$kind),)+
                    Self::Values(_) => None,
                }
            }

            /// Elements of one kind, if these are all of it.
            #[cfg(feature = "protobuf-net")]
            pub(crate) fn of(kind: Primitive, runs: &[Run]) -> Option<Self> {
                match kind {
                    $(Primitive::$kind => {
                        let element = |run: &Run| if let Run::One(Value::$kind(value)) = *run { Some(value) } else { None };
                        runs.iter().map(element).collect::<Option<_>>().map(Self::$kind)
                    })+
                }
            }

            /// How many elements there are, nulls included.
            pub fn len(&self) -> u64 {
                match self {
                    $(Self::$kind(elements) => elements.len() as u64,)+
                    Self::Values(runs) => runs.iter().map(|run| run.len()).sum(),
                }
            }

            /// The bytes of memory that they take.
            pub fn memory(&self) -> usize {
                match self {
                    $(Self::$kind(elements) => size_of_val(&**elements),)+
                    Self::Values(runs) => size_of_val(&**runs),
                }
            }

            /// How many [`Run`]s it takes to say them.
            pub fn run_count(&self) -> usize {
                match self {
                    $(Self::$kind(elements) => elements.len(),)+
                    Self::Values(runs) => runs.len(),
                }
            }

            /// The run at a position below [`run_count`](Self::run_count).
            pub fn run(&self, index: usize) -> Option<Run> {
                match self {
                    $(Self::$kind(elements) => elements.get(index).map(|&element| Run::One(Value::$kind(element))),)+
                    Self::Values(runs) => runs.get(index).copied(),
                }
            }
        }
    };
}

primitives! {
    /// True or false.
    Bool: bool = "System.Boolean",
    /// 8 bits.
    U8: u8 = "System.Byte",
    /// 8 bits with a sign.
    I8: i8 = "System.SByte",
    /// 16 bits with a sign.
    I16: i16 = "System.Int16",
    /// 16 bits.
    U16: u16 = "System.UInt16",
    /// 32 bits with a sign.
    I32: i32 = "System.Int32",
    /// 32 bits.
    U32: u32 = "System.UInt32",
    /// 64 bits with a sign.
    I64: i64 = "System.Int64",
    /// 64 bits.
    U64: u64 = "System.UInt64",
    /// A float of 32 bits.
    F32: f32 = "System.Single",
    /// A float of 64 bits.
    F64: f64 = "System.Double",
    /// A UTF-16 code unit, which may be half of a character.
    Char: u16 = "System.Char",
    /// A decimal.
    Decimal: Decimal = "System.Decimal",
    /// A point in time.
    DateTime: DateTime = "System.DateTime",
    /// A span of time.
    TimeSpan: TimeSpan = "System.TimeSpan",
}

impl Elements {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.run_count() == 0
    }
}

/// One element that is not null, or many that are: an array of 2^31 nulls is one of these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Run {
    /// One element.
    One(Value),
    /// So many nulls.
    Nulls(u32),
}

impl Run {
    /// How many elements it stands for.
    pub fn len(self) -> u64 {
        match self {
            Self::One(_) => 1,
            Self::Nulls(count) => u64::from(count),
        }
    }

    /// Whether it stands for none.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// What a member or an element is declared to hold. What it holds may be of a type derived from that.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// A value that is no object.
    Primitive(Primitive),
    /// A string.
    Text,
    /// Anything.
    Object,
    /// A class, an interface, an array of such: what has a name. It is .NET's own if it has no library.
    Named {
        /// The type's full name.
        name: Box<str>,
        /// The library that it is from.
        library: Option<LibraryId>,
    },
    /// An array of anything.
    ObjectArray,
    /// An array of strings.
    TextArray,
    /// An array of values that are no objects.
    PrimitiveArray(Primitive),
}

impl Type {
    /// Whether it is an array, as far as the name tells.
    pub fn is_array(&self) -> bool {
        match self {
            Self::ObjectArray | Self::TextArray | Self::PrimitiveArray(_) => true,
            // Generic arguments end in a bracket too, but not behind one of these.
            Self::Named { name, .. } => ["[]", ",]", "*]"].iter().any(|end| name.ends_with(end)),
            Self::Primitive(_) | Self::Text | Self::Object => false,
        }
    }
}

/// The name that .NET gives the type.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Primitive(primitive) => f.write_str(primitive.name()),
            Self::Text => f.write_str("System.String"),
            Self::Object => f.write_str("System.Object"),
            Self::Named { name, .. } => f.write_str(name),
            Self::ObjectArray => f.write_str("System.Object[]"),
            Self::TextArray => f.write_str("System.String[]"),
            Self::PrimitiveArray(primitive) => write!(f, "{}[]", primitive.name()),
        }
    }
}

/// A class as it was when the graph was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The full name.
    pub name: Box<str>,
    /// The library that it is from; none if it is .NET's own.
    pub library: Option<LibraryId>,
    /// The fields, in the order of every instance's values.
    pub members: Box<[Member]>,
}

/// A field of a class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The name, in .NET's own spelling: an automatic property `Id` is `<Id>k__BackingField`.
    pub name: Box<str>,
    /// What it is declared to hold.
    pub declared: Type,
}

impl Member {
    /// The name of the property, if the field was made for one, or else the field's.
    pub fn plain_name(&self) -> &str {
        let property = self.name.strip_prefix('<').and_then(|name| name.strip_suffix(">k__BackingField"));
        property.unwrap_or(&self.name)
    }
}

/// An instance of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Its class.
    pub class: ClassId,
    /// Whether it is a value that stands inside of what holds it, as structs do, and so has one holder.
    pub in_place: bool,
    /// What its fields hold, one for each of the class's.
    pub values: Box<[Value]>,
}

/// An array.
#[derive(Debug, Clone, PartialEq)]
pub struct Array {
    /// What its elements are declared to be.
    pub element: Type,
    /// Its lengths.
    pub shape: Shape,
    /// What it holds, as much as its lengths multiply to.
    pub elements: Elements,
}

/// The lengths of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// One dimension that starts at 0.
    Vector(u32),
    /// Any other.
    Dimensions(Box<[Dimension]>),
}

/// A dimension of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimension {
    /// How many indices it has.
    pub len: u32,
    /// The first index.
    pub lower: i32,
}

/// What an [`ObjectId`] stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    /// A string: equal ones may be two objects.
    Text(Box<str>),
    /// An instance of a class.
    Instance(Instance),
    /// An array, in a box so that the list of objects stays narrow.
    Array(Box<Array>),
}

/// Objects that point at each other, and the one to start from.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    root: Value,
    objects: Vec<Object>,
    classes: Vec<Class>,
    libraries: Vec<Box<str>>,
}

impl Default for Graph {
    fn default() -> Self {
        Self { root: Value::Null, objects: Vec::new(), classes: Vec::new(), libraries: Vec::new() }
    }
}

impl Graph {
    /// A graph of these parts.
    #[cfg(any(feature = "nrbf", feature = "protobuf-net"))]
    pub(crate) fn from_parts(root: ObjectId, objects: Vec<Object>, classes: Vec<Class>, libraries: Vec<Box<str>>) -> Self {
        Self { root: Value::Object(root), objects, classes, libraries }
    }

    /// Where it starts.
    pub fn root(&self) -> Value {
        self.root
    }

    /// Sets where it starts.
    pub fn set_root(&mut self, root: Value) {
        self.root = root;
    }

    /// The objects, by [`ObjectId::index`].
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// The classes, by [`ClassId::index`].
    pub fn classes(&self) -> &[Class] {
        &self.classes
    }

    /// The libraries' full names, by [`LibraryId::index`].
    pub fn libraries(&self) -> &[Box<str>] {
        &self.libraries
    }

    /// The object at a place of this graph.
    ///
    /// # Panics
    ///
    /// The place is another graph's.
    pub fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.index()]
    }

    /// The class at a place of this graph.
    ///
    /// # Panics
    ///
    /// The place is another graph's.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// The library at a place of this graph.
    ///
    /// # Panics
    ///
    /// The place is another graph's.
    pub fn library(&self, id: LibraryId) -> &str {
        &self.libraries[id.index()]
    }

    /// Adds an object.
    pub fn add(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId::new(self.objects.len() - 1)
    }

    /// Puts an object where another was added: a cycle needs an id before its object can be made.
    ///
    /// # Panics
    ///
    /// The place is another graph's.
    pub fn replace(&mut self, id: ObjectId, object: Object) {
        self.objects[id.index()] = object;
    }

    /// Adds a class.
    pub fn add_class(&mut self, class: Class) -> ClassId {
        self.classes.push(class);
        ClassId::new(self.classes.len() - 1)
    }

    /// Adds a library, by its full name.
    pub fn add_library(&mut self, name: impl Into<Box<str>>) -> LibraryId {
        self.libraries.push(name.into());
        LibraryId::new(self.libraries.len() - 1)
    }

    /// The value of an instance's field, by the field's or its property's name.
    pub fn field(&self, instance: &Instance, name: &str) -> Option<Value> {
        let members = &self.class(instance.class).members;
        let at = members.iter().position(|member| &*member.name == name || member.plain_name() == name)?;
        instance.values.get(at).copied()
    }

    /// The array that holds an object's items, and how many of its elements they are: an array's own, or those of a `List<T>`.
    pub fn items(&self, id: ObjectId) -> Option<(&Array, u64)> {
        match self.object(id) {
            Object::Text(_) => None,
            Object::Array(array) => Some((array, array.elements.len())),
            Object::Instance(list) => {
                let class = self.class(list.class);
                if class.library.is_some() || !class.name.starts_with("System.Collections.Generic.List`1[") {
                    return None;
                }
                let Some(Value::Object(items)) = self.field(list, "_items") else { return None };
                let Some(Value::I32(size)) = self.field(list, "_size") else { return None };
                let Object::Array(array) = self.object(items) else { return None };
                let size = u64::try_from(size).ok()?;
                (size <= array.elements.len() && matches!(array.shape, Shape::Vector(_))).then_some((&**array, size))
            }
        }
    }

    /// The name of an object's type as .NET prints it.
    pub fn type_name(&self, id: ObjectId) -> String {
        match self.object(id) {
            Object::Text(_) => "System.String".to_owned(),
            Object::Instance(instance) => {
                let class = self.class(instance.class);
                match class.library {
                    // The version and the key that follow say little and repeat in every object.
                    Some(library) => format!("{}, {}", class.name, self.library(library).split(',').next().unwrap_or_default()),
                    None => class.name.to_string(),
                }
            }
            Object::Array(array) => match &array.shape {
                Shape::Vector(_) => format!("{}[]", array.element),
                Shape::Dimensions(dimensions) if dimensions.len() == 1 => format!("{}[*]", array.element),
                Shape::Dimensions(dimensions) => format!("{}[{}]", array.element, ",".repeat(dimensions.len().saturating_sub(1))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a reader may allocate for a byte of a payload hangs on these.
    #[test]
    fn what_there_are_many_of_is_narrow() {
        assert_eq!(size_of::<Value>(), 16);
        assert_eq!(size_of::<Run>(), 16);
        assert_eq!(size_of::<Object>(), 24);
    }
}
