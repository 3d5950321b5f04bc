//! Which requests wait for an answer.
//!
//! Two requests under one id would end with one answer lost. A cancelled request is answered by
//! nobody, yet its handler may still be ending; an id used again at once could get what was meant
//! for the cancelled one, so it stays refused for a while. (MCP forbids using an id twice at all.)

use std::collections::{HashSet, VecDeque};

use rmcp::model::RequestId;

/// How many cancelled ids are remembered: far more than there can be handlers that still end.
const MAX_CANCELLED: usize = 1_000;

/// The ids in use.
#[derive(Default)]
pub(super) struct OpenIds {
    open: HashSet<RequestId>,
    cancelled: VecDeque<RequestId>,
}

/// The id is in use.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InUse;

impl OpenIds {
    /// A request under `id` came.
    pub(super) fn begin(&mut self, id: &RequestId) -> Result<(), InUse> {
        if self.cancelled.contains(id) || !self.open.insert(id.clone()) { Err(InUse) } else { Ok(()) }
    }

    /// The request under `id` was answered.
    pub(super) fn answered(&mut self, id: &RequestId) {
        self.open.remove(id);
    }

    /// The client cancelled `id`; of no meaning where no such request is open.
    pub(super) fn cancelled(&mut self, id: &RequestId) {
        if self.open.remove(id) {
            if self.cancelled.len() == MAX_CANCELLED {
                self.cancelled.pop_front();
            }
            self.cancelled.push_back(id.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_again_once_it_was_answered() {
        let (mut ids, one) = (OpenIds::default(), RequestId::Number(1));
        assert_eq!(ids.begin(&one), Ok(()));
        assert_eq!(ids.begin(&one), Err(InUse));
        assert_eq!(ids.begin(&RequestId::String("1".into())), Ok(()));
        ids.answered(&one);
        assert_eq!(ids.begin(&one), Ok(()));
    }

    #[test]
    fn a_cancelled_id_is_not_free_at_once_and_not_remembered_for_ever() {
        let mut ids = OpenIds::default();
        ids.cancelled(&RequestId::Number(0));
        for number in 0..=1_000 {
            let id = RequestId::Number(number);
            assert_eq!(ids.begin(&id), Ok(()));
            ids.cancelled(&id);
            assert_eq!(ids.begin(&id), Err(InUse));
        }
        assert_eq!(ids.begin(&RequestId::Number(0)), Ok(()));
        assert_eq!(ids.cancelled.len(), MAX_CANCELLED);
    }
}
