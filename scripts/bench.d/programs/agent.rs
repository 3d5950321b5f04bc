//! Stands where an agent program would: says its version, or tells that it was started and ends.

use std::{env, fs::OpenOptions, io::Write as _};

fn main() {
    if env::args().nth(1).as_deref() == Some("--version") {
        println!("0.0.0 (Claude Code)");
        return;
    }
    let told = env::var_os("BENCH_STARTED").map(|path| OpenOptions::new().write(true).open(path));
    if let Some(Ok(mut fifo)) = told {
        // Nobody waits for a byte that the bench does not read; it names the silence itself.
        let _ = fifo.write_all(b".");
    }
}
