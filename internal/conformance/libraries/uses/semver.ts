// semver
// Versions compared, sorted, raised and coerced; ranges with carets, tildes, hyphens and prereleases.
import semver from "semver";

export default {
  fetch() {
    const versions = ["1.2.3", "1.10.0", "2.0.0-beta.2", "2.0.0-beta.11", "2.0.0", "v1.2.4+build", "not"];
    return Response.json({ valid: versions.map((v) => semver.valid(v)), sorted: versions.filter((v) => semver.valid(v)).sort(semver.compare), satisfies: ["^1.2.3", "~1.2", ">=1.5 <2 || 2.0.0-beta.x", "1.x", "1.2.3 - 2", "*", "^0.0.3"].map((r) => [r, semver.validRange(r), versions.filter((v) => semver.satisfies(v, r)), semver.maxSatisfying(versions, r)]), inc: (["major", "minor", "patch", "prepatch", "prerelease"] as const).map((k) => semver.inc("1.2.3-rc.1", k, "rc")), diff: semver.diff("1.2.3", "1.3.0-a"), coerce: ["v3.4 replaces", "42.6.7.9.3-alpha", "none"].map((v) => semver.coerce(v)?.version ?? null), parts: [semver.prerelease("1.0.0-a.1"), semver.major("9.8.7")], subset: semver.subset("^1.2", ">=1"), intersects: semver.intersects("<1", ">=1"), min: semver.minVersion(">1.2.3 <3")?.version, thrown: (() => { try { new semver.SemVer("1.2"); } catch (e) { return (e as Error).message; } })() });
  },
};
