// bcryptjs
// A password hashed with a given salt and compared, salts made and read apart, what is refused.
import bcrypt from "bcryptjs";

export default {
  async fetch() {
    const hash = await bcrypt.hash("pässwörd", "$2b$04$abcdefghijklmnopqrstuu");
    const same = await bcrypt.compare("pässwörd", hash);
    return Response.json({ hash, same, rounds: [bcrypt.getRounds(hash), bcrypt.getSalt(hash)], salt: bcrypt.genSaltSync(4).slice(0, 7), truncates: [bcrypt.truncates("x".repeat(73)), bcrypt.truncates("x")], bad: await bcrypt.hash("x", "nonsense").catch((e) => e.message), short: bcrypt.compareSync("x", "short")  });
  },
};
