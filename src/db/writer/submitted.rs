//! A submitted command, with the sender of its result to the waiting request. The queue of the writer holds commands of
//! any type.

use bytes::Bytes;
use tokio::sync::oneshot;

use super::CommandResult;
use crate::db::command::{Deletes, Done, KeyUse, Transaction, WriteCommand};
use crate::error::Error;
use crate::wire::codec;

/// A submitted command of any type.
pub(super) trait AnyCommand<E>: Send {
    fn key(&self) -> Option<&KeyUse>;
    fn deletes(&self) -> Deletes;
    fn is_housekeeping(&self) -> bool;

    /// Applies the command and keeps its value. Returns the encoded value.
    ///
    /// # Errors
    /// A refusal or a fault of the command.
    fn apply(&mut self, transaction: &mut Transaction<'_, E>) -> Result<Bytes, Error>;

    /// Frees the command, then sends its result to the waiting request.
    fn answer(self: Box<Self>, result: CommandResult<()>);
}

pub(super) struct Submitted<C: WriteCommand> {
    command: C,
    /// The result of [`WriteCommand::apply`]; None before, and if the command was refused or its key was used before.
    value: Option<C::Value>,
    /// Sends the result to the waiting request.
    request: oneshot::Sender<CommandResult<C::Value>>,
}

impl<C: WriteCommand> Submitted<C> {
    pub(super) fn new(command: C, request: oneshot::Sender<CommandResult<C::Value>>) -> Self {
        Self { command, value: None, request }
    }
}

impl<C: WriteCommand> AnyCommand<C::Event> for Submitted<C> {
    fn key(&self) -> Option<&KeyUse> {
        self.command.key()
    }

    fn deletes(&self) -> Deletes {
        self.command.deletes()
    }

    fn is_housekeeping(&self) -> bool {
        self.command.is_housekeeping()
    }

    fn apply(&mut self, transaction: &mut Transaction<'_, C::Event>) -> Result<Bytes, Error> {
        let value = self.command.apply(transaction)?;
        let ok = codec::encode(&value)?;
        self.value = Some(value);
        Ok(ok.into())
    }

    fn answer(self: Box<Self>, result: CommandResult<()>) {
        let Self { command, value, request } = *self;
        drop(command);
        let result = result.map(|Done { ok, seq, if_lost, is_change, .. }| Done {
            value,
            ok,
            seq,
            if_lost,
            is_change,
        });
        // The request may have been dropped meanwhile, but the write stays.
        let _ = request.send(result);
    }
}
