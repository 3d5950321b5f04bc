//! What is printed: a line for each figure, and the goals that were missed.

use crate::times::Times;

/// A figure's goal.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Goal<'a> {
    /// At most so many times the median of what was measured beside it.
    Ratio {
        /// What it is measured by.
        floor: &'a Times,
        /// How many times as much it may be.
        most: f64,
    },
    /// At most so much, in the figure's own unit.
    Most(f64),
    /// None: it says where the others come from.
    None,
}

/// The lines, and whether every goal was met.
#[derive(Debug, Default)]
pub(crate) struct Table {
    missed: Vec<String>,
}

impl Table {
    /// Prints the names of the columns.
    pub(crate) fn head() {
        println!(
            "{:<46}{:>10}{:>10}{:>10}{:>10}{:>8}  {:<14}",
            "", "min", "median", "max", "floor", "ratio", "goal"
        );
    }

    /// Prints the line of `times`, in milliseconds.
    pub(crate) fn times(&mut self, name: &str, times: &Times, goal: Goal<'_>) {
        let [min, median, max] = times.spread().map(|time| time / 1e3);
        let figures = format!("{min:>10.3}{median:>10.3}{max:>10.3}");
        match goal {
            Goal::Ratio { floor, most } => {
                let floor = floor.median() / 1e3;
                let ratio = median / floor;
                let figures = format!("{figures}{floor:>10.3}{ratio:>8.2}");
                self.judged(name, &figures, ratio <= most, &format!("≤ {most} × floor"));
            }
            Goal::Most(most) => {
                self.judged(name, &format!("{figures}{:>18}", ""), median <= most, &format!("≤ {most} ms"));
            }
            Goal::None => println!("{name:<46}{figures}"),
        }
    }

    /// Prints the line of one size, in MB.
    pub(crate) fn size(&mut self, name: &str, bytes: u64, goal: Goal<'_>) {
        #[expect(clippy::cast_precision_loss, reason = "sizes of programs are far below 2^52")]
        let size = bytes as f64 / 1e6;
        let figures = format!("{:>10}{size:>10.2}{:>10}", "", "");
        match goal {
            Goal::Most(most) => {
                self.judged(name, &format!("{figures}{:>18}", ""), size <= most, &format!("≤ {most} MB"));
            }
            Goal::Ratio { .. } | Goal::None => println!("{name:<46}{figures}"),
        }
    }

    /// Prints the line of one share of a whole, in per cent.
    pub(crate) fn share(&mut self, name: &str, share: f64, goal: Goal<'_>) {
        let percent = share * 100.0;
        let figures = format!("{:>10}{percent:>10.2}{:>10}", "", "");
        match goal {
            Goal::Most(most) => {
                self.judged(name, &format!("{figures}{:>18}", ""), percent <= most, &format!("≤ {most} %"));
            }
            Goal::Ratio { .. } | Goal::None => println!("{name:<46}{figures}"),
        }
    }

    fn judged(&mut self, name: &str, figures: &str, met: bool, goal: &str) {
        println!("{name:<46}{figures}  {goal:<14}{}", if met { "met" } else { "missed" });
        if !met {
            self.missed.push(name.to_owned());
        }
    }

    /// The names of what missed its goal.
    pub(crate) fn missed(&self) -> &[String] {
        &self.missed
    }
}
