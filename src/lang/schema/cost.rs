//! What checking a value costs at most: refused are reference cycles that never descend into the
//! value, and schemas that apply too many subschemas to it (specification: basic, composition
//! keywords).

use super::bounds::MAX_SUBSCHEMAS;
use super::document::{Document, Edge, NodeId};
use super::error::{MAX_ERRORS, SchemaError, SchemaErrorKind};
use super::keywords::Step;
use super::pointer;

/// Longest chain of subschemas that one value is checked against from within each other, by
/// references and composition. It bounds the stack.
const MAX_CHAIN: usize = 128;

/// Checks the document's cycles and cost. Gives the longest chain of subschemas applied to one
/// value, at least 1.
pub(super) fn check(document: &Document<'_>, errors: &mut Vec<SchemaError>) -> usize {
    let in_place = walk(document, |edge| edge.step.is_in_place());
    if !in_place.cycles.is_empty() {
        errors.extend(
            in_place
                .cycles
                .iter()
                .take(MAX_ERRORS)
                .map(|path| cycle(document, path)),
        );
        return 1;
    }
    let chains = chains(document, &in_place.order);
    let longest = chains.iter().copied().max().unwrap_or(1);
    if longest > MAX_CHAIN {
        let at = chains.iter().position(|&chain| chain == longest);
        errors.push(too_large(
            document,
            at.unwrap_or(0),
            format!("more than {MAX_CHAIN} subschemas apply to one value from within each other"),
        ));
        return longest;
    }
    let everywhere = walk(document, |_| true);
    if let Some(node) = first_too_costly(document, &everywhere.order) {
        errors.push(
            too_large(
                document,
                node,
                format!("a value would be checked against more than {MAX_SUBSCHEMAS} subschemas"),
            )
            .help("references that lead to the same subschema again and again multiply: refer to it once"),
        );
    }
    longest
}

fn too_large(document: &Document<'_>, node: NodeId, message: String) -> SchemaError {
    let pointer = document.nodes.get(node).map_or("", |node| &node.pointer);
    SchemaError::new(SchemaErrorKind::TooLarge, pointer, message)
}

/// The error for a cycle, at its last reference: without references there are no cycles.
fn cycle(document: &Document<'_>, path: &[(NodeId, Step<'_>)]) -> SchemaError {
    let pointer_of = |id: NodeId| document.nodes.get(id).map_or("", |node| &*node.pointer);
    let last = path.iter().rev().find_map(|&(id, step)| match step {
        Step::Ref => Some(pointer::join(pointer_of(id), "$ref")),
        Step::DynamicRef => Some(pointer::join(pointer_of(id), "$dynamicRef")),
        _ => None,
    });
    let names: Vec<String> = path
        .iter()
        .chain(path.first())
        .map(|&(id, _)| format!("`#{}`", pointer_of(id)))
        .collect();
    SchemaError::new(
        SchemaErrorKind::ReferenceCycle,
        last.unwrap_or_default(),
        format!(
            "the reference leads back to itself without going down into the value: {}",
            shorten(&names)
        ),
    )
    .help("a schema can contain itself under `properties` or `items`, where the value gets smaller")
}

fn shorten(names: &[String]) -> String {
    const SHOWN: usize = 6;
    match names {
        [first @ .., last] if first.len() > SHOWN => {
            format!(
                "{} → … → {last}",
                first.get(..SHOWN).unwrap_or(first).join(" → ")
            )
        }
        _ => names.join(" → "),
    }
}

struct Walk<'a> {
    /// Every subschema, after those it leads to; an edge back to one still open is ignored.
    order: Vec<NodeId>,
    /// The way around, once for each edge that closes a cycle.
    cycles: Vec<Vec<(NodeId, Step<'a>)>>,
}

/// Depth first over the edges that `follow` picks, without recursion: a chain of references can be
/// as long as the document.
fn walk<'a>(document: &Document<'a>, follow: impl Fn(&Edge<'a>) -> bool) -> Walk<'a> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; document.nodes.len()];
    let mut found = Walk {
        order: Vec::with_capacity(document.nodes.len()),
        cycles: Vec::new(),
    };
    for start in 0..document.nodes.len() {
        if state.get(start) != Some(&State::New) {
            continue;
        }
        // Each open node with the index of its next edge and the step being followed.
        let mut open = vec![(start, 0, Step::Definition)];
        set(&mut state, start, State::Open);
        while let Some(top) = open.last_mut() {
            let id = top.0;
            let edges = document.nodes.get(id).map_or(&[][..], |node| &node.edges);
            let Some(edge) = edges.get(top.1) else {
                set(&mut state, id, State::Done);
                found.order.push(id);
                open.pop();
                continue;
            };
            top.1 += 1;
            if !follow(edge) {
                continue;
            }
            top.2 = edge.step;
            match state.get(edge.to) {
                Some(State::New) => {
                    set(&mut state, edge.to, State::Open);
                    open.push((edge.to, 0, Step::Definition));
                }
                Some(State::Open) => {
                    let around = open.iter().skip_while(|(id, ..)| *id != edge.to);
                    found
                        .cycles
                        .push(around.map(|&(id, _, step)| (id, step)).collect());
                }
                _ => {}
            }
        }
    }
    found
}

/// For every subschema, the longest chain in place that starts at it.
fn chains(document: &Document<'_>, order: &[NodeId]) -> Vec<usize> {
    let mut chains = vec![1; document.nodes.len()];
    for &id in order {
        let Some(node) = document.nodes.get(id) else {
            continue;
        };
        let in_place = node.edges.iter().filter(|edge| edge.step.is_in_place());
        let below = in_place.filter_map(|edge| chains.get(edge.to)).max();
        let below = below.copied().unwrap_or(0);
        set(&mut chains, id, 1 + below);
    }
    chains
}

/// The first subschema whose cost is over the bound: the subschemas applied along the worst path
/// through a value. Names exclude each other; patterns, composition and the rest add up.
fn first_too_costly(document: &Document<'_>, order: &[NodeId]) -> Option<NodeId> {
    let mut costs = vec![1_u64; document.nodes.len()];
    for &id in order {
        let node = document.nodes.get(id)?;
        let (mut in_place, mut beside, mut one_of) = (0_u64, 0_u64, 0_u64);
        let mut collects = false;
        for edge in &node.edges {
            // A subschema not done yet closes a cycle through the value. The validator remembers
            // its verdicts on those, so they do not multiply.
            let cost = costs.get(edge.to).copied().unwrap_or(1);
            match edge.step {
                Step::Definition => {}
                Step::Property(_)
                | Step::AdditionalProperties
                | Step::PrefixItem
                | Step::RestItems => one_of = one_of.max(cost),
                step if step.is_in_place() => in_place = in_place.saturating_add(cost),
                step => {
                    collects |=
                        matches!(step, Step::UnevaluatedItems | Step::UnevaluatedProperties);
                    beside = beside.saturating_add(cost);
                }
            }
        }
        // What is left over is found by applying the others once more.
        let in_place = in_place.saturating_mul(if collects { 2 } else { 1 });
        let cost = in_place
            .saturating_add(beside)
            .saturating_add(one_of)
            .saturating_add(1);
        if cost > MAX_SUBSCHEMAS as u64 {
            return Some(id);
        }
        set(&mut costs, id, cost);
    }
    None
}

fn set<T>(slots: &mut [T], at: NodeId, value: T) {
    if let Some(slot) = slots.get_mut(at) {
        *slot = value;
    }
}
