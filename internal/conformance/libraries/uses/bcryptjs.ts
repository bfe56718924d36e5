// bcryptjs
// Passwords hashed with given salts, compared, and read apart; long passwords, and rounds out of range.
import bcrypt from "bcryptjs";

export default {
  async fetch() {
    const salt = "$2b$04$abcdefghijklmnopqrstuu";
    const hash = bcrypt.hashSync("correct horse", salt), made = await bcrypt.hash("pässwörd", 4);
    return Response.json({ hash, async: await bcrypt.hash("日本語", salt), same: [bcrypt.compareSync("correct horse", hash), await bcrypt.compare("wrong", hash), await bcrypt.compare("pässwörd", made)], rounds: [bcrypt.getRounds(hash), bcrypt.getSalt(hash)], size: made.length, salt: bcrypt.genSaltSync(4).slice(0, 7), truncates: [bcrypt.truncates("x".repeat(73)), bcrypt.truncates("x")], bad: await bcrypt.hash("x", "nonsense").catch((e) => e.message), known: bcrypt.compareSync("abc", "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i") });
  },
};
