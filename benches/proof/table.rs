//! What came of it: figures beside their goals, as a table.

use crate::measure::{Turn, median, middle};
use crate::rows;
use std::fmt;

/// What a figure must reach.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
    /// Said beside another figure.
    None,
}

impl Goal {
    fn met(self, value: f64) -> bool {
        match self {
            Self::AtLeast(goal) => value >= goal,
            Self::AtMost(goal) => value <= goal,
            Self::None => true,
        }
    }

    /// Missed by more than this factor.
    fn lost(self, value: f64, factor: f64) -> bool {
        match self {
            Self::AtLeast(goal) => value < goal / factor,
            Self::AtMost(goal) => value > goal * factor,
            Self::None => false,
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtLeast(goal) => write!(f, "≥ {goal}"),
            Self::AtMost(goal) => write!(f, "≤ {goal}"),
            Self::None => write!(f, "–"),
        }
    }
}

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Calls a second.
    Rate,
    Microseconds,
    Milliseconds,
    KiB,
    MiB,
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Self::Rate => "/s",
            Self::Microseconds => "µs",
            Self::Milliseconds => "ms",
            Self::KiB => "KiB",
            Self::MiB => "MiB",
        }
    }

    fn show(self, value: f64) -> String {
        let name = self.name();
        match self {
            Self::Rate => format!("{value:.0}{name}"),
            Self::Microseconds if value >= 100.0 => format!("{value:.0} {name}"),
            _ => format!("{value:.1} {name}"),
        }
    }
}

/// One line of the table.
pub struct Figure {
    what: String,
    unit: Unit,
    ours: f64,
    theirs: Option<f64>,
    /// Beside what it is compared with. Then the goal is one of the ratio.
    ratio: Option<f64>,
    goal: Goal,
}

impl Figure {
    /// A figure of the turns beside the same one of another side. The ratio is the middle of the
    /// ratios of turns that were taken one after the other.
    pub fn beside(
        what: &str,
        (ours, theirs): (&[Turn], &[Turn]),
        (unit, figure): (Unit, fn(&Turn) -> f64),
        goal: Goal,
    ) -> Self {
        let pairs = ours.iter().zip(theirs);
        let ratio = median(
            pairs
                .map(|(our, their)| figure(our) / figure(their))
                .collect(),
        );
        Self {
            what: what.to_owned(),
            unit,
            ours: middle(ours, figure),
            theirs: Some(middle(theirs, figure)),
            ratio: Some(ratio),
            goal,
        }
    }

    /// Numbers that were measured otherwise; the goal is one of their ratio.
    pub fn ratio(what: &str, unit: Unit, (ours, theirs): (f64, f64), goal: Goal) -> Self {
        Self {
            what: what.to_owned(),
            unit,
            ours,
            theirs: Some(theirs),
            ratio: Some(ours / theirs),
            goal,
        }
    }

    /// A number by itself.
    pub fn alone(what: &str, unit: Unit, ours: f64, goal: Goal) -> Self {
        Self {
            what: what.to_owned(),
            unit,
            ours,
            theirs: None,
            ratio: None,
            goal,
        }
    }

    /// The same number of a peer, which is said and not compared.
    pub fn with_peer(self, theirs: f64) -> Self {
        Self {
            theirs: Some(theirs),
            ..self
        }
    }

    fn judged(&self) -> f64 {
        self.ratio.unwrap_or(self.ours)
    }

    pub fn met(&self) -> bool {
        self.goal.met(self.judged())
    }

    fn cells(&self, row: &str) -> [String; 7] {
        let theirs = self.theirs.map(|theirs| self.unit.show(theirs));
        let ratio = self.ratio.map(|ratio| format!("{ratio:.2}"));
        let verdict = match self.goal {
            Goal::None => "",
            _ if self.met() => "pass",
            _ => "miss",
        };
        [
            row.to_owned(),
            self.what.clone(),
            self.unit.show(self.ours),
            theirs.unwrap_or_default(),
            ratio.unwrap_or_default(),
            match (self.goal, self.ratio) {
                (Goal::None, _) | (_, Some(_)) => self.goal.to_string(),
                (goal, None) => format!("{goal} {}", self.unit.name()),
            },
            verdict.to_owned(),
        ]
    }
}

/// A row: its name, its figures, and what else must be said of them.
pub struct Row {
    pub name: &'static str,
    pub figures: Vec<Figure>,
    pub notes: Vec<String>,
}

impl Row {
    /// A goal is missed by a factor of two: something is broken, whatever the machine is. A build without
    /// optimisation may be slower by what that costs the row.
    pub fn is_lost(&self) -> bool {
        let cost = match cfg!(debug_assertions) {
            true => rows::cost_of_no_optimisation(self.name),
            false => 1.0,
        };
        let mut figures = self.figures.iter();
        figures.any(|figure| figure.goal.lost(figure.judged(), 2.0 * cost))
    }

    /// Says when the load, not the server, was what could not do more.
    pub fn note_load(&mut self, side: &str, turns: &[Turn]) {
        let (load, server) = (middle(turns, |t| t.load), middle(turns, |t| t.server));
        if load > 0.95 && server < 0.95 {
            self.notes.push(format!(
                "the load was the limit of {side}: its core was busy {:.0} % of the time, the server's {:.0} %",
                load * 100.0,
                server * 100.0
            ));
        }
    }
}

/// The rows as a table of Markdown, its columns aligned, and the notes below.
pub fn render(rows: &[Row]) -> String {
    let mut lines = vec![[
        "work".to_owned(),
        "measured".to_owned(),
        "snodo".to_owned(),
        "peer".to_owned(),
        "ratio".to_owned(),
        "goal".to_owned(),
        String::new(),
    ]];
    for row in rows {
        for (index, figure) in row.figures.iter().enumerate() {
            let name = if index == 0 { row.name } else { "" };
            let name = if name.is_empty() {
                String::new()
            } else {
                format!("`{name}`")
            };
            lines.push(figure.cells(&name));
        }
    }
    let widths: Vec<usize> = (0..7)
        .map(|column| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let cells: Vec<String> = line
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
        if index == 0 {
            let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            text.push_str(&format!("| {} |\n", rules.join(" | ")));
        }
    }
    for row in rows {
        for note in &row.notes {
            text.push_str(&format!("\n- `{}`: {note}", row.name));
        }
    }
    text.push('\n');
    text
}
