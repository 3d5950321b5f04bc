//! The loop: events in, progress out, until nothing of the trees can run any more.

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use tokio::time::{sleep_until, timeout_at};

use super::{
    flags::Manner,
    heard::Heard,
    patience::{Next, Patience},
    signals::{Signals, Told},
    standing::standing,
    status_line::StatusLine,
    tree::tree,
    waiting::Waiting,
};
use crate::{
    cli::{
        context::Context,
        error::CliError,
        opened::{Opened, is_ending},
        render, sanitise,
    },
    client::{ClientError, EventStream},
    ids::{QuestionNumber, TaskNumber, Timestamp},
    protocol::{
        events::Event,
        operator::ActRequest,
        query::{Claim, EventsQuery, TaskFilter, Trees},
        report::{TaskLine, TaskReport},
    },
};

/// Events come in bursts; the trees are looked at once behind each.
const BURST: Duration = Duration::from_millis(50);
/// They are looked at this often without any event too, since a wait may change by the clock alone.
const AT_LEAST: Duration = Duration::from_secs(10);
/// How long the events of an end may take behind the end itself.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How often a store that went away is looked for before the run is given up.
const RETURNS: u32 = 20;
/// The pause before each look.
const PAUSE: Duration = Duration::from_millis(500);

/// What to follow.
#[derive(Debug)]
pub(crate) struct Following {
    /// The roots of the trees.
    pub(crate) roots: Vec<TaskNumber>,
    /// When it began: what happened before is not told again.
    pub(crate) since: Timestamp,
    /// How it is followed.
    pub(crate) manner: Manner,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Followed {
    /// The reports of the roots, in their order.
    pub(crate) reports: Vec<TaskReport>,
    /// A sentence about tasks beside the trees that waited for them and can run now.
    pub(crate) released: Option<String>,
}

/// Follows the trees, which the store may run meanwhile, to their end. The store is let go in any case.
pub(crate) async fn follow(
    store: Opened,
    following: &mut Following,
    signals: &mut Signals,
    context: &Context,
) -> Result<Followed, CliError> {
    let mut store = store;
    let lines = store.look(async |operator| operator.tasks(&TaskFilter::in_state("queued")).await).await;
    let (mut store, lines) = store.or_close(lines).await?;
    let mut follower = Follower {
        patience: Patience::new(following.manner.max_wait),
        following,
        waiting: Waiting::of(&lines),
        context,
        seen: 0,
        heard: Heard::default(),
        stops: 0,
        owes_cancel: false,
        met: BTreeSet::new(),
        status: StatusLine::new(),
    };
    let mut returns = 0;
    loop {
        let listened = follower.listen(&store, signals).await;
        follower.status.clear();
        match listened {
            Ok(end) => {
                store.close_settled().await;
                return Ok(end);
            }
            Err(Broken::Lost(_)) if returns < RETURNS => returns += 1,
            Err(Broken::Lost(error)) => {
                store.close().await;
                return Err(error.into());
            }
            Err(Broken::Refused(error)) => {
                store.close().await;
                return Err(error);
            }
        }
        // The store went away: whoever follows takes over from a host that ended.
        store.close().await;
        store = follower.reopen(&mut returns).await?;
    }
}

struct Follower<'a> {
    following: &'a mut Following,
    /// What waited for other tasks when it began.
    waiting: Waiting,
    context: &'a Context,
    patience: Patience,
    /// The place of the last event that was told.
    seen: i64,
    /// Which changes were told.
    heard: Heard,
    /// How often this process was told to stop.
    stops: u32,
    /// Whether a cancel found no store to take it.
    owes_cancel: bool,
    /// The questions that a foreseen answer was given to, or refused.
    met: BTreeSet<QuestionNumber>,
    /// What an agent does now.
    status: StatusLine<std::io::Stderr>,
}

/// Why listening ended early.
enum Broken {
    /// The store went away; nothing is lost.
    Lost(ClientError),
    /// It refuses, or this process failed.
    Refused(CliError),
}

impl From<ClientError> for Broken {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Broken { .. } => Self::Lost(error),
            error if is_ending(&error) => Self::Lost(error),
            error => Self::Refused(error.into()),
        }
    }
}

impl Follower<'_> {
    /// Listens to one store until the trees are over; the reports of the roots, made while they are
    /// still claimed, so that they say what is waited for and not that nobody runs them.
    async fn listen(&mut self, store: &Opened, signals: &mut Signals) -> Result<Followed, Broken> {
        let mut events = self.events(store).await?;
        if self.owes_cancel {
            self.cancel(store).await;
        }
        let mut look_at = Instant::now();
        loop {
            tokio::select! {
                event = events.next() => {
                    let Some(event) = event? else { return Err(gone()) };
                    if self.tell(&event) {
                        look_at = look_at.min(Instant::now() + BURST);
                    }
                }
                told = signals.next() => self.obey(told, store).await,
                why = store.displaced() => return Err(Broken::Refused(displaced(&why))),
                () = sleep_until(look_at.into()) => {
                    match self.look(store, &mut events).await? {
                        Some(next) => look_at = next,
                        None => return self.followed(store).await,
                    }
                }
            }
        }
    }

    async fn followed(&self, store: &Opened) -> Result<Followed, Broken> {
        let mut reports = Vec::new();
        let manner = &self.following.manner;
        for root in &self.following.roots {
            reports.push(self.masked(manner.replies.judged(store.operator().task(*root).await?))?);
        }
        let lines = store.operator().tasks(&TaskFilter::in_state("queued")).await?;
        Ok(Followed { reports, released: self.waiting.released(&lines) })
    }

    async fn events(&self, store: &Opened) -> Result<EventStream, Broken> {
        let tree = Trees(self.following.roots.clone());
        let query = EventsQuery { tree, after: self.seen, claim: Claim::Yes };
        Ok(store.operator().events(&query).await?)
    }

    /// Tells the event once; whether it may have changed how the trees stand.
    fn tell(&mut self, event: &Event) -> bool {
        self.seen = self.seen.max(event.seq);
        self.heard.note(event);
        let may_have_changed = !matches!(event.kind.as_str(), "activity" | "progress" | "usage");
        let Ok(event) = self.following.manner.records.mask.value(event.clone()) else {
            return may_have_changed;
        };
        if event.at >= self.following.since {
            self.following.manner.records.event(&event);
        }
        if event.kind == "activity" {
            self.status.show(&format!("{} {}", event.task, event.text));
        } else if event.at >= self.following.since
            && let Some(line) = render::progress(&event)
        {
            self.status.say(line);
        }
        may_have_changed
    }

    fn masked(&self, report: TaskReport) -> Result<TaskReport, Broken> {
        self.following.manner.records.mask.value(report).map_err(Broken::Refused)
    }

    /// When to look again at the latest; `None` when it is over.
    async fn look(&mut self, store: &Opened, events: &mut EventStream) -> Result<Option<Instant>, Broken> {
        let filter = TaskFilter::of_trees(&self.following.roots);
        let lines = store.operator().tasks(&filter).await?;
        let trees = tree(&lines, &self.following.roots);
        let answered = self.following.manner.replies.give(&mut self.met, store, &trees).await?;
        let now = Instant::now();
        if !answered.is_empty() {
            for said in answered {
                self.status.say(said);
            }
            return Ok(Some(now + BURST));
        }
        Ok(match self.patience.consider(standing(trees.clone()), now, Timestamp::now()) {
            Next::GoOn => Some(now + AT_LEAST),
            Next::WaitUntil(deadline) => Some(deadline.min(now + AT_LEAST)),
            Next::End => {
                self.tell_rest(events, &trees).await?;
                None
            }
            Next::GiveUp => {
                self.tell_rest(events, &trees).await?;
                let limit = render::length(self.following.manner.max_wait);
                self.status
                    .say(format!("the provider refuses for longer than `--max-wait` ({limit}) allows"));
                None
            }
        })
    }

    /// Tells what led to how `trees` stand and was not told yet.
    async fn tell_rest(&mut self, events: &mut EventStream, trees: &[&TaskLine]) -> Result<(), Broken> {
        let until = Instant::now() + LAST_WORDS;
        while !self.heard.is_up_to(trees) {
            match timeout_at(until.into(), events.next()).await {
                Ok(event) => self.tell(&event?.ok_or_else(gone)?),
                Err(_) => return Ok(()),
            };
        }
        Ok(())
    }

    async fn obey(&mut self, told: Told, store: &Opened) {
        let names: Vec<String> = self.following.roots.iter().map(TaskNumber::to_string).collect();
        let names = names.join(", ");
        match told {
            Told::Hangup => {
                self.status.say(format!("the terminal is gone; {names} goes on without it"));
            }
            Told::Interrupt | Told::Terminate => {
                self.stops += 1;
                self.status.say(match self.stops {
                    1 => format!("cancelling {names}; once more kills"),
                    _ => format!("killing {names}"),
                });
                self.cancel(store).await;
            }
        }
    }

    /// Cancels all trees. What a store that is just ending did not take, the next one is told.
    async fn cancel(&mut self, store: &Opened) {
        self.owes_cancel = false;
        for root in &self.following.roots {
            match store.operator().cancel(*root, &ActRequest::default()).await {
                Ok(_) => {}
                Err(error) if is_ending(&error) => self.owes_cancel = true,
                Err(error) => self.status.say(CliError::from(error).to_string().trim_end()),
            }
        }
    }

    async fn reopen(&self, returns: &mut u32) -> Result<Opened, CliError> {
        loop {
            tokio::time::sleep(PAUSE).await;
            match Opened::open(self.context).await {
                Ok(store) => return Ok(store),
                Err(error) if *returns >= RETURNS => return Err(error),
                Err(_) => *returns += 1,
            }
        }
    }
}

/// Going on would make a new state directory, in which nothing is known of what is followed.
fn displaced(why: &str) -> CliError {
    CliError::unavailable(format!(
        "the store that this command kept has stopped because {}",
        sanitise::line(why)
    ))
    .hinted("what ran in it is ended by its supervisors; nothing more is recorded of it")
}

fn gone() -> Broken {
    Broken::Lost(ClientError::Broken { what: "the store closed the connection".to_owned(), source: None })
}
