//! How long and how many: the limits of the four tools, for the check and for the schemas alike, so
//! that what an agent is told and what it is held to cannot part.

/// A range of characters (Unicode scalar values, as JSON Schema counts), both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Length {
    /// The fewest; 1 also means not only blanks.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// Whether line breaks and other control characters are allowed.
    pub lines: Lines,
}

/// Whether a text may have more than one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// A name: no line break, no control character.
    One,
    /// Prose: any character but NUL.
    Many,
}

/// A range of items or of numbers, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The least.
    pub least: u8,
    /// The most.
    pub most: u8,
}

/// `ask_user.question`.
pub const QUESTION: Length = prose(1, 4_000);
/// `ask_user.options`: how many.
pub const OPTIONS: Count = Count { least: 0, most: 10 };
/// `ask_user.options`: each.
pub const OPTION: Length = prose(1, 500);
/// `ask_user.context`.
pub const CONTEXT: Length = prose(0, 10_000);
/// `report_summary.summary`.
pub const SUMMARY: Length = prose(1, 20_000);
/// `spawn_subtask.name`, and each of `spawn_subtask.after`.
pub const NAME: Length = line(200);
/// `spawn_subtask.instructions`.
pub const INSTRUCTIONS: Length = prose(1, 200_000);
/// `spawn_subtask.agent`.
pub const AGENT: Length = line(100);
/// `spawn_subtask.model`.
pub const MODEL: Length = line(200);
/// `spawn_subtask.after`: how many.
pub const AFTER: Count = Count { least: 0, most: 100 };
/// `record_progress.message`.
pub const MESSAGE: Length = prose(1, 500);
/// `record_progress.percent`.
pub const PERCENT: Count = Count { least: 0, most: 100 };

const fn prose(least: usize, most: usize) -> Length {
    Length { least, most, lines: Lines::Many }
}

const fn line(most: usize) -> Length {
    Length { least: 1, most, lines: Lines::One }
}
