import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { speechWords } from '../../../src/features/speech/words.ts';
import type { Transcriber } from '../../../src/models/transcriber.ts';
import { messageWords } from '../../../src/words/words.ts';
import { deploySetting } from '../../engine/deploy-setting.ts';
import { speaks, speechServer } from '../../models/speech-server.ts';
import { replies } from '../../models/transcription-server.ts';
import { type DaemonSettingOptions, daemonSetting } from '../../support/daemon-setting.ts';
import { call } from '../../support/scripted-model.ts';

/** Writes down what the bytes say. */
const hearing: Transcriber = { transcribe: async ({ bytes }) => Buffer.from(bytes).toString() };
const ogg = { kind: 'voice' as const, mediaType: 'audio/ogg' };

async function speaking(
  options: DaemonSettingOptions = {},
  ...answers: readonly ((response: ServerResponse) => void)[]
) {
  const server = await speechServer(...(answers.length === 0 ? [speaks()] : answers));
  const speech = {
    ...{ base_url: server.url, name: 'tts-1', voice: 'alloy', format: 'opus', max_chars: 4000, timeout_secs: 60 },
  };
  const channelOptions = { capabilities: { maxFileBytes: 1000 } };
  const around = await deploySetting({
    ...{ transcriber: hearing, channel: channelOptions, ...options },
    config: { speech, ...options.config },
  });
  const { channel } = around;
  /** Ada says it aloud. */
  const speak = (words: string) => channel.say('', { attachments: [channel.files.put(words, ogg)] });
  /** What stands in her chat: texts, and the names of files. */
  const shown = () =>
    channel.screen
      .filter(({ conversationId }) => conversationId === 'test:ada')
      .map(({ text, file }) => file?.name ?? text);
  const inputs = () => server.received.map(({ body }) => Object(body).input);
  return { ...around, server, speak, shown, inputs };
}

test('the answer to a voice message is spoken too, behind its text', async () => {
  const { channel, model, speak, shown, inputs } = await speaking();
  model.next('It is **noon**.');
  await speak('what time is it?');
  await channel.changes.waitFor(() => shown()[1], { what: 'a recording' });
  expect(shown()).toEqual(['It is **noon**.', 'answer.ogg']);
  expect(channel.screen.at(-1)?.file).toMatchObject({ mediaType: 'audio/ogg', isVoice: true });
  expect(inputs()).toEqual(['It is noon.']);
});

test('what was typed is answered in writing alone, also after something was spoken', async () => {
  const { channel, speak, shown, inputs, server } = await speaking();
  await speak('hello');
  await server.asked(1);
  await channel.changes.waitFor(() => shown()[1], { what: 'a recording' });
  await channel.askAtRest('typed', 'echo: typed');
  expect(inputs()).toHaveLength(1);
});

test('only the last answer of a run is spoken, once, and no card and no notice', async () => {
  const { channel, model, speak, shown, inputs } = await speaking();
  model.next([{ type: 'text', text: 'I try it.' }, call('deploy', { what: 'site' })], 'Done.');
  await speak('deploy the site');
  await channel.pressToSee(await channel.card(), 'Done.');
  await channel.changes.waitFor(() => shown().find((one) => one === 'answer.ogg'), { what: 'a recording' });
  expect(inputs()).toEqual(['Done.']);
});

test('the words of the model are spoken, and neither notes of Keyturn nor addresses', async () => {
  const { setting, channel, model, speak, shown, inputs } = await speaking();
  model.next('Hello.');
  await speak('hello');
  await channel.changes.waitFor(() => shown()[1], { what: 'a recording' });
  setting.tamper('UPDATE conversations SET tainted = 1, private = 1');
  model.next('🔑 Look at [the page](https://evil.example/?d=secret) and https://evil.example/?token=abc');
  await speak('and now?');
  await channel.changes.waitFor(() => shown()[3], { what: 'a second recording' });
  expect(shown()[2]).toContain(messageWords.en.plainLinks);
  expect(inputs()[1]).toBe('Look at the page and a link');
});

test('an answer that was cut is spoken without the notice of it', async () => {
  const { channel, model, speak, shown, inputs } = await speaking();
  model.ending = 'cut';
  model.next('这是一个很长的回答');
  await speak('你好');
  await channel.changes.waitFor(() => shown()[1], { what: 'a recording' });
  expect(shown()[0]).toContain(messageWords.en.ended('cut'));
  expect(inputs()).toEqual(['这是一个很长的回答']);
});

test('the answer to a sound file, or to a voice message of others, is not spoken', async () => {
  const { channel, server, shown } = await speaking();
  const song = channel.files.put('la la', { kind: 'audio', mediaType: 'audio/mpeg' });
  await channel.say('', { attachments: [song] });
  await channel.seesAtRest('la la');
  await channel.say('', { attachments: [{ ...channel.files.put('hear this', ogg), isShared: true }] });
  await channel.seesAtRest('hear this');
  expect(shown().filter((one) => one.startsWith('answer'))).toEqual([]);
  expect(server.received).toEqual([]);
});

test('a server that fails is told of once, and again after it has worked; the text always comes', async () => {
  const { channel, speak, inputs } = await speaking(
    {},
    ...[replies(400, 'no'), replies(400, 'no'), speaks(), replies(400, 'no')],
  );
  const notices = () => channel.screen.filter(({ text }) => text.startsWith('🔇')).length;
  await speak('one');
  await channel.sees(speechWords.en.notSpoken({ why: 'the speech server refuses it' }).slice(0, -1));
  await speak('two');
  await channel.sees('echo: [spoken:] two');
  await speak('three');
  await channel.changes.waitFor(() => channel.screen.find(({ file }) => file !== undefined), { what: 'a recording' });
  expect(notices()).toBe(1);
  await speak('four');
  await channel.changes.waitFor(() => (notices() === 2 ? true : undefined), { what: 'a second notice' });
  expect(inputs()).toHaveLength(4);
});

test('a server that is silent holds up neither the text, nor what follows, nor the end', async () => {
  const { setting, channel, speak, server, shown } = await speaking({}, () => {});
  await speak('hello');
  await server.asked(1);
  await channel.ask('typed', 'echo: typed');
  await setting.restart();
  await channel.askAtRest('again', 'echo: again');
  expect(shown().filter((one) => one === 'answer.ogg')).toEqual([]);
  expect(server.received).toHaveLength(1);
});

test('nothing is spoken twice after a restart, and a recording that was stored is sent', async () => {
  const { setting, channel, speak, server, shown } = await speaking();
  channel.failNext({ type: 'transient' }, { withFile: true });
  await speak('hello');
  await channel.changes.waitFor(() => setting.rows(`SELECT id FROM outbox WHERE id LIKE '%vo'`)[0], {
    what: 'a stored recording',
  });
  await setting.restart();
  await channel.changes.waitFor(() => shown()[1], { what: 'a recording' });
  expect(shown().filter((one) => one === 'answer.ogg')).toHaveLength(1);
  expect(server.received).toHaveLength(1);
});

test('a channel without files, and a config without speech, hear nothing', async () => {
  const without = await speaking({ channel: { capabilities: { maxFileBytes: 0 } } });
  await without.speak('hello');
  await without.channel.seesAtRest('echo: [spoken:] hello');
  expect(without.server.received).toEqual([]);

  const { channel } = await daemonSetting({ transcriber: hearing });
  await channel.say('', { attachments: [channel.files.put('hello', ogg)] });
  await channel.seesAtRest('echo: [spoken:] hello');
  expect(channel.screen).toHaveLength(1);
});
