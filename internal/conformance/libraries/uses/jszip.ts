// jszip
// An archive made with folders, binaries and comments, opened again, changed, and answered as a download.
// GET /
// GET /file.zip
import JSZip from "jszip";

const date = new Date(Date.UTC(2024, 1, 29, 12, 0, 0));
export default {
  async fetch(request: Request) {
    const zip = new JSZip();
    zip.file("hello.txt", "Grüße 🚲\n".repeat(100), { date, comment: "greeting" }).file("data.bin", new Uint8Array([0, 255, 128]), { date, binary: true, createFolders: false });
    zip.folder("dir")!.file("a.json", JSON.stringify({ a: 1 }), { date }).file("b64", "aGk=", { base64: true, date });
    zip.file("late.txt", Promise.resolve("came later"), { date });
    zip.files["dir/"].date = date;
    const bytes = await zip.generateAsync({ type: "uint8array", compression: "DEFLATE", compressionOptions: { level: 6 }, comment: "all", platform: "DOS" });
    if (new URL(request.url).pathname === "/file.zip") return new Response(bytes, { headers: { "content-type": "application/zip", "content-disposition": "attachment; filename=file.zip" } });
    const back = await JSZip.loadAsync(bytes, { checkCRC32: true });
    const names: unknown[] = [];
    back.forEach((path, f) => names.push([path, f.dir, f.comment, f.date.toISOString()]));
    back.remove("dir");
    return Response.json({ size: bytes.length, names, text: (await back.file("hello.txt")!.async("string")).slice(0, 12), bin: [...(await back.file("data.bin")!.async("uint8array"))], late: await back.file("late.txt")!.async("base64"), left: back.file(/./).map((f) => f.name), stored: (await zip.generateAsync({ type: "base64", streamFiles: true })).length, broken: await JSZip.loadAsync(bytes.slice(10)).then(() => "?", (e) => e.message.split(":")[0]), blob: (await zip.generateAsync({ type: "blob" })).type });
  },
};
