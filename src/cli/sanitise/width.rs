//! How many columns text takes, and cutting it to fit.
//!
//! An approximation of East Asian Width good enough for tables: the wide blocks take two columns,
//! combining marks none. A wrong guess costs alignment, nothing else.

use std::ops::RangeInclusive;

/// The columns that one line of sanitised text takes.
pub(crate) fn columns(line: &str) -> usize {
    line.chars().map(width).sum()
}

/// The line itself where it fits into `limit` columns, else as much as fits and `…`.
pub(crate) fn cut(line: &str, limit: usize) -> String {
    if columns(line) <= limit {
        return line.to_owned();
    }
    let mut taken = 0;
    let mut kept: String = line
        .chars()
        .take_while(|letter| {
            taken += width(*letter);
            taken < limit
        })
        .collect();
    kept.truncate(kept.trim_end().len());
    if limit > 0 {
        kept.push('…');
    }
    kept
}

fn width(letter: char) -> usize {
    let among = |ranges: &[RangeInclusive<char>]| ranges.iter().any(|range| range.contains(&letter));
    if among(COMBINING) {
        0
    } else if among(WIDE) {
        2
    } else {
        1
    }
}

const COMBINING: &[RangeInclusive<char>] = &[
    '\u{300}'..='\u{36f}',
    '\u{483}'..='\u{489}',
    '\u{591}'..='\u{5bd}',
    '\u{610}'..='\u{61a}',
    '\u{64b}'..='\u{65f}',
    '\u{1ab0}'..='\u{1aff}',
    '\u{1dc0}'..='\u{1dff}',
    '\u{20d0}'..='\u{20ff}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{fe20}'..='\u{fe2f}',
    '\u{1f3fb}'..='\u{1f3ff}',
];

const WIDE: &[RangeInclusive<char>] = &[
    '\u{1100}'..='\u{115f}',
    '\u{2e80}'..='\u{303e}',
    '\u{3041}'..='\u{a4cf}',
    '\u{ac00}'..='\u{d7a3}',
    '\u{f900}'..='\u{faff}',
    '\u{fe30}'..='\u{fe6f}',
    '\u{ff00}'..='\u{ff60}',
    '\u{ffe0}'..='\u{ffe6}',
    '\u{1f300}'..='\u{1f3fa}',
    '\u{1f400}'..='\u{1f64f}',
    '\u{1f680}'..='\u{1f6ff}',
    '\u{1f900}'..='\u{1faff}',
    '\u{20000}'..='\u{3fffd}',
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_fits_is_left_alone_and_what_does_not_ends_in_a_sign() {
        assert_eq!(cut("parser", 6), "parser");
        assert_eq!(cut("mend the parser", 9), "mend the…");
        assert_eq!(cut("日本語です", 5), "日本…");
        assert_eq!(cut("anything", 0), "");
    }

    proptest! {
        #[test]
        fn a_cut_line_never_takes_more_columns_than_it_may(line in "\\PC{0,40}", limit in 0usize..50) {
            prop_assert!(columns(&cut(&line, limit)) <= limit);
        }
    }
}
