//! The store's side of the supervisor plane as a test wants it: it records reports, gives the orders
//! it is told to give, refuses, goes away and comes back.

use std::{
    fs,
    io::{Read as _, Write as _},
    os::unix::net::{UnixListener, UnixStream},
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::Duration,
};

use callbox::{
    layout::StateDir,
    protocol::{
        error::{ApiError, ErrorCode},
        supervise::{Desired, Orders, Report, ReportBody, Verdict},
    },
};

/// What such a store does.
#[derive(Debug, Clone)]
pub(crate) struct Manners {
    /// What it answers to `agent_ended`.
    pub(crate) verdict: Verdict,
    /// What it answers to `started`; `None` refuses.
    pub(crate) started: Option<Verdict>,
}

/// A socket where the store's should be.
pub(crate) struct RawSupervision {
    shared: Arc<Shared>,
    state: StateDir,
}

struct Shared {
    world: Mutex<World>,
    changed: Condvar,
    manners: Manners,
}

struct World {
    reports: Vec<Report>,
    orders: Orders,
    present: bool,
}

impl RawSupervision {
    /// Serves the sockets of the state directory.
    pub(crate) fn begin(state: &StateDir, manners: Manners) -> Self {
        let orders = Orders {
            level: 1,
            desired: Desired::Go,
            hello_seen: true,
            question_open: false,
            unnamed: Vec::new(),
        };
        let world = Mutex::new(World { reports: Vec::new(), orders, present: false });
        let shared = Arc::new(Shared { world, changed: Condvar::new(), manners });
        let store = Self { shared, state: state.clone() };
        store.appear();
        store
    }

    /// Is there (again).
    pub(crate) fn appear(&self) {
        self.world().present = true;
        for socket in self.sockets() {
            fs::create_dir_all(socket.parent().unwrap()).unwrap();
            let listener = UnixListener::bind(&socket).unwrap();
            let shared = self.shared.clone();
            thread::spawn(move || {
                // Ends with the next connection after the socket was removed: nobody can make one.
                while let Ok((connection, _)) = listener.accept() {
                    let shared = shared.clone();
                    thread::spawn(move || serve(connection, &shared));
                }
            });
        }
    }

    /// Goes away, in the middle of whatever it was asked.
    pub(crate) fn vanish(&self) {
        self.world().present = false;
        for socket in self.sockets() {
            fs::remove_file(socket).unwrap();
        }
        self.shared.changed.notify_all();
    }

    /// Gives other orders from now on.
    pub(crate) fn order(&self, change: impl FnOnce(&mut Orders)) {
        let mut world = self.world();
        change(&mut world.orders);
        world.orders.level += 1;
        self.shared.changed.notify_all();
    }

    /// All reports so far.
    pub(crate) fn reports(&self) -> Vec<Report> {
        self.world().reports.clone()
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.shared.world.lock().unwrap()
    }

    fn sockets(&self) -> [PathBuf; 2] {
        [self.state.store_socket(), self.state.agent_socket()]
    }
}

fn serve(mut connection: UnixStream, shared: &Shared) {
    while let Some((head, body)) = read_request(&mut connection) {
        if !shared.world.lock().unwrap().present {
            return;
        }
        let Some((status, answer)) = answer(&head, &body, shared) else { return };
        let text = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n\r\n{answer}", answer.len());
        if connection.write_all(text.as_bytes()).is_err() {
            return;
        }
    }
}

/// `None` hangs up.
fn answer(head: &str, body: &str, shared: &Shared) -> Option<(u16, String)> {
    let json = |verdict: Verdict| Some((200, serde_json::to_string(&verdict).unwrap()));
    if head.starts_with("POST /v1/supervise/report ") {
        let report: Report = serde_json::from_str(body).unwrap();
        let verdict = match &report.body {
            ReportBody::Started { .. } => shared.manners.started.clone(),
            ReportBody::Facts { .. } => Some(Verdict::Go),
            ReportBody::AgentEnded { .. } | ReportBody::Verified { .. } => {
                Some(shared.manners.verdict.clone())
            }
            ReportBody::ToVerify => Some(Verdict::Deliver),
            ReportBody::Ended { .. } => Some(Verdict::Keep),
        };
        let mut world = shared.world.lock().unwrap();
        let last = world.reports.last().map_or(0, |report| report.number);
        let Some(verdict) = verdict.filter(|_| report.number <= last + 1) else {
            let refusal = ApiError::new(ErrorCode::Refused, "not wanted");
            return Some((refusal.code.status(), serde_json::to_string(&refusal).unwrap()));
        };
        if report.number > last {
            world.reports.push(report);
        }
        return json(verdict);
    }
    if let Some(query) = head.strip_prefix("GET /v1/supervise/orders?seen=") {
        let seen: u64 = query.split(' ').next()?.parse().ok()?;
        let world = shared.world.lock().unwrap();
        let unseen = |world: &mut World| world.orders.level == seen && world.present;
        let (world, _) = shared.changed.wait_timeout_while(world, Duration::from_secs(20), unseen).unwrap();
        return world.present.then(|| (200, serde_json::to_string(&world.orders).unwrap()));
    }
    // Hellos and signals of shims.
    Some((200, r#"{"seq":1,"text":"recorded"}"#.to_owned()))
}

fn read_request(connection: &mut UnixStream) -> Option<(String, String)> {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&request);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |length| length.parse().unwrap()) {
                return Some((head.to_owned(), body.to_owned()));
            }
        }
        match connection.read(&mut chunk) {
            Ok(0) | Err(_) => return None,
            Ok(taken) => request.extend_from_slice(&chunk[..taken]),
        }
    }
}
