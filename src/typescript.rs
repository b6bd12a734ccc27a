//! The TypeScript types of the web client, generated from the Rust types. `make accept` writes them. A test fails if
//! they differ.

use ts_rs::{Config, TS};

use crate::backend;
use crate::error::RefusalView;
use crate::features::shared::{admins, reports, views};
use crate::features::{
    self, admin, auth, follows, groups, invites, moods, newcomers, notifications, polls, posts, profiles,
    search, theme, uploads,
};
use crate::socket::wire as live;

const PATH: &str = "web/src/engine/types.gen.ts";

fn declared<T: TS>(config: &Config) -> String {
    format!("export {}", T::decl(config))
}

pub(crate) fn event<T: TS>(name: &str, config: &Config) -> String {
    format!("  {name:?}: {},", T::inline(config))
}

/// Removes the comments of fields. They are for readers of the Rust code, and each type is one line here.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\n/**\n") {
        out.push_str(before.trim_end());
        out.push(' ');
        rest = after.split_once("*/\n").map_or("", |(_, after)| after);
    }
    out + rest
}

fn render() -> String {
    let config = &Config::new().with_large_int("number");
    let mut lines = vec!["// Generated from the Rust types: `make accept`. Do not edit.\n".to_owned()];
    lines.extend(
        [
            "UserId",
            "PostId",
            "CommentId",
            "FollowId",
            "LoginId",
            "NotificationId",
            "PollId",
            "GroupId",
            "ReportId",
            "Seq",
        ]
        .map(|name| format!("export type {name} = number;")),
    );
    lines.extend([
        declared::<views::Vote>(config),
        declared::<profiles::wire::Color>(config),
        declared::<backend::LoginState>(config),
        declared::<backend::Backups>(config),
        declared::<follows::wire::Side>(config),
        declared::<views::Audience>(config),
        declared::<views::GroupName>(config),
        declared::<views::FirstSteps>(config),
        declared::<invites::wire::Invite>(config),
        declared::<invites::wire::Place>(config),
        declared::<invites::wire::Made>(config),
        declared::<theme::wire::Planned>(config),
        declared::<admins::Act>(config),
        declared::<admin::wire::Person>(config),
        declared::<admin::wire::Line>(config),
        declared::<admin::wire::Report>(config),
        declared::<admin::wire::Kept>(config),
        declared::<newcomers::wire::What>(config),
        declared::<reports::About>(config),
        declared::<reports::Reason>(config),
        declared::<views::Adders>(config),
        declared::<views::Commenters>(config),
        declared::<groups::wire::LeftGroup>(config),
        declared::<views::Me>(config),
        declared::<views::User>(config),
        declared::<search::wire::Found>(config),
        declared::<search::wire::Place>(config),
        declared::<profiles::wire::Photo>(config),
        declared::<profiles::wire::Profile>(config),
        declared::<profiles::wire::ProfileView>(config),
        declared::<notifications::wire::Kind>(config),
        declared::<notifications::wire::Notification>(config),
        declared::<auth::wire::Login>(config),
        declared::<uploads::wire::Purpose>(config),
        declared::<moods::wire::Slot>(config),
        declared::<moods::wire::Day>(config),
        declared::<moods::wire::Mood>(config),
        declared::<groups::wire::Group>(config),
        declared::<polls::wire::Poll>(config),
        declared::<polls::wire::PollView>(config),
        declared::<polls::wire::Tally>(config),
        declared::<theme::wire::Theme>(config),
        declared::<views::Comment>(config),
        declared::<posts::wire::Picture>(config),
        declared::<posts::wire::ChosenPicture>(config),
        declared::<posts::wire::Post>(config),
        declared::<posts::wire::PostView>(config),
        declared::<RefusalView>(config),
    ]);
    lines.push("\n/** Every request: its fields and what a yes carries. */\nexport type Requests = {".into());
    lines.extend(features::registry::typescript(config));
    lines.extend(live::typescript(config));
    lines.push("};\n\n/** Every event: its fields beside `ev` and `seq`. */\nexport type Events = {".into());
    lines.extend([event::<backend::Hello>("hello", config), event::<live::Beat>("beat", config)]);
    lines.extend(features::events::typescript(config));
    lines.push("};\n".into());
    // `ts_rs` writes a type without fields as `Record<symbol, never>`.
    without_comments(&lines.join("\n")).replace("Record<symbol, never>", "{}")
}

#[test]
fn the_types_of_the_web_are_those_of_the_server() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(PATH);
    let rendered = render();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == rendered,
        "{PATH} is not what the server speaks. Run `make accept`, then look at the web."
    );
}
