//! The TypeScript types of the web client, generated from ours. `make accept` writes them; a test fails if they
//! differ.

use std::collections::BTreeMap;

use ts_rs::{Config, TS, TypeVisitor};

use crate::backend;
use crate::error::RefusalView;
use crate::features;
use crate::socket::wire as live;

const PATH: &str = "web/src/engine/types.gen.ts";

/// Collects the declarations of the types that messages contain, by name.
pub(crate) struct Types {
    config: Config,
    declared: BTreeMap<String, String>,
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // A type without a file of its own is written where it is used, such as a number.
        if T::output_path().is_none() || self.declared.contains_key(&T::name(&self.config)) {
            return;
        }
        self.declared.insert(T::name(&self.config), format!("export {}", T::decl(&self.config)));
        T::visit_dependencies(self);
    }
}

impl Types {
    /// Returns a type as it is written in place; the types it contains are declared.
    pub(crate) fn inline<T: TS + 'static>(&mut self) -> String {
        T::visit_dependencies(self);
        T::inline(&self.config)
    }

    /// Returns an event's line.
    pub(crate) fn event<T: TS + 'static>(&mut self, name: &str) -> String {
        format!("  {name:?}: {},", self.inline::<T>())
    }
}

/// The fields' comments are for readers of the Rust; amid one line they only hinder.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\n/**\n") {
        out.push_str(before.trim_end());
        out.push(' ');
        rest = after.split_once("*/\n").map_or("", |(_, after)| after);
    }
    out + rest
}

fn render() -> String {
    let config = Config::new().with_large_int("number");
    let types = &mut Types { config, declared: BTreeMap::new() };
    types.visit::<RefusalView>();
    let mut lines =
        vec!["\n/** Every request: its fields and what a yes carries. */\nexport type Requests = {".into()];
    lines.extend(features::typescript(types));
    lines.extend(live::typescript(types));
    lines.push("};\n\n/** Every event: its fields beside `ev` and `seq`. */\nexport type Events = {".into());
    lines.extend([types.event::<backend::Hello>("hello"), types.event::<live::Beat>("beat")]);
    lines.extend(features::events::typescript(types));
    lines.push("};\n".into());
    let mut all = vec!["// Generated from the Rust types: `make accept`. Do not edit.\n".to_owned()];
    all.extend(std::mem::take(&mut types.declared).into_values());
    all.extend(lines);
    // The generator renders a type without fields as a record of nothing.
    without_comments(&all.join("\n")).replace("Record<symbol, never>", "{}")
}

#[test]
fn the_webs_types_are_those_of_the_server() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let rendered = render();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == rendered,
        "{PATH} is not what the server speaks. Run `make accept`, then look at the web."
    );
}
