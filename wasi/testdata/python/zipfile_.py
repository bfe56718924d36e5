import gzip
import hashlib
import io
import os
import tarfile
import tempfile
import zipfile
import zlib
with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr(zipfile.ZipInfo("x/hello.txt", (2020, 1, 2, 3, 4, 6)), "hello " * 100)
    z.writestr("empty", b"")
with zipfile.ZipFile("a.zip") as z:
    print(z.testzip(), [(i.filename, i.file_size, hex(i.CRC)) for i in z.infolist()], z.getinfo("x/hello.txt").date_time, z.read("x/hello.txt")[:11])
    z.extractall("out")
print(sorted(os.listdir("out")), os.path.getsize("out/x/hello.txt"))
try:
    zipfile.ZipFile(io.BytesIO(b"no"))
except zipfile.BadZipFile as e:
    print(e)
print(zlib.crc32(b"abc"), zlib.decompress(zlib.compress(b"a" * 1000, 9)) == b"a" * 1000, gzip.decompress(gzip.compress(b"x")), hashlib.sha256(b"abc").hexdigest(), hashlib.md5(b"").hexdigest(), hashlib.blake2b(b"a", digest_size=8).hexdigest(), hashlib.sha3_256(b"").hexdigest()[:8])
buf = io.BytesIO()
with tarfile.open(fileobj=buf, mode="w:gz") as t:
    t.add("out", "in")
print(sorted(tarfile.open(fileobj=io.BytesIO(buf.getvalue())).getnames()))
with tempfile.TemporaryDirectory() as d:
    open(os.path.join(d, "f"), "w").write("é")
    print(os.listdir(d), os.stat(os.path.join(d, "f")).st_size)
print(os.path.exists(d))
