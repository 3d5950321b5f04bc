//! Points between two steps at which a test may kill a process, or stop it.
//!
//! For tests only, and without effect unless `CALLBOX_FAULT` names a point: a process that is
//! signalled from outside is never hit at the place that matters. `NAME` kills at the first passing,
//! `NAME#3` at the third; with `CALLBOX_FAULT_ACTION=stop` the process is stopped instead, until
//! SIGCONT. Where `CALLBOX_FAULT_ONCE` names a file, only the first process to come there is hit,
//! which makes the file.

use std::{
    env,
    ffi::OsString,
    fs::File,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    thread,
    time::Duration,
};

use super::{
    pid::Pid,
    running::Process,
    signal::{Signal, signal},
};

/// How long a thread that stopped its process lets that happen.
const TO_STOP: Duration = Duration::from_millis(100);

/// A place between two steps.
pub trait FaultPoint: Copy {
    /// Its name: the process, a colon, what has just happened.
    fn name(self) -> &'static str;
}

/// The point at which this process is to be hit, if any. Cloning shares the count.
#[derive(Debug, Clone, Default)]
pub struct FaultPoints {
    chosen: Option<Arc<Chosen>>,
}

#[derive(Debug)]
struct Chosen {
    point: String,
    /// The passing that counts, from 1.
    number: u32,
    passed: AtomicU32,
    signal: Signal,
    once: Option<OsString>,
}

impl FaultPoints {
    /// Reads the variables.
    pub fn read() -> Self {
        let Ok(text) = env::var("CALLBOX_FAULT") else { return Self::default() };
        let (point, number) = match text.split_once('#') {
            Some((point, number)) => (point.to_owned(), number.parse().unwrap_or(1)),
            None => (text, 1_u32),
        };
        let signal = match env::var("CALLBOX_FAULT_ACTION").as_deref() {
            Ok("stop") => Signal::Stop,
            _ => Signal::Kill,
        };
        let passed = AtomicU32::new(0);
        let once = env::var_os("CALLBOX_FAULT_ONCE");
        Self { chosen: Some(Arc::new(Chosen { point, number, passed, signal, once })) }
    }

    /// Is hit here if `point` was chosen.
    pub fn pass(&self, point: impl FaultPoint) {
        let Some(chosen) = self.chosen.as_ref().filter(|chosen| chosen.point == point.name()) else { return };
        if chosen.passed.fetch_add(1, Ordering::Relaxed) + 1 == chosen.number
            && chosen.once.as_ref().is_none_or(|file| File::create_new(file).is_ok())
            && let Ok(own) = Process::of(Pid::current())
        {
            // Where even that fails the test that asked for it does.
            let _ = signal(own, chosen.signal);
            // SIGKILL ends this thread before it returns; of SIGSTOP another thread may hear first.
            thread::sleep(TO_STOP);
        }
    }
}
