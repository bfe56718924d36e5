// @simplewebauthn/server
// Passkeys: options for registering and signing in, a registration and a sign-in made here and verified, wrong ones refused.
import { generateAuthenticationOptions, generateRegistrationOptions, verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { isoBase64URL, isoCBOR } from "@simplewebauthn/server/helpers";

const bytes = (...parts: (Uint8Array | number[])[]) => Uint8Array.from(parts.flatMap((p) => [...p]));
const sha = async (b: Uint8Array) => new Uint8Array(await crypto.subtle.digest("SHA-256", b)), text = (s: string) => new TextEncoder().encode(s), b64 = isoBase64URL.fromBuffer;
// der turns a signature of the two numbers that Web Cryptography gives into what authenticators send.
const der = (raw: Uint8Array) => { const n = (b: Uint8Array) => { let i = 0; while (i < b.length - 1 && !b[i]) i++; b = b.slice(i); return bytes([2, b.length + (b[0] > 127 ? 1 : 0)], b[0] > 127 ? [0] : [], b); }; const r = n(raw.slice(0, 32)), s = n(raw.slice(32)); return bytes([48, r.length + s.length], r, s); };

export default {
  async fetch() {
    const keys = (await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"])) as CryptoKeyPair;
    const jwk = (await crypto.subtle.exportKey("jwk", keys.publicKey)) as JsonWebKey, id = new Uint8Array(16).fill(7), rp = "example.com", origin = "https://example.com";
    const options = await generateRegistrationOptions({ rpName: "Ex", rpID: rp, userName: "ada", userID: text("u1") as any, challenge: text("challenge") as any, attestationType: "none", excludeCredentials: [{ id: "abc", transports: ["usb"] }] });
    const cose = isoCBOR.encode(new Map<any, any>([[1, 2], [3, -7], [-1, 1], [-2, isoBase64URL.toBuffer(jwk.x!)], [-3, isoBase64URL.toBuffer(jwk.y!)]]));
    const authData = bytes(await sha(text(rp)), [0x45], [0, 0, 0, 0], new Uint8Array(16), [0, 16], id, cose);
    const client = (type: string, challenge: string) => text(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
    const registration = { id: b64(id as any), rawId: b64(id as any), type: "public-key", clientExtensionResults: {}, response: { clientDataJSON: b64(client("webauthn.create", options.challenge) as any), attestationObject: b64(isoCBOR.encode(new Map<any, any>([["fmt", "none"], ["attStmt", new Map()], ["authData", authData]])) as any) } } as any;
    const expected = { expectedChallenge: options.challenge, expectedOrigin: origin, expectedRPID: rp };
    const registered = await verifyRegistrationResponse({ response: registration, ...expected });
    const login = await generateAuthenticationOptions({ rpID: rp, challenge: text("again") as any, allowCredentials: [{ id: b64(id as any) }] });
    const loginData = bytes(await sha(text(rp)), [5], [0, 0, 0, 9]), cd = client("webauthn.get", login.challenge);
    const signature = der(new Uint8Array(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, keys.privateKey, bytes(loginData, await sha(cd)))));
    const assertion = (sig: Uint8Array) => ({ id: b64(id as any), rawId: b64(id as any), type: "public-key", clientExtensionResults: {}, response: { authenticatorData: b64(loginData as any), clientDataJSON: b64(cd as any), signature: b64(sig as any) } }) as any;
    const credential = registered.registrationInfo!.credential, check = (sig: Uint8Array, challenge = login.challenge) => verifyAuthenticationResponse({ response: assertion(sig), ...expected, expectedChallenge: challenge, credential });
    return Response.json({ options, verified: registered.verified, credential: [credential.id, credential.publicKey.length, credential.counter], device: registered.registrationInfo!.credentialDeviceType, login, signedIn: (await check(signature)).verified, counter: (await check(signature)).authenticationInfo.newCounter, forged: await check(bytes(signature.slice(0, -1), [signature.at(-1)! ^ 1])).then((r) => r.verified, (e) => e.message), wrong: await check(signature, "other").catch((e) => e.message) });
  },
};
