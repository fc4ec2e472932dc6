/**
 * The bare line: the few lines that a person would write without Keyturn. It stores nothing, and has no tools and no approvals.
 *
 *     node bare.js TELEGRAM MODEL
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import { Bot } from 'grammy';

const [, , telegram, baseURL] = process.argv;
const model = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'none' })('bench');
const bot = new Bot('4242:AAbench', { client: { apiRoot: telegram } });
bot.on('message:text', async (context) => {
  const answer = streamText({ model, messages: [{ role: 'user', content: context.msg.text }] });
  await context.reply(await answer.text);
});
await bot.init();
for (let offset = 0; ; ) {
  for (const update of await bot.api.getUpdates({ offset, timeout: 30, limit: 100 })) {
    offset = update.update_id + 1;
    void bot.handleUpdate(update);
  }
}
