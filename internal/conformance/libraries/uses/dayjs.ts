// dayjs
// Formats, plugins for UTC, durations, relative time, weeks, custom parsing and ordinal days; three locales.
import dayjs from "dayjs";
import "dayjs/locale/fr";
import "dayjs/locale/ru";
import advancedFormat from "dayjs/plugin/advancedFormat";
import customParseFormat from "dayjs/plugin/customParseFormat";
import duration from "dayjs/plugin/duration";
import isBetween from "dayjs/plugin/isBetween";
import isoWeek from "dayjs/plugin/isoWeek";
import localizedFormat from "dayjs/plugin/localizedFormat";
import relativeTime from "dayjs/plugin/relativeTime";
import timezone from "dayjs/plugin/timezone";
import utc from "dayjs/plugin/utc";
import weekOfYear from "dayjs/plugin/weekOfYear";
import weekYear from "dayjs/plugin/weekYear";

for (const plugin of [utc, timezone, duration, relativeTime, isoWeek, advancedFormat, customParseFormat, localizedFormat, isBetween, weekOfYear, weekYear]) dayjs.extend(plugin as any);
export default {
  fetch() {
    const d = dayjs.utc("2024-02-29T13:07:09.005Z");
    return Response.json({
      d, formats: ["YYYY-MM-DDTHH:mm:ss.SSSZ", "dddd, MMMM Do YYYY [at] h:mm A", "Q w WW gggg X x", "LLLL", "l LT"].map((f) => d.format(f)), fr: d.locale("fr").format("dddd D MMMM"), ru: d.locale("ru").format("D MMMM, dddd"), ruAgo: d.locale("ru").from(d.add(5, "day")),
      math: [d.add(1, "year"), d.subtract(1, "month").endOf("month"), d.startOf("week"), d.startOf("isoWeek"), d.set("date", 31), d.add(1.5, "hour")].map((x) => x.toISOString()), diff: [d.diff("2023-01-01", "month"), d.diff(dayjs.utc("2023-01-01"), "day", true)], between: d.isBetween("2024-01-01", "2024-03-01", "day", "[)"),
      parsed: [dayjs.utc("31/12/1999 23:59", "DD/MM/YYYY HH:mm").toISOString(), dayjs("31/02/2020", "DD/MM/YYYY", true).isValid(), dayjs.utc("5 février 2018", "D MMMM YYYY", "fr").format("L")], ago: [1, 50, 5000, 1e5, 1e7, 1e9].map((s) => d.subtract(s, "second").from(d)),
      duration: [dayjs.duration(1e8).humanize(), dayjs.duration({ hours: 26, minutes: 3 }).format("D[d] HH:mm"), dayjs.duration("P1Y2M3DT4H").asDays(), dayjs.duration(90, "minutes").toISOString()], offset: d.utcOffset(120).format(), zone: dayjs.tz("2024-07-01 12:00", "UTC").toISOString(), week: [d.isoWeek(), d.isoWeekday()], invalid: dayjs("nope").toString(),
    });
  },
};
