//! Manifests: any text is refused with findings that stand in it, or makes a runtime.

use crate::folder::{Folder, environment};
use crate::serving::build;
use snodo::lang::diag::{RenderStyle, render};
use snodo::lang::schema::SchemaCache;
use snodo::manifest::load::load_with_tests;

pub fn run(input: &str) {
    let folder = Folder::get();
    folder.write(input);
    let settings = folder.settings();
    let loaded = load_with_tests(settings, &environment(), &SchemaCache::new());
    for found in &loaded.diagnostics {
        assert!(!found.message.contains('\n'), "{found:?} is one line");
        if let Some(at) = &found.at {
            assert!(at.file.text().get(at.start..at.end).is_some(), "{found:?}");
        }
    }
    let _ = render(&loaded.diagnostics, &RenderStyle::default());
    if loaded.errors() == 0 {
        build(settings, &loaded.catalog);
    }
}
