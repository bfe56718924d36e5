// jose
// Tokens signed and verified with HS256, RS256, PS256, ES256 and EdDSA; JWE; JWK sets; thumbprints.
import * as jose from "jose";

const text = new TextEncoder();
const claims = { sub: "ada", scope: ["read", "write"], n: 1 };
const at = new Date(1700000000_000);

async function trip(alg: string, secret: jose.CryptoKey | Uint8Array, pub: jose.CryptoKey | Uint8Array, kid?: string) {
  const token = await new jose.SignJWT(claims)
    .setProtectedHeader({ alg, kid, typ: "JWT" })
    .setIssuer("urn:me").setAudience("urn:you").setIssuedAt(1700000000).setExpirationTime(1700003600)
    .sign(secret);
  const { payload, protectedHeader } = await jose.jwtVerify(token, pub, { issuer: "urn:me", audience: "urn:you", currentDate: at });
  const failures = [];
  for (const [t, options] of [
    [token, { audience: "urn:other", currentDate: at }],
    [token, { currentDate: new Date(1800000000_000) }],
    [token.slice(0, -8) + "AAAAAAAA", { currentDate: at }],
  ] as const) {
    failures.push(await jose.jwtVerify(t, pub, options).then(() => "verified", (e) => [e.code, e.claim ?? null, e.message]));
  }
  return { payload, protectedHeader, failures, size: token.length, token: ["HS256", "RS256", "EdDSA"].includes(alg) && kid ? token : undefined };
}

const rsa = {"kty":"RSA","n":"0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw","e":"AQAB","d":"X4cTteJY_gn4FYPsXB8rdXix5vwsg1FLN5E3EaG6RJoVH-HLLKD9M7dx5oo7GURknchnrRweUkC7hT5fJLM0WbFAKNLWY2vv7B6NqXSzUvxT0_YSfqijwp3RTzlBaCxWp4doFk5N2o8Gy_nHNKroADIkJ46pRUohsXywbReAdYaMwFs9tv8d_cPVY3i07a3t8MN6TNwm0dSawm9v47UiCl3Sk5ZiG7xojPLu4sbg1U2jx4IBTNBznbJSzFHK66jT8bgkuqsk0GjskDJk19Z4qwjwbsnn4j2WBii3RL-Us2lGVkY8fkFzme1z0HbIkfz0Y6mqnOYtqc0X4jfcKoAC8Q","p":"83i-7IvMGXoMXCskv73TKr8637FiO7Z27zv8oj6pbWUQyLPQBQxtPVnwD20R-60eTDmD2ujnMt5PoqMrm8RfmNhVWDtjjMmCMjOpSXicFHj7XOuVIYQyqVWlWEh6dN36GVZYk93N8Bc9vY41xy8B9RzzOGVQzXvNEvn7O0nVbfs","q":"3dfOR9cuYq-0S-mkFLzgItgMEfFzB2q3hWehMuG0oCuqnb3vobLyumqjVZQO1dIrdwgTnCdpYzBcOfW5r370AFXjiWft_NGEiovonizhKpo9VVS78TzFgxkIdrecRezsZ-1kYd_s1qDbxtkDEgfAITAG9LUnADun4vIcb6yelxk","dp":"G4sPXkc6Ya9y8oJW9_ILj4xuppu0lzi_H7VTkS8xj5SdX3coE0oimYwxIi2emTAue0UOa5dpgFGyBJ4c8tQ2VF402XRugKDTP8akYhFo5tAA77Qe_NmtuYZc3C3m3I24G2GvR5sSDxUyAN2zq8Lfn9EUms6rY3Ob8YeiKkTiBj0","dq":"s9lAH9fggBsoFR8Oac2R_E2gw282rT2kGOAhvIllETE1efrA6huUUvMfBcMpn8lqeW6vzznYY5SSQF7pMdC_agI3nG8Ibp1BUb0JUiraRNqUfLhcQb_d9GF4Dh7e74WbRsobRonujTYN1xCaP6TO61jvWrX-L18txXw494Q_cgk","qi":"GyM_p6JrXySiz1toFgKbWV-JdI3jQ4ypu9rbMWx3rQJBfmt0FoYzgUIZEVFEcOqwemRN81zoDAaa-Bk0KWNGDjJHZDdDmFhW3AN7lI-puxk_mHZGJ11rxyR8O55XLSe3SPmRfKwZI6yU24ZxvQKFYItdldUKGzO6Ia6zTKhAVRU","alg":"RS256","kid":"2011-04-29"};
const okp = { kty: "OKP", crv: "Ed25519", d: "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const publicOf = ({ d, p, q, dp, dq, qi, ...rest }: any) => rest;

export default {
  async fetch() {
    const secret = text.encode("a secret of thirty-two bytes....");
    const [rsPriv, rsPub] = [await jose.importJWK(rsa, "RS256"), await jose.importJWK(publicOf(rsa), "RS256")] as jose.CryptoKey[];
    const [edPriv, edPub] = [await jose.importJWK(okp, "EdDSA"), await jose.importJWK(publicOf(okp), "EdDSA")] as jose.CryptoKey[];
    const es = await jose.generateKeyPair("ES256", { extractable: true });
    const ps = [await jose.importJWK(rsa, "PS256"), await jose.importJWK(publicOf(rsa), "PS256")] as jose.CryptoKey[];
    const set = jose.createLocalJWKSet({ keys: [{ ...publicOf(rsa), use: "sig" }, { ...publicOf(okp), kid: "ed", alg: "EdDSA" }] });
    const bySet = await jose.jwtVerify(await new jose.SignJWT({ a: 1 }).setProtectedHeader({ alg: "EdDSA", kid: "ed" }).sign(edPriv), set);
    const pem = await jose.exportSPKI(await jose.importJWK(publicOf(rsa), "RS256", { extractable: true }) as jose.CryptoKey);
    const jwe = await new jose.EncryptJWT({ hidden: true }).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(secret);
    const wrapped = await new jose.CompactEncrypt(text.encode("for RSA")).setProtectedHeader({ alg: "RSA-OAEP-256", enc: "A128CBC-HS256" })
      .encrypt(await jose.importJWK({ ...publicOf(rsa), alg: "RSA-OAEP-256" }, "RSA-OAEP-256"));
    const opened = await jose.compactDecrypt(wrapped, await jose.importJWK({ ...rsa, alg: "RSA-OAEP-256" }, "RSA-OAEP-256"));
    const ecdh = await jose.generateKeyPair("ECDH-ES+A128KW", { crv: "P-256" });
    const agreed = await jose.compactDecrypt(
      await new jose.CompactEncrypt(text.encode("agreed")).setProtectedHeader({ alg: "ECDH-ES+A128KW", enc: "A256GCM" }).encrypt(ecdh.publicKey), ecdh.privateKey);
    const { x, y, d, ...ec } = await jose.exportJWK(es.privateKey);
    return Response.json({
      hs: await trip("HS256", secret, secret, "h"),
      rs: await trip("RS256", rsPriv, rsPub, "r"),
      ps: await trip("PS256", ps[0], ps[1]),
      es: await trip("ES256", es.privateKey, es.publicKey),
      ed: await trip("EdDSA", edPriv, edPub, "e"),
      bySet: [bySet.payload, bySet.protectedHeader],
      pem, ec: { ...ec, x: x?.length, y: y?.length, d: d?.length },
      thumb: await jose.calculateJwkThumbprint(publicOf(rsa)),
      jwe: (await jose.jwtDecrypt(jwe, secret)).payload,
      oaep: new TextDecoder().decode(opened.plaintext), agreed: new TextDecoder().decode(agreed.plaintext),
      decoded: jose.decodeJwt(await new jose.SignJWT({ a: "ü" }).setProtectedHeader({ alg: "HS256" }).sign(secret)),
      weak: await jose.importPKCS8("nonsense", "RS256").catch((e) => [e.name, e.message]),
    });
  },
};
