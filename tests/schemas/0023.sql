update users set quiet_zone = 'Europe/Berlin', quiet_from = '22:00', quiet_to = '07:00', quiet_days = 65 where id = 102;
update users set quiet_zone = 'UTC', quiet_from = '09:30', quiet_to = '09:00', quiet_days = 127, quiet_on = 1 where id = 103;
