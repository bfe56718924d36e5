// ulid
// Identifiers of given times and of a given source of chance, monotonic ones, and their times read back.
import { decodeTime, isValid, monotonicFactory, ulid, ulidToUUID, uuidToULID } from "ulid";

export default {
  fetch() {
    let n = 0;
    const fixed = monotonicFactory(() => ((n += 7) % 32) / 32);
    const ids = Array.from({ length: 100 }, monotonicFactory());
    return Response.json({ fixed: [fixed(1469918176385), fixed(1469918176385), fixed(1469918176384), fixed(1469918176386)], time: decodeTime("01ARYZ6S41TSV4RRFFQ69G5FAV"), size: ulid().length, sorted: [...ids].sort().join() === ids.join(), unique: new Set(ids).size,
      near: Math.abs(decodeTime(ulid()) - Date.now()) < 5000, valid: [isValid("01ARYZ6S41TSV4RRFFQ69G5FAV"), isValid("01ARYZ6S41TSV4RRFFQ69G5FAU!")], uuid: ulidToUUID("01ARYZ6S41TSV4RRFFQ69G5FAV"), back: uuidToULID("01563df3-6481-d676-4c61-efb99302bd5b"), thrown: (() => { try { decodeTime("short"); } catch (e) { return (e as Error).message; } })() });
  },
};
