-- The notice of a change of address no longer names the new one (D-A10).
alter table mails drop column detail;
