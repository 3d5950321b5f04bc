//! The operator plane: one method per route.

use reqwest::Method;
use serde::{Serialize, de::DeserializeOwned};

use super::{
    answer,
    error::ClientError,
    events::EventStream,
    log::LogStream,
    transport::{PROMPT, Transport},
};
use crate::{
    ids::{ExecutionNumber, QuestionNumber, TaskNumber},
    protocol::{
        API_VERSION,
        operator::{
            ActReply, ActRequest, AnswerReply, AnswerRequest, AttachReply, AttachRequest, BackupReply,
            BackupRequest, OpenReply, OpenRequest, ProjectRequest, ResumeRequest, RetryRequest, SubmitReply,
            SubmitRequest, TellRequest, WhyReply,
        },
        query::{EventsQuery, LogQuery, QuestionFilter, TaskFilter},
        remains::{RemainsReply, SweepReply, SweepRequest},
        report::{QuestionReport, TaskLine, TaskReport},
        status::Status,
        travel::{ArrivalReply, ArrivalRequest, ExportReply, ExportRequest, ImportReply, ImportRequest},
    },
};

/// Speaks for the person.
#[derive(Clone)]
pub struct OperatorClient {
    transport: Transport,
}

impl OperatorClient {
    /// Speaks over `transport`; the store knows the person by the socket's peer.
    pub fn new(transport: Transport) -> Self {
        Self { transport }
    }

    /// How the store stands.
    pub async fn status(&self) -> Result<Status, ClientError> {
        self.get("/v1/status", &()).await
    }

    /// How the store stands, in the text format of Prometheus.
    pub async fn metrics(&self) -> Result<String, ClientError> {
        let request = self.transport.request(Method::GET, "/v1/metrics", API_VERSION).timeout(PROMPT);
        self.transport.send(request).await?.text().await.map_err(ClientError::from_http)
    }

    /// Queues tasks, all or none.
    pub async fn submit(&self, request: &SubmitRequest) -> Result<SubmitReply, ClientError> {
        self.post("/v1/tasks", request).await
    }

    /// The tasks that `filter` lets through.
    pub async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<TaskLine>, ClientError> {
        self.get("/v1/tasks", filter).await
    }

    /// One task, whole.
    pub async fn task(&self, task: TaskNumber) -> Result<TaskReport, ClientError> {
        self.get(&format!("/v1/tasks/{task}"), &()).await
    }

    /// What a task waits for.
    pub async fn why(&self, task: TaskNumber) -> Result<WhyReply, ClientError> {
        self.get(&format!("/v1/tasks/{task}/why"), &()).await
    }

    /// Cancels a task and its open subtasks.
    pub async fn cancel(&self, task: TaskNumber, request: &ActRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/cancel"), request).await
    }

    /// Starts a task that was held back.
    pub async fn start(&self, task: TaskNumber, request: &ActRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/start"), request).await
    }

    /// Goes on with a task in the same conversation.
    pub async fn resume(&self, task: TaskNumber, request: &ResumeRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/resume"), request).await
    }

    /// Notes that the project of a task's tree stands elsewhere.
    pub async fn relocate(&self, task: TaskNumber, request: &ProjectRequest) -> Result<(), ClientError> {
        self.post(&format!("/v1/tasks/{task}/project"), request).await
    }

    /// Completes a task whose work waits for a review.
    pub async fn accept(&self, task: TaskNumber, request: &ActRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/accept"), request).await
    }

    /// Sends work that waits for a review back to its agent, with the message of `request`.
    pub async fn reject(&self, task: TaskNumber, request: &ActRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/reject"), request).await
    }

    /// Has an ended task done anew.
    pub async fn retry(&self, task: TaskNumber, request: &RetryRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/retry"), request).await
    }

    /// Says something to the agent of a task.
    pub async fn tell(&self, task: TaskNumber, request: &TellRequest) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/tell"), request).await
    }

    /// Has the store save a copy of its database, which takes as long as it takes.
    pub async fn back_up(&self, request: &BackupRequest) -> Result<BackupReply, ClientError> {
        self.post_patiently("/v1/backup", request).await
    }

    /// The rows of tasks that leave for another state directory, which takes as long as it takes.
    pub async fn export(&self, request: &ExportRequest) -> Result<ExportReply, ClientError> {
        self.post_patiently("/v1/export", request).await
    }

    /// Has the store look at rows from elsewhere and set numbers apart for them.
    pub async fn arrive(&self, request: &ArrivalRequest) -> Result<ArrivalReply, ClientError> {
        self.post_patiently("/v1/import/check", request).await
    }

    /// Has the store take them, all or none.
    pub async fn import(&self, request: &ImportRequest) -> Result<ImportReply, ClientError> {
        self.post_patiently("/v1/import", request).await
    }

    /// What ended tasks left on the disk.
    pub async fn remains(&self) -> Result<RemainsReply, ClientError> {
        self.get("/v1/remains", &()).await
    }

    /// Gives up what a task left.
    pub async fn sweep(&self, task: TaskNumber, request: &SweepRequest) -> Result<SweepReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/sweep"), request).await
    }

    /// Questions of all tasks, oldest first.
    pub async fn questions(&self, filter: &QuestionFilter) -> Result<Vec<QuestionReport>, ClientError> {
        self.get("/v1/questions", filter).await
    }

    /// Answers a question.
    pub async fn answer(
        &self,
        question: QuestionNumber,
        request: &AnswerRequest,
    ) -> Result<AnswerReply, ClientError> {
        self.post(&format!("/v1/questions/{question}/answer"), request).await
    }

    /// Withdraws a question.
    pub async fn dismiss(
        &self,
        question: QuestionNumber,
        request: &ActRequest,
    ) -> Result<AnswerReply, ClientError> {
        self.post(&format!("/v1/questions/{question}/dismiss"), request).await
    }

    /// Follows events until the store or the caller ends it.
    pub async fn events(&self, query: &EventsQuery) -> Result<EventStream, ClientError> {
        let request = self.transport.request(Method::GET, "/v1/events", API_VERSION).query(query);
        Ok(EventStream::new(self.transport.send(request).await?))
    }

    /// The bytes of a log from an offset to its present end.
    pub async fn log(&self, execution: ExecutionNumber, query: LogQuery) -> Result<LogStream, ClientError> {
        let path = format!("/v1/executions/{execution}/log");
        let request = self.transport.request(Method::GET, &path, API_VERSION).query(&query);
        Ok(LogStream::new(self.transport.send(request).await?))
    }

    /// Opens an execution for a command that the caller starts itself.
    pub async fn attach(&self, request: &AttachRequest) -> Result<AttachReply, ClientError> {
        self.post("/v1/attach", request).await
    }

    /// Opens an execution for an agent that a person configures by hand.
    pub async fn open(&self, request: &OpenRequest) -> Result<OpenReply, ClientError> {
        self.post("/v1/unbound", request).await
    }

    /// Closes such an execution of a task.
    pub async fn end(&self, task: TaskNumber) -> Result<ActReply, ClientError> {
        self.post(&format!("/v1/tasks/{task}/end"), &()).await
    }

    async fn get<Q: Serialize, T: DeserializeOwned>(&self, path: &str, query: &Q) -> Result<T, ClientError> {
        let request = self.transport.request(Method::GET, path, API_VERSION).query(query).timeout(PROMPT);
        answer::json(self.transport.send(request).await?).await
    }

    async fn post_patiently<B: Serialize, T: DeserializeOwned>(
        &self,
        path: &str,
        body: &B,
    ) -> Result<T, ClientError> {
        let request = self.transport.post(path, API_VERSION, body)?;
        answer::json(self.transport.send(request).await?).await
    }

    async fn post<B: Serialize, T: DeserializeOwned>(&self, path: &str, body: &B) -> Result<T, ClientError> {
        let request = self.transport.post(path, API_VERSION, body)?.timeout(PROMPT);
        answer::json(self.transport.send(request).await?).await
    }
}
