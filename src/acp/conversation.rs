//! One turn of one conversation, from the program's start to its end.

use std::sync::Arc;

use agent_client_protocol::{Client, Lines, UntypedMessage, v1::schema::RequestPermissionRequest};

use super::{
    borrowed::lend,
    line::{End, Line, say},
    listener::Listener,
    program,
    set_aside::set_aside,
    stop::Stop,
    stream::{incoming, outgoing},
    talk::Talk,
    told::Told,
};

/// Holds the turn that `told` tells, says its end and ends the program.
pub(super) async fn hold(told: Told) -> Result<End, String> {
    let mut stop = Stop::listen().map_err(|error| format!("no signals can be listened to: {error}"))?;
    if let Some(remembered) = &told.remembered {
        set_aside(remembered).map_err(|error| format!("the conversation could not be kept: {error}"))?;
    }
    told.borrowed.iter().try_for_each(lend).map_err(|error| format!("a file could not be lent: {error}"))?;
    let (program, stdin, stdout) = match program::start(&told) {
        Ok(started) => started,
        Err(error) => {
            return Ok(over(End::NotStarted { reason: format!("`{}`: {error}", told.program.display()) }));
        }
    };
    let listener = Arc::new(Listener::new(&told));
    let talk = Talk::new(told, listener.clone());
    let asked = listener.clone();
    let connected = Client
        .v1()
        .name("callbox")
        .on_receive_notification(
            async move |message: UntypedMessage, _| {
                listener.notified(&message);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                responder.respond(asked.asked(&request))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_with(Lines::new(outgoing(stdin), incoming(stdout)), async |connection| {
            Ok(over(talk.hold(&connection, &mut stop).await))
        })
        .await;
    // What is left of it ends with its input, which is closed by now.
    let end = connected.unwrap_or_else(|_| over(End::Gone { stage: talk.stage() }));
    program.end().await;
    Ok(end)
}

fn over(end: End) -> End {
    say(&Line::End { end: end.clone() });
    end
}
