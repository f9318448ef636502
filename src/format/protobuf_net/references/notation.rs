//! A [`Model`] as JSON, which people write:
//!
//! ```json
//! {
//!   "library": "Company, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null",
//!   "classes": [
//!     {
//!       "name": "Node",
//!       "fields": [
//!         { "number": 1, "name": "Id", "type": "System.Int32" },
//!         { "number": 2, "name": "Next", "type": "Node", "as_reference": true },
//!         { "number": 3, "name": "Kids", "type": "Node", "as_reference": true, "list": true },
//!         { "number": 4, "name": "Tag", "type": "System.Object", "dynamic_type": true }
//!       ]
//!     }
//!   ]
//! }
//! ```

use std::collections::{HashMap, HashSet};

use serde::Deserialize;

use super::{Holds, Model, ModelClass, ModelField, Root};
use crate::graph::Primitive;

/// What stands before the class of a list that is a root.
const LIST: &str = "list:";
const HIGHEST_NUMBER: u32 = (1 << 29) - 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    /// That of each class that names none.
    #[serde(default)]
    library: Box<str>,
    classes: Vec<WrittenClass>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenClass {
    name: Box<str>,
    library: Option<Box<str>>,
    fields: Vec<WrittenField>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenField {
    number: u32,
    name: Box<str>,
    r#type: Box<str>,
    #[serde(default)]
    list: bool,
    #[serde(default)]
    as_reference: bool,
    #[serde(default)]
    dynamic_type: bool,
}

impl TryFrom<Written> for Model {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let mut places = HashMap::new();
        for (at, class) in written.classes.iter().enumerate() {
            if places.insert(class.name.clone(), at).is_some() {
                return Err(format!("two classes {}", class.name));
            }
        }
        let class = |class: WrittenClass| {
            let WrittenClass { name, library, fields } = class;
            let fields: Result<Vec<ModelField>, String> = fields.into_iter().map(|field| in_class(field, &places)).collect();
            let mut fields = fields.map_err(|reason| format!("{name}: {reason}"))?;
            fields.sort_by_key(|field| field.number);
            let mut names = HashSet::new();
            for (at, field) in fields.iter().enumerate() {
                if at > 0 && fields[at - 1].number == field.number {
                    return Err(format!("{name}: two members of number {}", field.number));
                }
                if !names.insert(&field.name) {
                    return Err(format!("{name}: two members {}", field.name));
                }
            }
            Ok(ModelClass { name, library: library.unwrap_or_else(|| written.library.clone()), fields })
        };
        Ok(Self { classes: written.classes.into_iter().map(class).collect::<Result<_, String>>()? })
    }
}

fn in_class(field: WrittenField, places: &HashMap<Box<str>, usize>) -> Result<ModelField, String> {
    let WrittenField { number, name, r#type, list, as_reference, dynamic_type } = field;
    let holds = match &*r#type {
        "System.String" => Holds::Text,
        "System.Object" => Holds::Any,
        known => match (Primitive::named(known), places.get(known)) {
            (Some(kind), _) => Holds::Value(kind),
            (None, Some(&class)) => Holds::Class(class),
            (None, None) => {
                return Err(format!("{name}: no type {known}: it is none of the model's classes, nor one of .NET's by its full name"));
            }
        },
    };
    match holds {
        _ if !(1..=HIGHEST_NUMBER).contains(&number) => Err(format!("{name}: {number} is not a member's number")),
        Holds::Value(_) if as_reference || dynamic_type => {
            Err(format!("{name}: a {type} is no object, so it is neither referred to nor dynamic", type = r#type))
        }
        Holds::Any if !dynamic_type => Err(format!("{name}: a System.Object has to be of a dynamic type")),
        _ => Ok(ModelField { number, name, holds, list, as_reference, dynamic_type }),
    }
}

impl Model {
    /// The root of this name: a class, as in `Department`, or a list of its objects, as in `list:Department`. Nothing, if the model has no
    /// such class.
    pub fn root(&self, name: &str) -> Option<Root> {
        let (class, root): (_, fn(usize) -> Root) = match name.strip_prefix(LIST) {
            Some(class) => (class, Root::List),
            None => (name, Root::Class),
        };
        self.classes.iter().position(|known| *known.name == *class).map(root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(classes: &str) -> Result<Model, String> {
        serde_json::from_str(&format!(r#"{{"library":"L","classes":[{classes}]}}"#)).map_err(|error| error.to_string())
    }

    #[test]
    fn a_model_is_what_was_written_with_its_members_in_order() {
        let read = model(
            r#"{"name":"A","fields":[{"number":2,"name":"Bs","type":"B","list":true,"as_reference":true},{"number":1,"name":"Id","type":"System.Int32"}]},
               {"name":"B","library":"M","fields":[{"number":1,"name":"Any","type":"System.Object","dynamic_type":true},{"number":2,"name":"Text","type":"System.String"}]}"#,
        );
        let field = |number, name: &str, holds| ModelField {
            number,
            name: name.into(),
            holds,
            list: false,
            as_reference: false,
            dynamic_type: false,
        };
        let expected = Model {
            classes: vec![
                ModelClass {
                    name: "A".into(),
                    library: "L".into(),
                    fields: vec![
                        field(1, "Id", Holds::Value(Primitive::I32)),
                        ModelField { list: true, as_reference: true, ..field(2, "Bs", Holds::Class(1)) },
                    ],
                },
                ModelClass {
                    name: "B".into(),
                    library: "M".into(),
                    fields: vec![ModelField { dynamic_type: true, ..field(1, "Any", Holds::Any) }, field(2, "Text", Holds::Text)],
                },
            ],
        };
        assert_eq!(read, Ok(expected.clone()));
        for (name, root) in [("A", Some(Root::Class(0))), ("list:B", Some(Root::List(1))), ("C", None), ("list:", None)] {
            assert_eq!(expected.root(name), root, "{name}");
        }
    }

    #[test]
    fn what_is_no_model_is_refused_with_its_place() {
        for (fields, reason) in [
            (r#"{"number":1,"name":"Id","type":"Int32"}"#, "A: Id: no type Int32"),
            (r#"{"number":0,"name":"Id","type":"System.Int32"}"#, "A: Id: 0 is not a member's number"),
            (r#"{"number":536870912,"name":"Id","type":"System.Int32"}"#, "A: Id: 536870912 is not"),
            (r#"{"number":1,"name":"X","type":"A"},{"number":1,"name":"Y","type":"A"}"#, "A: two members of number 1"),
            (r#"{"number":1,"name":"X","type":"A"},{"number":2,"name":"X","type":"A"}"#, "A: two members X"),
            (r#"{"number":1,"name":"X","type":"System.Int32","as_reference":true}"#, "A: X: a System.Int32 is no object"),
            (r#"{"number":1,"name":"X","type":"System.Object"}"#, "A: X: a System.Object has to be"),
            (r#"{"number":1,"name":"X","type":"A","asReference":true}"#, "unknown field `asReference`"),
        ] {
            let error = model(&format!(r#"{{"name":"A","fields":[{fields}]}}"#)).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert!(model(r#"{"name":"A","fields":[]},{"name":"A","fields":[]}"#).unwrap_err().contains("two classes A"));
    }
}
