//! The form of the answer box, and the scripts that make it live. Without script it stays hidden, and the tables answer.

use maud::{Markup, PreEscaped, html};

/// The model, as in `src/choice`, and what is done on the page. Both are embedded: the page is one file.
const SCRIPTS: [&str; 2] = [include_str!("choice.js"), include_str!("page.js")];

const END: PreEscaped<&str> = PreEscaped("\n");

/// A slider: its name, what it sets, where it starts and ends, its step, and where it stands at first. The script knows the units.
type Slider = (&'static str, &'static str, f64, f64, f64, f64);

const SLIDERS: [Slider; 5] = [
    ("bandwidth", "Bandwidth", 6.0, 11.0, 0.1, 9.0),
    ("round_trip", "Round trip", -3.0, 3.0, 0.25, -3.0),
    ("reads_per_write", "Reads per write", -1.0, 3.0, 0.1, 0.0),
    ("fields_read", "Share of fields read", -3.0, 0.0, 0.1, 0.0),
    ("cores", "Cores at each end", 0.0, 6.0, 1.0, 0.0),
];

const SWITCHES: [(&str, &str, bool); 4] = [
    ("untrusted", "The bytes may be anyone's", true),
    ("must_evolve", "Fields will be added while old programs run", false),
    ("libraries_only", "Only formats of libraries, no layout written by hand for one type", true),
    ("stored", "Stored on a disk of that speed first", false),
];

/// The form, the place of its answers, and the facts that they are made from.
pub(super) fn form(facts: &str) -> Markup {
    html! {
        script #facts type="application/json" { (PreEscaped(facts.replace("</", "<\\/"))) } (END)
        form #chooser hidden aria-label="What you have" { (END)
            div.sliders { (END)
                label { span { "Measured with" } select name="facts" {} output {} } (END)
                @for (name, title, least, most, step, value) in SLIDERS {
                    label {
                        span { (title) }
                        input type="range" name=(name) min=(least) max=(most) step=(step) value=(value);
                        output {}
                    } (END)
                }
                label { span { "Memory at each end, MB" } input type="number" name="memory" min="1" step="any" placeholder="no bound"; output {} } (END)
            }
            div.switches { (END)
                @for (name, title, checked) in SWITCHES {
                    label { input type="checkbox" name=(name) checked[checked]; " " (title) } (END)
                }
            }
            p.tools { a #permalink href="#choose" { "Link to this answer" } " " button type="reset" { "As at first" } } (END)
        } (END)
        div #taken hidden aria-live="polite" {} (END)
    }
}

/// The scripts, at the end of the page.
pub(super) fn scripts() -> Markup {
    html! { @for script in SCRIPTS { script { (END) (PreEscaped(script)) } (END) } }
}
