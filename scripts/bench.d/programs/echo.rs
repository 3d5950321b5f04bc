//! Writes back each line it reads: what a program that answers at all costs beside an empty one.

use std::io::{self, BufRead as _, Write as _};

fn main() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        let mut stdout = io::stdout().lock();
        writeln!(stdout, "{}", line?)?;
        stdout.flush()?;
    }
    Ok(())
}
