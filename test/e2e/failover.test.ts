import { afterAll, beforeAll, expect, test } from 'vitest';
import { ModelServer } from '../support/model-server.ts';
import { TelegramSetting } from './telegram-setting.ts';

let main: ModelServer;
let local: ModelServer;
let setting: TelegramSetting;

beforeAll(async () => {
  [main, local] = await Promise.all([ModelServer.start(), ModelServer.start()]);
  const at = (server: ModelServer, name: string): object => ({
    provider: 'openai_compatible',
    name,
    base_url: server.url,
  });
  setting = await TelegramSetting.start({
    config: {
      agent: { burst_ms: 0, wait_for_model_secs: 0 },
      models: { main: { ...at(main, 'large'), fallback: ['local'] }, local: at(local, 'small') },
    },
  });
});

afterAll(async () => {
  await setting.dispose();
  await Promise.all([main.close(), local.close()]);
});

test('a reply that is cut in the middle is taken up again, and is shown once and whole', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  main
    .onUser('count', { text: 'one two three four five six', pieceSize: 4, fault: { kind: 'cut', afterPieces: 3 } })
    .onUser('answer_cut', '… and so on');
  telegram.say(chat, 'count');
  await telegram.waitForMessage(chat, 'and so on');
  const [said = '', ...more] = setting.said(chat);
  expect(more).toEqual([]);
  expect(said).toMatch(/^one two .*… and so on$/);
  expect(
    main.requests
      .at(-1)
      ?.messages.map(({ role, text }) => [role, text])
      .slice(1),
  ).toEqual([
    ['user', 'count'],
    ['assistant', said.slice(0, said.indexOf('…'))],
    ['user', expect.stringContaining('answer_cut')],
  ]);
});

test('while a model is down, the next one answers, each message once, and does not wait for the first again', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  main.onUser('are you there?', { fault: { kind: 'status', status: 503 } });
  local.otherwise(({ lastUserText }) => `local: ${lastUserText}`);
  telegram.say(chat, 'are you there?');
  await telegram.waitForMessage(chat, 'local: are you there?');
  const asked = main.requests.length;
  telegram.say(chat, 'and now?');
  await telegram.waitForMessage(chat, 'local: and now?');
  expect(setting.said(chat)).toEqual(['local: are you there?', 'local: and now?']);
  expect(main.requests.filter(({ lastUserText }) => lastUserText === 'are you there?')).toHaveLength(3);
  expect(main.requests).toHaveLength(asked);
  expect(local.requests.map(({ model }) => model)).toEqual(['small', 'small']);
});

test('when all models are down, the person reads one sentence with the cause and what to do', async () => {
  const { telegram } = setting;
  const chat = setting.newOwner();
  await Promise.all([main.close(), local.close()]);
  telegram.say(chat, 'anybody?');
  const { text } = await telegram.waitForMessage(chat, '⚠️');
  expect(text).toContain(`Nothing listens at ${main.url}, where the model 'main' should be. Start the model server`);
  expect(text).toContain("('local' cannot answer either.)");
  expect(setting.said(chat)).toHaveLength(1);
});
