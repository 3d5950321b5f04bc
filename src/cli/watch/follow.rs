//! The loop: what the store tells, shown until Ctrl-C. A store that goes away is looked for again.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::{
    picture::{Shown, picture},
    screen::Screen,
};
use crate::{
    cli::{
        context::{Context, Format},
        error::CliError,
        follow::{Signals, Told},
        opened::{GLANCE, Opened, is_ending},
        output, render,
    },
    client::{ClientError, EventStream},
    ids::Timestamp,
    protocol::{
        events::Event,
        query::{Claim, EventsQuery, TaskFilter, Trees},
        status::Status,
    },
};

/// Events come in bursts; the picture is drawn once behind each.
const BURST: Duration = Duration::from_millis(150);
/// It is drawn this often without any event too: ages and waits change by the clock.
const AT_LEAST: Duration = Duration::from_secs(10);

/// More than any screen has lines.
const SHOWN: u32 = 500;

/// Follows all tasks until the person ends it.
pub(crate) async fn watch(context: &Context, shown: Shown) -> Result<(), CliError> {
    let mut signals = Signals::listen()?;
    let on_screen = output::is_terminal() && context.format == Format::Text;
    let screen = if on_screen { Some(Screen::enter()?) } else { None };
    let mut watcher = Watcher { context, shown, screen, seen: None };
    tokio::select! {
        () = ended(&mut signals) => Ok(()),
        failed = watcher.run() => failed,
    }
}

/// A lost terminal ends a picture as Ctrl-C does: nobody is left to see it.
async fn ended(signals: &mut Signals) {
    match signals.next().await {
        Told::Interrupt | Told::Terminate | Told::Hangup => {}
    }
}

struct Watcher<'a> {
    context: &'a Context,
    shown: Shown,
    /// `None` where events are printed one a line.
    screen: Option<Screen>,
    /// The place of the last event that was told or stood before.
    seen: Option<i64>,
}

impl Watcher<'_> {
    async fn run(&mut self) -> Result<(), CliError> {
        loop {
            let store = Opened::open(self.context).await?;
            let looked = if store.is_hosted() { self.glance(&store).await } else { self.stay(&store).await };
            store.close().await;
            match looked {
                Err(Broken::Refused(error)) => return Err(error),
                // The next one is looked for; whatever it recorded meanwhile is told then.
                Err(Broken::Lost) | Ok(()) => sleep(GLANCE).await,
            }
        }
    }

    /// The place behind which all is to be told. A store that is not as far was begun from an older copy.
    fn after(&mut self, status: &Status) -> i64 {
        let after = self.seen.map_or(status.last_event, |seen| seen.min(status.last_event));
        self.seen = Some(after);
        after
    }

    /// Nobody keeps the store: what it holds is read, and it is let go.
    async fn glance(&mut self, store: &Opened) -> Result<(), Broken> {
        let status = store.operator().status().await?;
        let after = self.after(&status);
        if status.last_event > after {
            let mut events = self.events(store, after).await?;
            while self.seen.is_some_and(|seen| seen < status.last_event) {
                let Some(event) = events.next().await? else { return Err(Broken::Lost) };
                self.tell(&event)?;
            }
        }
        self.draw(store, &status).await
    }

    /// Follows a store that another process keeps.
    async fn stay(&mut self, store: &Opened) -> Result<(), Broken> {
        let status = store.operator().status().await?;
        let after = self.after(&status);
        let mut events = self.events(store, after).await?;
        self.draw(store, &status).await?;
        let mut draw_at = Instant::now() + AT_LEAST;
        loop {
            tokio::select! {
                event = events.next() => {
                    let Some(event) = event? else { return Err(Broken::Lost) };
                    self.tell(&event)?;
                    draw_at = draw_at.min(Instant::now() + BURST);
                }
                () = sleep_until(draw_at) => {
                    let status = store.operator().status().await?;
                    self.draw(store, &status).await?;
                    draw_at = Instant::now() + AT_LEAST;
                }
            }
        }
    }

    async fn events(&self, store: &Opened, after: i64) -> Result<EventStream, Broken> {
        let query = EventsQuery { tree: Trees(Vec::new()), after, claim: Claim::No };
        Ok(store.operator().events(&query).await?)
    }

    fn tell(&mut self, event: &Event) -> Result<(), CliError> {
        self.seen = self.seen.max(Some(event.seq));
        if self.screen.is_some() {
            return Ok(());
        }
        match self.context.format {
            Format::Json => output::print(render::line(event)?),
            Format::Text => match render::progress(event) {
                Some(line) => output::print(format!("{} {line}\n", event.at)),
                None => Ok(()),
            },
        }
    }

    async fn draw(&self, store: &Opened, status: &Status) -> Result<(), Broken> {
        let Some(screen) = &self.screen else { return Ok(()) };
        let lines = store.operator().tasks(&TaskFilter::most_telling(SHOWN)).await?;
        let text = picture(status, &lines, self.shown, Timestamp::now(), screen.size());
        Ok(screen.draw(&text).map_err(CliError::from)?)
    }
}

/// Why looking at one store ended.
enum Broken {
    /// The store went away.
    Lost,
    /// It refuses, or this process failed.
    Refused(CliError),
}

impl From<ClientError> for Broken {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Broken { .. } => Self::Lost,
            error if is_ending(&error) => Self::Lost,
            error => Self::Refused(error.into()),
        }
    }
}

impl From<CliError> for Broken {
    fn from(error: CliError) -> Self {
        Self::Refused(error)
    }
}
