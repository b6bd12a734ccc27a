//! What a home does for the sockets of its fronts, beside what every backend does.

use super::AppBackend;
use crate::authz::Viewer;
use crate::delivery::groups::Presence;
use crate::error::{Error, Refusal};
use crate::features::auth;
use crate::ids::{GroupId, UserId};
use crate::model::groups::groups_of;

impl AppBackend {
    /// Checks that the login of a viewer lives. A socket of a front that should be closed is no authority, while the
    /// sockets of this process are closed before.
    ///
    /// # Errors
    /// [`Refusal::NotSignedIn`] if the login is over; [`Refusal::Busy`] or a fault if that cannot be read.
    pub async fn check_login(&self, viewer: Viewer) -> Result<(), Refusal> {
        let Viewer::User { login_id, .. } = viewer else { return Ok(()) };
        match auth::lives(login_id, &self.app).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refusal::NotSignedIn),
            Err(why) => Err(why.into_refusal()),
        }
    }

    /// Registers these users as connected, because an earlier home had registered them. Leaves out whose groups cannot
    /// be read now.
    pub async fn connect_all(&self, users: Vec<UserId>) -> Vec<(UserId, Presence)> {
        let read = self.app.readers.read(move |snapshot| {
            let groups = users.into_iter().map(|user_id| Ok((user_id, groups_of(snapshot.sql, user_id)?)));
            Ok((groups.collect::<Result<Vec<(UserId, Vec<GroupId>)>, Error>>()?, snapshot.seq))
        });
        let (groups, since) = match read.await {
            Ok(read) => read,
            Err(why) => {
                log::warn!("the groups of the users of a front could not be read: {why}");
                return Vec::new();
            }
        };
        let connect = |(user_id, groups)| Some((user_id, self.app.groups.connect(user_id, groups, since)?));
        groups.into_iter().filter_map(connect).collect()
    }
}
