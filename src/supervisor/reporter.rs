//! The one place that numbers reports: each is spooled, then sent until the store has answered it,
//! and only then the next.

use std::{collections::VecDeque, future::pending, pin::Pin};

use tokio::{
    sync::{mpsc, oneshot},
    time::{Duration, Instant, sleep, sleep_until},
};

use super::{
    batch::{Batch, Urgency, urgency},
    fault_point::Point,
    refusal::{Pauses, lasting},
    spool::{Durability, Left, Spool},
};
use crate::{
    client::{ClientError, SupervisorClient},
    ids::Timestamp,
    process::FaultPoints,
    protocol::{
        error::{ApiError, ErrorCode},
        supervise::{Report, ReportBody, Verdict},
    },
    vocabulary::Fact,
};

/// How long facts wait for others, and how long while the store is away.
const TOGETHER: Duration = Duration::from_millis(200);
const TOGETHER_WHILE_AWAY: Duration = Duration::from_secs(2);

/// The way to the reporter. Cloning shares it.
#[derive(Debug, Clone)]
pub(super) struct Reporter {
    sender: mpsc::UnboundedSender<Message>,
}

/// How the store took a report.
#[derive(Debug)]
pub(super) enum Answer {
    /// It was recorded.
    Verdict(Verdict),
    /// It will never be.
    Refused(ApiError),
}

/// A report that is in the spool.
#[derive(Debug)]
pub(super) struct Spooled {
    answer: oneshot::Receiver<Answer>,
}

#[derive(Debug)]
enum Message {
    Fact(Fact),
    Report { body: ReportBody, spooled: oneshot::Sender<()>, answer: oneshot::Sender<Answer> },
}

impl Reporter {
    /// Reports `fact` soon, together with others.
    pub(super) fn learned(&self, fact: Fact) {
        // The reporter lives as long as the run; a fact nobody takes has no other place to go.
        let _ = self.sender.send(Message::Fact(fact));
    }

    /// Reports `body` behind all facts learned before. Returns when it is on disk.
    pub(super) async fn report(&self, body: ReportBody) -> Spooled {
        let (spooled, on_disk) = oneshot::channel();
        let (sender, answer) = oneshot::channel();
        let _ = self.sender.send(Message::Report { body, spooled, answer: sender });
        let _ = on_disk.await;
        Spooled { answer }
    }
}

impl Spooled {
    /// Waits for the store's answer, for ever if need be.
    pub(super) async fn answer(self) -> Answer {
        match self.answer.await {
            Ok(answer) => answer,
            // The reporter is gone only with the whole process.
            Err(_) => pending().await,
        }
    }
}

/// The reporter's own side; runs until all [`Reporter`]s are gone and everything is sent.
pub(super) struct Reporting {
    receiver: mpsc::UnboundedReceiver<Message>,
    client: SupervisorClient,
    spool: Spool,
    faults: FaultPoints,
    last: u64,
    batch: Batch,
    due: Option<Instant>,
    queue: VecDeque<Queued>,
}

struct Queued {
    report: Report,
    answer: Option<oneshot::Sender<Answer>>,
}

type Sending = Pin<Box<dyn Future<Output = Result<Verdict, ApiError>> + Send>>;

/// Sets up a reporter that goes on behind what is `left` in the spool.
pub(super) fn reporter(
    client: SupervisorClient,
    spool: Spool,
    left: Left,
    faults: FaultPoints,
) -> (Reporter, Reporting) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let queue = left.unsent.into_iter().map(|report| Queued { report, answer: None }).collect();
    let (last, batch, due) = (left.last, Batch::default(), None);
    (Reporter { sender }, Reporting { receiver, client, spool, faults, last, batch, due, queue })
}

impl Reporting {
    /// Runs it.
    pub(super) async fn run(mut self) {
        let mut sending: Option<Sending> = None;
        let mut open = true;
        while open || sending.is_some() || !self.queue.is_empty() {
            if sending.is_none() {
                sending = self.queue.front().map(|next| send(self.client.clone(), next.report.clone()));
            }
            let sent = async {
                match &mut sending {
                    Some(sending) => sending.await,
                    None => pending().await,
                }
            };
            let due = async {
                match self.due {
                    Some(due) => sleep_until(due).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                message = self.receiver.recv(), if open => {
                    open = message.is_some();
                    self.take(message);
                }
                () = due => self.flush(),
                answer = sent => {
                    sending = None;
                    self.answered(answer);
                }
            }
        }
    }

    /// Takes a message; `None` when there will be no other.
    fn take(&mut self, message: Option<Message>) {
        match message {
            None => self.flush(),
            Some(Message::Fact(fact)) => {
                let wait = match urgency(&fact) {
                    Urgency::Now => Duration::ZERO,
                    // More than one report waiting: the store is slow or away.
                    Urgency::Soon if self.queue.len() > 1 => TOGETHER_WHILE_AWAY,
                    Urgency::Soon => TOGETHER,
                };
                self.batch.add(fact);
                let due = Instant::now() + wait;
                self.due = Some(self.due.map_or(due, |earlier| earlier.min(due)));
            }
            Some(Message::Report { body, spooled, answer }) => {
                self.flush();
                self.enqueue(body, Some(answer));
                // Whoever asked may have been stopped meanwhile.
                let _ = spooled.send(());
            }
        }
    }

    fn flush(&mut self) {
        self.due = None;
        while !self.batch.is_empty() {
            let facts = self.batch.take();
            self.enqueue(ReportBody::Facts { facts }, None);
        }
    }

    fn enqueue(&mut self, body: ReportBody, answer: Option<oneshot::Sender<Answer>>) {
        self.last += 1;
        let report = Report { number: self.last, at: Timestamp::now(), body };
        // A disk that is full must not end a run that the store may still hear of.
        if let Err(error) = self.spool.append(&report, durability(&report.body)) {
            tracing::error!(%error, number = report.number, "a report could not be spooled");
        }
        if matches!(report.body, ReportBody::AgentEnded { .. }) {
            self.faults.pass(Point::OutcomeSpooled);
        }
        self.queue.push_back(Queued { report, answer });
    }

    fn answered(&mut self, answer: Result<Verdict, ApiError>) {
        let Some(mut sent) = self.queue.pop_front() else { return };
        let answer = match answer {
            Ok(verdict) => Answer::Verdict(verdict),
            Err(refusal) => {
                tracing::warn!(%refusal, number = sent.report.number, "a report was refused");
                let emptied = matches!(&sent.report.body, ReportBody::Facts { facts } if !facts.is_empty());
                if emptied && matches!(refusal.code, ErrorCode::Invalid | ErrorCode::TooLarge) {
                    // Numbers have no gaps: facts that can't be taken leave an empty report.
                    sent.report.body = ReportBody::Facts { facts: Vec::new() };
                    self.queue.push_front(sent);
                    return;
                }
                Answer::Refused(refusal)
            }
        };
        if let Some(waiting) = sent.answer {
            // Who no longer waits has its report in the spool.
            let _ = waiting.send(answer);
        }
    }
}

fn durability(body: &ReportBody) -> Durability {
    match body {
        // Nothing was done yet: a machine that stops now takes all of the run with it, or of the step to come.
        ReportBody::Started { .. } | ReportBody::ToVerify => Durability::Written,
        ReportBody::Facts { facts } if !facts.iter().any(|fact| matches!(fact, Fact::Session { .. })) => {
            Durability::Written
        }
        _ => Durability::Synced,
    }
}

/// Sends `report` until it is taken or refused for good.
fn send(client: SupervisorClient, report: Report) -> Sending {
    Box::pin(async move {
        let mut pauses = Pauses::new();
        loop {
            match client.report(&report).await {
                Ok(verdict) => return Ok(verdict),
                Err(error) => match lasting(&error) {
                    Some(refusal) => return Err(refusal.clone()),
                    None => wait(error, &mut pauses).await,
                },
            }
        }
    })
}

async fn wait(error: ClientError, pauses: &mut Pauses) {
    tracing::debug!(%error, "a report is to be sent again");
    sleep(pauses.next()).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocabulary::Finish;

    #[test]
    fn what_only_a_living_machine_needs_is_not_waited_for_on_the_disk() {
        let facts = |facts: &[Fact]| durability(&ReportBody::Facts { facts: facts.to_vec() });
        let started = ReportBody::Started { pid: 1, version: "0".to_owned() };
        assert_eq!(durability(&started), Durability::Written);
        assert_eq!(facts(&[Fact::TurnTaken]), Durability::Written);
        assert_eq!(facts(&[Fact::TurnTaken, Fact::Session { id: "s".to_owned() }]), Durability::Synced);
        let finish = Finish::Delivered { delivery: None, notice: None };
        assert_eq!(durability(&ReportBody::Ended { finish }), Durability::Synced);
    }
}
