//! How a conversation is opened, and how it is opened anew where it can't go on. Pure.

use super::workplace::Origin;
use crate::{agents::Session, ids::UniqueId, protocol::launch::Conversation, vocabulary::Message};

/// One way to open it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Opening<'a> {
    /// Which session.
    pub(super) session: Session<'a>,
    /// What is said.
    pub(super) message: &'a Message,
    /// Why everything is told again, where it is.
    pub(super) retold: Option<&'static str>,
    /// What is said, under which session, where the session turns out to be gone.
    otherwise: Option<(UniqueId, &'a Message)>,
}

impl<'a> Opening<'a> {
    /// The first way: a conversation goes on only where its directory is still there. `None` where
    /// there is no conversation to hold.
    pub(super) fn first(conversation: &'a Conversation, origin: Origin) -> Option<Self> {
        match (conversation, origin) {
            (Conversation::Fresh { message, session }, _) => {
                Some(Self { session: Session::New(*session), message, retold: None, otherwise: None })
            }
            (Conversation::Resume { session, message, retold, fallback, .. }, Origin::Kept) => Some(Self {
                session: Session::Resume(session),
                message,
                retold: None,
                otherwise: Some((*fallback, retold)),
            }),
            (Conversation::Resume { moved, fallback, .. }, Origin::Made) => {
                Some(Self::anew(*fallback, moved, "the sandbox was gone"))
            }
            (Conversation::Finished, _) => None,
        }
    }

    /// The way after the agent program did not know the session; `None` where there is no other.
    pub(super) fn again(&self) -> Option<Self> {
        let (session, message) = self.otherwise?;
        Some(Self::anew(session, message, "the agent no longer knew the session"))
    }

    fn anew(session: UniqueId, message: &'a Message, reason: &'static str) -> Self {
        Self { session: Session::New(session), message, retold: Some(reason), otherwise: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resume(fallback: UniqueId) -> Conversation {
        Conversation::Resume {
            session: "s".to_owned(),
            message: Message::own("Answer"),
            retold: Message::own("All of it"),
            moved: Message::own("All of it, elsewhere"),
            fallback,
        }
    }

    #[test]
    fn a_conversation_goes_on_where_its_directory_is() {
        let conversation = resume(UniqueId::mint());
        let opening = Opening::first(&conversation, Origin::Kept).unwrap();
        assert_eq!(opening.session, Session::Resume("s"));
        assert_eq!(*opening.message, Message::own("Answer"));
        assert_eq!(opening.retold, None);
    }

    #[test]
    fn without_the_directory_or_the_session_everything_is_told_again_once() {
        let fallback = UniqueId::mint();
        let conversation = resume(fallback);
        let made = Opening::first(&conversation, Origin::Made).unwrap();
        let again = Opening::first(&conversation, Origin::Kept).unwrap().again().unwrap();
        for (opening, words) in [(made, "All of it, elsewhere"), (again, "All of it")] {
            assert_eq!(opening.session, Session::New(fallback));
            assert_eq!(*opening.message, Message::own(words));
            assert!(opening.retold.is_some());
            assert!(opening.again().is_none());
        }
    }
}
