//! Requests to the conversation itself.

use super::Control;
use crate::conversation::Conversation;
use crate::trust;
use crate::writer::WriterCommand;
use benchtop_model::Result;
use benchtop_protocol::wire::{Event, FromOwner, request};

impl Control for request::Subscribe {
    fn control(self, conversation: &mut Conversation, number: u64) -> bool {
        conversation.events = Some(conversation.shared.broadcast.events.subscribe());
        // The client missed the decisions after `since`, so it must request everything on screen
        // again.
        let is_behind = conversation.shared.items.ledger().rev() > self.since;
        if is_behind
            && conversation
                .outbox
                .try_send(FromOwner::Event(Event::Resync))
                .is_err()
        {
            return false;
        }
        conversation.reply::<Self>(number, Ok(()))
    }
}

impl Control for request::SetPlace {
    fn control(self, conversation: &mut Conversation, number: u64) -> bool {
        let work = WriterCommand::Place {
            who: conversation.who.clone(),
            place: self.0,
        };
        conversation.shared.writer.send(work).is_ok() && conversation.reply::<Self>(number, Ok(()))
    }
}

impl Control for request::Agree {
    fn control(self, conversation: &mut Conversation, number: u64) -> bool {
        // Writes a file, but happens rarely.
        let agreed: Result<()> =
            tokio::task::block_in_place(|| trust::agree(&conversation.shared, &self.to));
        match (agreed, self.then) {
            (Ok(()), Some(then)) => conversation.ask(number, then.into()),
            (agreed, _) => conversation.reply::<Self>(number, agreed),
        }
    }
}

impl Control for request::Stop {
    fn control(self, conversation: &mut Conversation, number: u64) -> bool {
        conversation.reply::<Self>(number, Ok(()));
        conversation.shared.broadcast.send(Event::Ending);
        conversation.shared.stop.notify_one();
        true
    }
}
