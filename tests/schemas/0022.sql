update posts set content_note = 'Rain' where id = 202;
update reports set content_note = 'Spam' where id = 1401;
