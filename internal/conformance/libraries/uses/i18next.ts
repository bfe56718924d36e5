// i18next
// Translations with plurals, contexts, nesting, interpolated formats, fallbacks, namespaces and missing keys.
import i18next from "i18next";

export default {
  async fetch() {
    const missing: unknown[] = [];
    const i = i18next.createInstance();
    await i.use({ type: "postProcessor", name: "up", process: (v: string) => v.toUpperCase() }).init({ lng: "en", fallbackLng: "de", ns: ["t", "more"], defaultNS: "t", saveMissing: true, missingKeyHandler: (l, ns, key) => missing.push([l, ns, key]), interpolation: { escapeValue: true },
      resources: { en: { t: { hello: "Hello {{name}}, {{- raw}}", item_one: "{{count}} item", item_other: "{{count}} items", place_ordinal_one: "{{count}}st", place_ordinal_two: "{{count}}nd", place_ordinal_few: "{{count}}rd", place_ordinal_other: "{{count}}th", friend: "a friend", friend_male: "a boyfriend", nest: "see $t(hello, {\"name\": \"N\"})", deep: { list: ["x", "y"], key: "{{user.name}}" }, price: "{{n, number(minimumFractionDigits: 2)}}", upper: "{{x, uppercase}}" }, more: { only: "more" } }, de: { t: { fallback: "aus dem Deutschen", hello: "Hallo {{name}}" } } } });
    i.services.formatter!.add("uppercase", (v) => v.toUpperCase());
    const german = i.getFixedT("de");
    return Response.json({ hello: i.t("hello", { name: "<Ada>", raw: "<b>" }), plurals: [0, 1, 5].map((count) => i.t("item", { count })), ordinals: [1, 2, 3, 11].map((count) => i.t("place", { count, ordinal: true })), context: [i.t("friend"), i.t("friend", { context: "male" })], nest: i.t("nest"), deep: [i.t("deep.list", { returnObjects: true }), i.t("deep.key", { user: { name: "U" } })], price: i.t("price", { n: 1234.5 }), upper: i.t("upper", { x: "ü" }), fallback: i.t("fallback"), ns: i.t("more:only"), gone: i.t("not.there", "default"), exists: i.exists("x"), missing, german: german("hello", { name: "G" }), post: i.t("friend", { postProcess: "up" }), dir: i.dir("ar"), changed: (await i.changeLanguage("de"), i.t("hello", { name: "C" })) });
  },
};
