from datetime import date, datetime, timedelta, timezone
import calendar
import time
d = datetime(2024, 2, 28, 23, 59, 30, 123456, tzinfo=timezone.utc)
print(d, d.isoformat(), (d + timedelta(seconds=31)).strftime("%A %d %B %Y %H:%M:%S %j %U %z"))
print(datetime.fromisoformat("2024-12-31T10:00:00+05:30").astimezone(timezone.utc), d.timestamp())
print(datetime.strptime("3 Mar 2021 4:05PM", "%d %b %Y %I:%M%p"), date(2024, 12, 30).isocalendar())
print(date(2024, 3, 1) - date(2023, 3, 1), timedelta(days=-1, hours=5), divmod(timedelta(hours=5), timedelta(hours=2)))
print(calendar.month(2024, 2), calendar.isleap(1900), time.strftime("%Y-%m-%d", time.gmtime(86400 * 365)))
try:
    date(2023, 2, 29)
except ValueError as e:
    print(e)
