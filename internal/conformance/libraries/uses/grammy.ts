// grammy
// A Telegram bot on webhookCallback: commands, sessions, keyboards, filters, errors; calls of the API go to a scripted server.
// POST /hook {"update_id":1,"message":{"message_id":1,"date":0,"chat":{"id":5,"type":"private","first_name":"A"},"from":{"id":7,"is_bot":false,"first_name":"A"},"text":"/start now","entities":[{"type":"bot_command","offset":0,"length":6}]}}
// POST /hook {"update_id":2,"message":{"message_id":2,"date":0,"chat":{"id":5,"type":"private","first_name":"A"},"from":{"id":7,"is_bot":false,"first_name":"A"},"text":"count me"}}
// POST /hook {"update_id":3,"callback_query":{"id":"q","from":{"id":7,"is_bot":false,"first_name":"A"},"chat_instance":"x","data":"pick-2"}}
// POST /hook {"update_id":4,"message":{"message_id":4,"date":0,"chat":{"id":5,"type":"private","first_name":"A"},"from":{"id":7,"is_bot":false,"first_name":"A"},"text":"boom"}}
// GET /log
import { Bot, InlineKeyboard, session, webhookCallback, type Context, type SessionFlavor } from "grammy";
import { server } from "./parts/scripted";

const answer = (result: unknown) => () => ({ json: { ok: true, result } });
const fake = server({ "POST /botTOKEN/sendMessage": answer({ message_id: 9, date: 0, chat: { id: 5, type: "private" }, text: "sent" }), "POST /botTOKEN/answerCallbackQuery": answer(true), "POST /botTOKEN/sendPhoto": () => ({ status: 400, json: { ok: false, error_code: 400, description: "Bad Request: no photo" } }) });
const bot = new Bot<Context & SessionFlavor<{ n: number }>>("TOKEN", { botInfo: { id: 1, is_bot: true, first_name: "B", username: "b_bot", can_join_groups: true, can_read_all_group_messages: false, supports_inline_queries: false, can_connect_to_business: false, has_main_web_app: false } as any, client: { fetch: fake.fetch as any, apiRoot: "http://telegram.example", canUseWebhookReply: () => false } });
const log: unknown[] = [];
bot.use(session({ initial: () => ({ n: 0 }) }));
bot.command("start", (ctx) => ctx.reply(`Welcome *${ctx.match}*`, { parse_mode: "MarkdownV2", reply_markup: new InlineKeyboard().text("1", "pick-1").row().url("u", "https://e.com") }));
bot.hears(/^count (\w+)/, (ctx) => ctx.reply(`${ctx.match[1]} ${++ctx.session.n}`));
bot.callbackQuery(/pick-(\d)/, (ctx) => ctx.answerCallbackQuery({ text: ctx.match[1], show_alert: true }));
bot.on("message:text", async (ctx) => { await ctx.replyWithPhoto("id").catch((e) => log.push([e.name, e.error_code, e.description])); });
const hook = webhookCallback(bot, "cloudflare-mod");
export default { fetch: (request: Request) => (new URL(request.url).pathname === "/log" ? Response.json({ log, requests: fake.requests() }) : hook(request)) };
