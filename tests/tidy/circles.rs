//! Import circles: modules may import each other in a circle only within one folder.

use std::collections::{BTreeMap, BTreeSet};

use super::{assert_none, code, ours};

/// The path of a module, such as `["features", "polls", "store"]`.
pub type Module = Vec<String>;

/// Returns every module of `src`, with the code of its file.
pub fn modules() -> BTreeMap<Module, String> {
    let module = |path: &str| -> Module {
        let path = path.trim_start_matches("src/").trim_end_matches(".rs").trim_end_matches("/mod");
        path.split('/').map(str::to_owned).collect()
    };
    ours("src").into_iter().map(|(path, text)| (module(&path), code(&text))).collect()
}

/// Returns the paths of a `use` tree: `a::{b, c::d}` has `a::b` and `a::c::d`.
fn expand(tree: &str) -> Vec<String> {
    let Some((prefix, rest)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let (mut paths, mut depth, mut part) = (Vec::new(), 0, String::new());
    for c in rest.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth < 0 || depth == 0 && c == ',' {
            paths.extend(expand(&part).into_iter().map(|path| format!("{prefix}{path}")));
            part.clear();
        } else {
            part.push(c);
        }
    }
    paths
}

/// Returns the modules that a module imports.
pub fn imported(module: &Module, text: &str, modules: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    let squeezed = |tree: &str| tree.replace(" as ", "@").split_whitespace().collect::<String>();
    let uses = text.split("use ").skip(1).filter_map(|rest| rest.split_once(';'));
    let mut paths: Vec<String> = uses.flat_map(|(tree, _)| expand(&squeezed(tree))).collect();
    let inline = text.match_indices("crate::").map(|(at, _)| &text[at..]);
    paths.extend(inline.map(|rest| {
        rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next().unwrap_or("").to_owned()
    }));
    let resolve = |path: String| {
        let mut names = path.split('@').next()?.split("::").map(str::to_owned).peekable();
        let mut full = match names.next()?.as_str() {
            "crate" => Vec::new(),
            "self" => module.clone(),
            "super" => module[..module.len() - 1].to_vec(),
            _ => return None,
        };
        while names.next_if(|name| name == "super").is_some() {
            full.pop();
        }
        full.extend(names);
        (1..=full.len())
            .rev()
            .map(|length| full[..length].to_vec())
            .find(|prefix| modules.contains_key(prefix))
    };
    paths.into_iter().filter_map(resolve).filter(|found| found != module).collect()
}

/// Returns the folder in which a circle may be: a feature, or a folder of `src`.
fn folder(module: &Module) -> &[String] {
    let depth = if module[0] == "features" { 2 } else { 1 };
    &module[..depth.min(module.len())]
}

#[test]
fn no_import_circle_is_larger_than_a_folder() {
    let modules = modules();
    let imports: BTreeMap<&Module, BTreeSet<Module>> =
        modules.iter().map(|(module, text)| (module, imported(module, text, &modules))).collect();
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 300, "this finds no imports");
    let reached = |from: &Module| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = open.pop() {
            for next in &imports[&module] {
                if reached.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        modules.keys().map(|module| (module, reached(module))).collect();
    let mut circles = Vec::new();
    for (module, all) in &reached {
        for other in all.iter().filter(|other| folder(other) != folder(module) && *module < other) {
            if reached[other].contains(*module) {
                circles.push(format!("{} and {}", module.join("::"), other.join("::")));
            }
        }
    }
    assert_none(circles, "these import each other: please move what both need below them");
}
