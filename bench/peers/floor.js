/**
 * The floor: what the work costs with Node, `node:http` and SQLite, and nothing else. It polls Telegram, stores what came and syncs
 * that once, streams the model's answer, stores it, sends it, and stores that it was sent. Killed, it answers what it had not.
 *
 *     node floor.js TELEGRAM MODEL FOLDER
 */
import { fdatasync, openSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

const [, , telegram, model, folder] = process.argv;
const agent = new Agent({ keepAlive: true });
const file = join(folder, 'floor.db');
const sqlite = new Sqlite(file);
sqlite.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, chat INTEGER, text TEXT, answer TEXT, sent INTEGER);
  CREATE INDEX IF NOT EXISTS by_chat ON messages (chat, id);
`);
const store = sqlite.prepare('INSERT OR IGNORE INTO messages (id, chat, text) VALUES (?, ?, ?)');
const storeAnswer = sqlite.prepare('UPDATE messages SET answer = ? WHERE id = ?');
const storeSent = sqlite.prepare('UPDATE messages SET sent = ? WHERE id = ?');
const recent = sqlite.prepare('SELECT text, answer FROM messages WHERE chat = ? ORDER BY id DESC LIMIT 20');
const unsent = sqlite.prepare('SELECT id, chat FROM messages WHERE sent IS NULL ORDER BY id');
const storeAll = sqlite.transaction((updates) => {
  for (const { update_id, message } of updates) if (message) store.run(update_id, message.chat.id, message.text);
});

function post(url, body) {
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      response.on('end', () => resolve(received)).on('error', reject);
    });
    sent.on('error', reject).end(text);
  });
}

async function answer(id, chat) {
  const said = recent.all(chat).reverse();
  const messages = said.flatMap((row) => [
    { role: 'user', content: row.text },
    ...(row.answer === null ? [] : [{ role: 'assistant', content: row.answer }]),
  ]);
  const stream = await post(`${model}/chat/completions`, { model: 'bench', stream: true, messages });
  const lines = stream.split('\n').filter((line) => line.startsWith('data: {'));
  const text = lines.map((line) => JSON.parse(line.slice(6)).choices[0]?.delta.content ?? '').join('');
  storeAnswer.run(text, id);
  const sent = JSON.parse(await post(`${telegram}/bot/sendMessage`, { chat_id: chat, text }));
  storeSent.run(sent.result.message_id, id);
}

for (const { id, chat } of unsent.all()) void answer(id, chat);
const log = openSync(`${file}-wal`, 'r+');
for (let offset = 0; ; ) {
  const updates = JSON.parse(await post(`${telegram}/bot/getUpdates`, { offset, timeout: 30 })).result;
  if (updates.length === 0) continue;
  storeAll(updates);
  await new Promise((resolve) => fdatasync(log, resolve));
  for (const { update_id, message } of updates) {
    offset = update_id + 1;
    if (message) void answer(update_id, message.chat.id);
  }
}
