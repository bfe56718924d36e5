// luxon
// DateTimes in UTC and fixed offsets, parsing, formatting, arithmetic, intervals, durations and errors that throw.
import { DateTime, Duration, FixedOffsetZone, Info, Interval, Settings } from "luxon";

export default {
  fetch() {
    Settings.defaultZone = "utc";
    const d = DateTime.fromISO("2024-02-29T13:07:09.005", { zone: "utc", locale: "en-US" });
    const i = Interval.fromDateTimes(d, d.plus({ days: 10 }));
    Settings.throwOnInvalid = false;
    return Response.json({
      d, iso: [d.toISO(), d.toISODate(), d.toISOWeekDate(), d.toISOTime({ suppressMilliseconds: true }), d.toRFC2822(), d.toHTTP(), d.toSQL(), d.toMillis()], formats: ["yyyy LLL dd", "cccc, d MMMM", "HH:mm:ss.SSS ZZ", "kkkk-'W'WW-c", "o q a", "h:mm a"].map((f) => d.toFormat(f)), local: [d.toLocaleString(DateTime.DATE_FULL), d.toLocaleString(DateTime.DATETIME_MED), d.toLocaleString(DateTime.TIME_24_SIMPLE), d.toLocaleString({ weekday: "long", month: "short", day: "numeric" })],
      parsed: [DateTime.fromFormat("May 25, 1982", "LLLL dd, yyyy", { locale: "en-US" }), DateTime.fromFormat("12:30 +0300", "HH:mm ZZZ", { setZone: true }).offset, DateTime.fromRFC2822("Tue, 01 Nov 2016 13:23:12 +0630"), DateTime.fromSQL("2017-05-15 09:24:15"), DateTime.fromISO("2016-W21-3"), DateTime.fromISO("2016-200"), DateTime.fromObject({ year: 2020, ordinal: 60 })],
      math: [d.plus({ years: 1 }), d.minus({ months: 1 }), d.endOf("quarter"), d.startOf("week"), d.set({ hour: 3 }), d.setZone(FixedOffsetZone.instance(330)).toISO(), d.plus({ hours: 1.5 })], diff: d.diff(DateTime.fromISO("2023-01-15"), ["years", "months", "days", "hours"]).toObject(), invalid: [DateTime.fromISO("2024-13-01").invalidReason, DateTime.fromObject({ month: 2, day: 30, year: 2023 }).invalidExplanation],
      interval: [i.length("days"), i.splitBy({ days: 4 }).length, i.contains(d), i.toISODate(), Interval.fromISO("2024-01-01/P1M").toString()], duration: [Duration.fromISO("P1Y2M10DT2H30M").toObject(), Duration.fromMillis(1e8).shiftTo("days", "hours", "minutes").toHuman(), Duration.fromObject({ hours: 49 }).toFormat("d:hh:mm"), Duration.fromObject({ minutes: 90 }).rescale().toISO()], info: [Info.months("short", { locale: "en-US" }), Info.weekdays("long", { locale: "en-US" }), Info.meridiems({ locale: "en-US" })], relative: [d.minus({ days: 2 }).toRelative({ base: d, locale: "en-US" }), d.plus({ months: 3 }).toRelative({ base: d, locale: "en-US" }), d.plus({ days: 1 }).toRelativeCalendar({ base: d, locale: "en-US" })], max: DateTime.max(d, d.plus(1)).toMillis(),
    });
  },
};
