// date-fns
// Parsing, formatting in two languages, arithmetic over month ends and leap years, intervals, distances and durations.
import { add, addBusinessDays, addMonths, areIntervalsOverlapping, compareAsc, differenceInBusinessDays, differenceInCalendarMonths, differenceInDays, eachDayOfInterval, eachWeekOfInterval, endOfMonth, format, formatDistance, formatDistanceStrict, formatDuration, formatISO, formatRelative, getISOWeek, getQuarter, intervalToDuration, isValid, isWeekend, lastDayOfQuarter, nextTuesday, parse, parseISO, roundToNearestMinutes, set, startOfISOWeek, sub } from "date-fns";
import { de } from "date-fns/locale/de";
import { ja } from "date-fns/locale/ja";

const base = new Date(Date.UTC(2024, 0, 31, 13, 37, 42, 5));
export default {
  fetch() {
    return Response.json({
      formats: ["yyyy-MM-dd'T'HH:mm:ss.SSSxxx", "EEEE, do MMMM y G", "PPPPpppp", "RRRR-'W'II-i", "qqq h:mm aaaa", "t T", "DDD"].map((f) => format(base, f, { useAdditionalDayOfYearTokens: true })),
      german: format(base, "EEEE, d. MMMM yyyy", { locale: de }), japanese: format(base, "PPPP", { locale: ja }), iso: formatISO(base, { representation: "date" }),
      ends: [1, 13, 25].map((n) => addMonths(base, n)), add: add(base, { years: 1, months: 1, weeks: 1, days: 1, hours: 25 }), sub: sub(base, { months: 2 }), set: set(base, { month: 1, date: 30 }),
      parsed: [parse("02/11/2014", "MM/dd/yyyy", base), parse("28. Februar 2016", "d. MMMM yyyy", base, { locale: de }), parse("3 pm", "h a", base), parse("nope", "yyyy", base)].map((d) => (isValid(d) ? d : "invalid")), iso2: [parseISO("2019-W05-3"), parseISO("2019-045"), parseISO("2019-02-11T14:00+03:30")],
      distance: [1000, 90e3, 5e6, 9e7, 3e9, 9e10].map((ms) => formatDistance(new Date(+base + ms), base, { addSuffix: true, includeSeconds: true })), distanceDe: formatDistance(0, 864e6, { locale: de }), strict: formatDistanceStrict(0, 1e10, { unit: "week" }),
      relative: [-6, -1, 0, 1, 5, 9].map((n) => formatRelative(add(base, { days: n }), base)), duration: formatDuration(intervalToDuration({ start: 0, end: 1e11 }), { delimiter: ", " }),
      days: eachDayOfInterval({ start: base, end: add(base, { days: 2 }) }), weeks: eachWeekOfInterval({ start: base, end: addMonths(base, 1) }, { weekStartsOn: 1 }).length, overlap: areIntervalsOverlapping({ start: 0, end: 5 }, { start: 5, end: 9 }, { inclusive: true }),
      numbers: [differenceInDays(add(base, { days: 100 }), base), differenceInCalendarMonths(addMonths(base, 14), base), differenceInBusinessDays(addMonths(base, 1), base), getISOWeek(base), getQuarter(base), compareAsc(0, base)],
      others: [endOfMonth(base), lastDayOfQuarter(base), nextTuesday(base), startOfISOWeek(base), roundToNearestMinutes(base, { nearestTo: 15 }), addBusinessDays(base, 10)], weekend: isWeekend(base),
      thrown: (() => { try { format(new Date(NaN), "y"); } catch (e) { return [(e as Error).name, (e as Error).message]; } })(),
    });
  },
};
