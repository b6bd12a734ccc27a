//! Parses the community of the demo, which `community.txt` describes. Pure.

/// Everything that the file describes, in the order of the file.
#[derive(Debug, Default)]
pub struct Community<'t> {
    pub people: Vec<Person<'t>>,
    pub groups: Vec<Group<'t>>,
    pub polls: Vec<Poll<'t>>,
    pub posts: Vec<Post<'t>>,
}

#[derive(Debug)]
pub struct Person<'t> {
    pub name: &'t str,
    pub bio: &'t str,
}

#[derive(Debug)]
pub struct Group<'t> {
    pub name: &'t str,
    pub owner: &'t str,
    /// The members without the owner.
    pub members: Vec<&'t str>,
}

#[derive(Debug)]
pub struct Poll<'t> {
    pub creator: &'t str,
    pub days_ago: f64,
    /// The name of a group; None for everybody.
    pub group: Option<&'t str>,
    pub question: &'t str,
    pub options: Vec<&'t str>,
}

#[derive(Debug)]
pub struct Post<'t> {
    pub author: &'t str,
    pub days_ago: f64,
    /// The name of a group; None for everybody.
    pub group: Option<&'t str>,
    pub tag: Option<&'t str>,
    /// The name of a scene, and a description of the picture.
    pub picture: Option<(&'t str, &'t str)>,
    pub title: Option<&'t str>,
    pub text: String,
    pub comments: Vec<Comment<'t>>,
}

#[derive(Debug)]
pub struct Comment<'t> {
    pub author: &'t str,
    pub text: &'t str,
}

impl<'t> Community<'t> {
    /// Parses the text of the file.
    ///
    /// # Errors
    /// The number and the text of the first line that cannot be parsed.
    pub fn parse(text: &'t str) -> Result<Self, String> {
        let mut community = Self::default();
        for (number, line) in text.lines().enumerate() {
            community.line(line).ok_or_else(|| format!("line {}: {line}", number + 1))?;
        }
        for post in &mut community.posts {
            post.text.truncate(post.text.trim_end().len());
        }
        Ok(community)
    }

    fn line(&mut self, line: &'t str) -> Option<()> {
        if line.starts_with("//") {
            return Some(());
        }
        let known =
            line.split_once(": ").filter(|(kind, _)| ["person", "group", "poll", "post"].contains(kind));
        let Some((kind, fields)) = known else { return self.words(line) };
        let mut fields = fields.split(" | ").map(str::trim);
        match kind {
            "person" => self.people.push(Person { name: fields.next()?, bio: fields.next()? }),
            "group" => self.groups.push(Group {
                name: fields.next()?,
                owner: fields.next()?,
                members: fields.next()?.split(", ").collect(),
            }),
            "poll" => self.polls.push(Poll {
                creator: fields.next()?,
                days_ago: fields.next()?.parse().ok()?,
                group: fields.next().map(group)?,
                question: fields.next()?,
                options: fields.collect(),
            }),
            _ => {
                let (author, days_ago) = (fields.next()?, fields.next()?.parse().ok()?);
                let group = fields.next().map(group)?;
                let (mut tag, mut picture) = (None, None);
                for field in fields {
                    match field.strip_prefix('#') {
                        Some(name) => tag = Some(name),
                        None => picture = Some(field.split_once(": ")?),
                    }
                }
                let (title, text, comments) = (None, String::new(), Vec::new());
                self.posts.push(Post { author, days_ago, group, tag, picture, title, text, comments });
            }
        }
        Some(())
    }

    /// Parses a line of the post above it.
    fn words(&mut self, line: &'t str) -> Option<()> {
        let Some(post) = self.posts.last_mut() else { return line.is_empty().then_some(()) };
        if let Some(title) = line.strip_prefix("= ") {
            post.title = Some(title);
        } else if let Some(comment) = line.strip_prefix("> ") {
            let (author, text) = comment.split_once(": ")?;
            post.comments.push(Comment { author, text });
        } else if post.comments.is_empty() && (!line.is_empty() || !post.text.is_empty()) {
            post.text.push_str(line);
            post.text.push('\n');
        }
        Some(())
    }
}

fn group(audience: &str) -> Option<&str> {
    (audience != "everybody").then_some(audience)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::seed::{COMMUNITY, scenes};

    #[test]
    fn a_post_is_parsed_with_its_title_text_and_comments() {
        let text = "person: Ana | Bakes.\n\npost: Ana | 0.5 | everybody | #tea | lake: A lake\n= Morning\nOne.\n\nTwo.\n> Ben: Three.";
        let community = Community::parse(text).unwrap();
        let post = &community.posts[0];
        assert_eq!((post.title, post.text.as_str()), (Some("Morning"), "One.\n\nTwo."));
        assert_eq!((post.tag, post.picture, post.group), (Some("tea"), Some(("lake", "A lake")), None));
        assert_eq!((post.comments[0].author, post.comments[0].text), ("Ben", "Three."));
        assert!(Community::parse("poll: Ana").is_err());
    }

    #[test]
    fn every_user_group_and_scene_that_the_community_names_exists() {
        let community = Community::parse(COMMUNITY).unwrap();
        let people: BTreeSet<&str> = community.people.iter().map(|person| person.name).collect();
        let groups: BTreeSet<&str> = community.groups.iter().map(|group| group.name).collect();
        assert_eq!(people.len(), 60);
        let owners =
            community.groups.iter().flat_map(|group| group.members.iter().copied().chain([group.owner]));
        let creators = community.polls.iter().map(|poll| poll.creator);
        let writers = community
            .posts
            .iter()
            .flat_map(|post| post.comments.iter().map(|comment| comment.author).chain([post.author]));
        for name in owners.chain(creators).chain(writers) {
            assert!(people.contains(name), "{name} is not one of the people");
        }
        let audiences = community.posts.iter().map(|post| post.group);
        for group in audiences.chain(community.polls.iter().map(|poll| poll.group)).flatten() {
            assert!(groups.contains(group), "{group} is not one of the groups");
        }
        let drawn: BTreeSet<&str> =
            community.posts.iter().filter_map(|post| post.picture).map(|(scene, _)| scene).collect();
        for scene in drawn {
            assert!(scenes::SCENES.iter().any(|(name, _)| *name == scene), "there is no scene {scene}");
        }
    }
}
