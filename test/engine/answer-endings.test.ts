import { describe, expect, test } from 'vitest';
import { messageWords } from '../../src/words/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { type ScriptedModel, wordsOf } from '../support/scripted-model.ts';

const cutNotice = messageWords.en.ended('cut');
const withheldNotice = messageWords.en.ended('withheld');

/** What the model reads of its own answers. */
function ownWords({ last }: ScriptedModel): string {
  const own = last.messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []));
  return own.map((part) => (part.type === 'text' ? part.text : '')).join('|');
}

async function answered(ending: 'cut' | 'withheld', answer: string) {
  const setting = await daemonSetting({ config: { agent: { burst_ms: 0 } } });
  const { model, channel } = setting;
  model.ending = ending;
  model.next(answer);
  await channel.say('tell me of the sky');
  await channel.seesAtRest('✂️');
  model.ending = undefined;
  return setting;
}

describe('an answer that ended early', () => {
  test.each([
    ['cut', 'The sky is', cutNotice, 'at the limit of tokens'],
    ['cut', '天空是', cutNotice, 'at the limit of tokens'],
    ['withheld', '空は', withheldNotice, 'held back the rest'],
  ] as const)(
    '(%s: %s) says so to people behind it, and to the model in an event',
    async (ending, text, notice, why) => {
      const setting = await answered(ending, text);
      const { channel } = setting;
      expect(channel.textsIn('test:ada')).toEqual([`${text}\n\n${notice}`]);
      await setting.restart();
      await channel.askAtRest('go on', 'echo: ');
      const { model } = setting;
      expect(ownWords(model)).toBe(text);
      expect(wordsOf(model.last)).toMatch(
        new RegExp(`<keyturn_event kind="answer_ended">[^<]*${why}[^<]*</keyturn_event>\n\ngo on$`),
      );
      expect(wordsOf(model.last)).not.toContain('✂️');
    },
  );

  test('is closed before that where it ended within code', async () => {
    const { channel } = await answered('cut', 'Like this:\n```js\nconst sky =');
    expect(channel.textsIn('test:ada')).toEqual([`Like this:\n\`\`\`js\nconst sky =\n\`\`\`\n\n${cutNotice}`]);
  });

  test('before its first word is no empty answer, and the model reads no answer of its own', async () => {
    const { model, channel } = await answered('cut', '');
    expect(channel.textsIn('test:ada')).toEqual([cutNotice]);
    await channel.askAtRest('go on', 'echo');
    expect(model.last.messages).toHaveLength(1);
    expect(wordsOf(model.last)).toMatch(/tell me of the sky\n\n<keyturn_event kind="answer_ended">.*go on$/s);
  });

  test('keeps its beginning in the message in which it was shown while it was written', async () => {
    const setting = await daemonSetting({ channel: { streams: true }, config: { agent: { burst_ms: 0 } } });
    const { model, channel } = setting;
    model.ending = 'cut';
    model.next('The sky is');
    await channel.say('tell me of the sky');
    await channel.seesAtRest('✂️');
    expect(channel.textsIn('test:ada')).toEqual([`The sky is\n\n${cutNotice}`]);
  });

  test('may be quoted with the line behind it: those are words that Keyturn has said', async () => {
    const setting = await answered('cut', 'The sky is');
    const text = `The sky is\n\n${cutNotice.replaceAll('*', '')}`;
    const { model, channel } = setting;
    await channel.askAtRest('what is that?', 'echo', { quote: { name: 'bot', text, isOwn: true } });
    expect(wordsOf(model.last)).toContain('[in reply to you:]\n> The sky is\nwhat is that?');
    expect(setting.rows('SELECT tainted FROM conversations')).toEqual([{ tainted: 0 }]);
  });
});

test('the line in the text of an answer that an earlier version stored is no word of the model', async () => {
  const setting = await answered('withheld', 'The sky is');
  await setting.stop();
  const old = [{ type: 'text', text: `The sky is\n\n${cutNotice}` }];
  setting.tamper(`UPDATE turns SET reason = NULL, parts = '${JSON.stringify(old)}'`);
  await setting.start();
  await setting.channel.askAtRest('go on', 'echo');
  expect(ownWords(setting.model)).toBe('The sky is');
  expect(wordsOf(setting.model.last)).toContain('limit of tokens. People know.');
});
