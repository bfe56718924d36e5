// aws4fetch
// Requests signed for S3 and other services with a given time, in headers and in queries, and sent.
import { AwsClient, AwsV4Signer } from "aws4fetch";

export default {
  async fetch() {
    const keys = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" }, datetime = "20150830T123600Z";
    const aws = new AwsClient({ ...keys, region: "eu-north-1" });
    const put = await aws.sign("https://bucket.s3.eu-north-1.amazonaws.com/a b/ü.txt?x=1&a=2", { method: "PUT", body: "Hällo", headers: { "content-type": "text/plain", "x-amz-meta-who": "me" }, aws: { datetime } });
    const url = await aws.sign("https://bucket.s3.amazonaws.com/key", { aws: { datetime, signQuery: true } });
    const signer = new AwsV4Signer({ ...keys, url: "https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08", method: "GET", datetime, headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" } });
    const signed = await signer.sign();
    return Response.json({ put: [put.method, put.url, [...put.headers].filter(([n]) => n !== "content-length"), await put.text()], query: url.url, service: [signer.service, signer.region], canonical: await signer.canonicalString(), authorization: signed.headers.get("authorization"), missing: await aws.sign("nonsense").catch((e) => e.name), r2: [...new URL((await new AwsClient({ ...keys, service: "s3", region: "auto" }).sign("https://id.r2.cloudflarestorage.com/b/k?X-Amz-Expires=60", { method: "PUT", aws: { signQuery: true, datetime } })).url).searchParams.keys()] });
  },
};
