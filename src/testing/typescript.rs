//! The TypeScript types of the web client, generated from the Rust types. `make accept` writes them. A test fails if
//! they differ.

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
        // A type that is not exported, such as a number, is written in place.
        if T::output_path().is_none() {
            return;
        }
        let (name, declaration) = (T::name(&self.config), format!("export {}", T::decl(&self.config)));
        if let Some(other) = self.declared.insert(name, declaration.clone()) {
            assert_eq!(other, declaration, "two types have one name: rename one with ts(rename = \"...\")");
            return;
        }
        T::visit_dependencies(self);
    }
}

impl Types {
    /// Returns a type as it is written in place; the types it contains are declared.
    pub(crate) fn inline<T: TS + 'static>(&mut self) -> String {
        T::visit_dependencies(self);
        T::inline(&self.config)
    }

    /// Returns the line of an event in `Events`.
    pub(crate) fn event<T: TS + 'static>(&mut self, name: &str) -> String {
        format!("  {name:?}: {},", self.inline::<T>())
    }
}

/// Removes the comments of fields, because they are for readers of the Rust code and each type is one line here.
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
    // `ts_rs` writes a type without fields as `Record<symbol, never>`.
    without_comments(&all.join("\n")).replace("Record<symbol, never>", "{}")
}

#[test]
fn the_types_of_the_web_are_those_of_the_server() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let rendered = render();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == rendered,
        "{PATH} differs from the Rust types. Run `make accept`, then fix what `scripts/web lint` reports."
    );
}
