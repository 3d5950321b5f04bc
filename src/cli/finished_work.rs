//! The work of a task as it stands in its project: delivered, or kept behind an end that is no good one.

use crate::{
    protocol::report::TaskReport,
    vocabulary::{Delivery, Kept},
};

/// It stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FinishedWork<'a> {
    /// On the branch of this name.
    Delivered(&'a Delivery, &'a str),
    /// As a reference of callbox's own.
    Kept(&'a Kept),
}

/// What the last run that ended left in the project; `None` where that is nothing, or a patch beside it.
pub(crate) fn finished_work(report: &TaskReport) -> Option<FinishedWork<'_>> {
    report.task.project.as_ref()?;
    let kept = report.kept.as_ref().map(FinishedWork::Kept);
    let delivered = report
        .delivery
        .as_ref()
        .and_then(|delivery| Some(FinishedWork::Delivered(delivery, delivery.branch.as_deref()?)));
    kept.or(delivered)
}

impl<'a> FinishedWork<'a> {
    /// The commit the work started from.
    pub(crate) fn base(self) -> &'a str {
        match self {
            Self::Delivered(delivery, _) => &delivery.base,
            Self::Kept(kept) => &kept.base,
        }
    }

    /// The commit.
    pub(crate) fn head(self) -> &'a str {
        match self {
            Self::Delivered(delivery, _) => &delivery.head,
            Self::Kept(kept) => &kept.head,
        }
    }

    /// What a person calls it, as behind "merge".
    pub(crate) fn words(self) -> String {
        match self {
            Self::Delivered(_, branch) => format!("branch '{branch}'"),
            Self::Kept(kept) => format!("'{}'", kept.reference),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::render::samples;

    #[test]
    fn kept_work_is_newer_than_what_was_delivered_before_it() {
        let mut report = samples::completed();
        let delivery = report.delivery.clone().unwrap();
        assert_eq!(finished_work(&report), Some(FinishedWork::Delivered(&delivery, "callbox/1-greet")));
        let kept = samples::kept();
        report.kept = Some(kept.clone());
        assert_eq!(finished_work(&report), Some(FinishedWork::Kept(&kept)));
        report.task.project = None;
        assert_eq!(finished_work(&report), None);
    }
}
