// oauth4webapi
// The authorization-code flow with PKCE against a scripted server: discovery, callback, tokens, ID token checked, user info, errors.
import * as oauth from "oauth4webapi";
import { exportJWK, SignJWT, generateKeyPair } from "jose";
import { server } from "./parts/scripted";

export default {
  async fetch() {
    const keys = await generateKeyPair("ES256");
    const now = Math.floor(Date.now() / 1000), base = "https://id.example";
    const idToken = await new SignJWT({ nonce: "n1", email: "ada@example.com" }).setProtectedHeader({ alg: "ES256", kid: "1" }).setIssuer(base).setAudience("client").setSubject("ada").setIssuedAt(now).setExpirationTime(now + 60).sign(keys.privateKey);
    const form = (text: string) => Object.fromEntries(new URLSearchParams(text));
    const fake = server({
      "GET /.well-known/openid-configuration": () => ({ json: { issuer: base, authorization_endpoint: base + "/auth", token_endpoint: base + "/token", userinfo_endpoint: base + "/me", jwks_uri: base + "/jwks", id_token_signing_alg_values_supported: ["ES256"] } }),
      "POST /token": (body) => body.code === "good" ? { json: { access_token: "at", token_type: "Bearer", expires_in: 60, id_token: idToken } } : { status: 400, json: { error: "invalid_grant", error_description: "code is used" } },
      "GET /me": () => ({ json: { sub: "ada", name: "Ada" } }),
    }, form);
    const jwks = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1", alg: "ES256", use: "sig" }] };
    const options = { [oauth.customFetch]: ((url: string, init: any) => url.endsWith("/jwks") ? Promise.resolve(Response.json(jwks)) : fake.fetch(url, init)) as any };
    const as = await oauth.processDiscoveryResponse(new URL(base), await oauth.discoveryRequest(new URL(base), options));
    const client: oauth.Client = { client_id: "client" }, verifier = "a".repeat(43), back = "https://app.example/cb";
    const challenge = await oauth.calculatePKCECodeChallenge(verifier);
    const params = oauth.validateAuthResponse(as, client, new URL(back + "?code=good&state=s"), "s");
    const response = await oauth.authorizationCodeGrantRequest(as, client, oauth.ClientSecretBasic("sécret"), params, back, verifier, options);
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, response, { expectedNonce: "n1", requireIdToken: true });
    await oauth.validateApplicationLevelSignature(as, response, options);
    const me = await oauth.processUserInfoResponse(as, client, "ada", await oauth.userInfoRequest(as, client, tokens.access_token, options));
    const bad = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), oauth.validateAuthResponse(as, client, new URL(back + "?code=used"), oauth.expectNoState), back, verifier, options);
    const refused = await oauth.processAuthorizationCodeResponse(as, client, bad).catch((e) => [e.name, e.error, e.error_description, e.status]);
    const state = (() => { try { oauth.validateAuthResponse(as, client, new URL(back + "?error=access_denied"), "s"); } catch (e: any) { return [e.name, e.message]; } })();
    const { iat, exp, ...claims } = oauth.getValidatedIdTokenClaims(tokens)!;
    return Response.json({ challenge, claims, fresh: exp - iat, me, refused, state, random: oauth.generateRandomCodeVerifier().length, requests: fake.requests() });
  },
};
