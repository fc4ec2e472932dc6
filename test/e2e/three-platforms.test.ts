import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daemonWords } from '../../src/daemon/words.ts';
import { waitUntil } from '../support/wait-for.ts';
import { ThreePlatforms } from './three-platforms.ts';

const platforms = ['telegram', 'slack', 'discord'] as const;
let setting: ThreePlatforms;

beforeAll(async () => {
  setting = await ThreePlatforms.start();
  for (const where of platforms) await setting.asks('hello', 'echo: hello', where);
});

afterAll(() => setting.dispose());

test('one process sends texts and files on all platforms', async () => {
  const long = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(' ');
  setting.model.onUser('tell me all', long);
  for (const where of platforms) setting.says('tell me all', where);
  for (const where of platforms) await setting.sees(/word0 word1/, where);
  const describe = (): string => setting.daemon.output;
  await waitUntil(() => setting.files().length === 3, { what: 'the files', describe });
  expect(setting.files()).toEqual([long, long, long]);
});

test('a token that is exchanged in .env connects its channel again, and no other; what waits there is answered', async () => {
  const { connections } = setting;
  setting.writeVariables(setting.telegram.exchangeToken());
  await setting.asks('do you hear me?', 'echo: do you hear me?');
  const [telegram = 0, ...others] = connections;
  expect(setting.connections).toEqual([telegram + 1, ...others]);
});

test('a channel that is switched off is silent and forgets nothing; switched on again, it answers what it missed', async () => {
  const { channels, ...rest } = setting.config();
  const off = { ...Object(channels), slack: { enabled: false } };
  setting.daemon.writeConfig({ ...rest, channels: off });
  await setting.slack.waitFor(() => setting.slack.sockets.count === 0);
  await setting.asks('/status', /is up for/);
  setting.says('while you were away', 'slack');
  setting.daemon.writeConfig(setting.config());
  await setting.sees('echo: while you were away', 'slack');
});

/** Whether the model was told that with the newest question. */
const isTold = (words: string): boolean => JSON.stringify(setting.model.requests.at(-1)).includes(words);

test('an edit holds, a bad one is told and costs nothing, and nothing is connected again for either', async () => {
  const { daemon, connections } = setting;
  daemon.writeConfig(setting.config({ agent: { instructions: 'Speak like a sailor.' } }));
  for (let times = 1; !isTold('sailor'); times += 1) await setting.asks(`question ${times}`, `echo: question ${times}`);

  writeFileSync(daemon.configFile, '{\n  "onwers": []\n}');
  await setting.sees(/config\.json:2:3 +onwers: .*owners/);
  await setting.asks('/status', daemonWords.en.configUnusable);
  process.kill(daemon.pid, 'SIGHUP');
  await setting.asks('still there?', 'echo: still there?');
  expect(isTold('sailor')).toBe(true);
  expect(readFileSync(daemon.configFile, 'utf8')).toBe('{\n  "onwers": []\n}');

  daemon.writeConfig(setting.config());
  await setting.sees(daemonWords.en.configInOrder);
  await setting.asks('back?', 'echo: back?');
  expect(isTold('sailor')).toBe(false);
  expect(setting.connections).toEqual(connections);
  expect((await daemon.stop()).code).toBe(0);
});
