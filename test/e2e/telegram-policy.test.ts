import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TelegramSetting } from './telegram-setting.ts';

function shellCall(command: string) {
  return { calls: [{ name: 'shell', arguments: { command } }] };
}

describe('a card that nobody answers', () => {
  let setting: TelegramSetting;

  beforeAll(async () => {
    setting = await TelegramSetting.start({ config: { approval: { timeout_secs: 8 } } });
  });

  afterAll(() => setting.dispose());

  test('is reminded of, says that the time is over, and costs no answer of the model', async () => {
    const { telegram, model } = setting;
    const [chat, other] = [setting.newOwner(), setting.newOwner()];
    model.onUser('nobody is there', shellCall('true')).onUser('somebody speaks', shellCall('false'));
    const deferred = await setting.askFor(other, 'somebody speaks');
    telegram.say(other, 'a word between');
    await telegram.waitForMessage(other, 'echo: a word between');
    const card = await setting.askFor(chat, 'nobody is there');
    const asked = model.requests.length;

    await telegram.waitForMessage(chat, 'Still waiting: Run true?');
    const expired = await setting.shows(chat, card.id, '⌛ Nobody decided in time: run true');
    expect(expired.buttons).toEqual([]);
    await setting.shows(other, deferred.id, '⌛ Nobody decided in time: run false');
    const press = telegram.press(chat, card.id, card.buttons[0]?.data ?? '', { forged: true });
    expect((await press.answered).text).toMatch(/^Too late/);
    telegram.say(chat, '/status');
    await telegram.waitForMessage(chat, 'Nothing waits for a decision');
    expect(model.requests).toHaveLength(asked);

    telegram.say(chat, 'here I am');
    await telegram.waitForMessage(chat, 'here I am');
    const request = model.requests.at(-1);
    expect(request?.messages.find(({ role }) => role === 'tool')?.text).toMatch(
      /^Not executed: .* nobody decided in time\. This is not a denial/,
    );
    telegram.say(other, 'me too');
    await telegram.waitForMessage(other, 'me too');
    expect(model.requests.at(-1)?.lastUserText).toContain('outcome="expired"');
  });
});

describe('the mode observer', () => {
  let setting: TelegramSetting;

  beforeAll(async () => {
    setting = await TelegramSetting.start({ config: { agent: { mode: 'observer' }, delivery: { tool_cards: false } } });
  });

  afterAll(() => setting.dispose());

  test('refuses what does more than read, without asking anybody, and the model is told that no person did', async () => {
    const { telegram, model } = setting;
    const chat = setting.newOwner();
    const calls = [...shellCall('true').calls, { name: 'list_dir', arguments: {} }];
    model.onUser('look around', { calls }).onResult('observer mode', 'I only looked.');
    telegram.say(chat, 'look around');
    await telegram.waitForMessage(chat, 'I only looked.');
    expect(setting.said(chat)).toHaveLength(1);
    const [refused, listed] = model.requests.at(-1)?.lastResults ?? [];
    expect(refused).toMatch(/^Not executed: a rule forbids this call, and nobody was asked\..*agent\.mode/);
    expect(listed).toBe('[. is empty]');
  });
});

describe('the policy always_allow', () => {
  let setting: TelegramSetting;

  beforeAll(async () => {
    setting = await TelegramSetting.start({
      // Its card would be there where the machine is slow.
      config: { approval: { policy: 'always_allow' }, agent: { max_turns: 3 }, delivery: { tool_cards: false } },
    });
  });

  afterAll(() => setting.dispose());

  test('asks nothing, and says so loudly at start', async () => {
    const { telegram, model, daemon } = setting;
    const chat = setting.newOwner();
    expect(daemon.output).toMatch(/Warning .*"always_allow": tools run without asking anybody/);
    model.onUser('just do it', shellCall('echo done')).onResult('done', 'It is done.');
    telegram.say(chat, 'just do it');
    await telegram.waitForMessage(chat, 'It is done.');
    expect(setting.said(chat)).toHaveLength(1);
  });

  test('a run that never comes to an end is stopped after the turns that the config allows', async () => {
    const { telegram, model } = setting;
    const chat = setting.newOwner();
    model.onRequest(({ lastUserText }) => lastUserText === 'for ever', shellCall('true'));
    telegram.say(chat, 'for ever');
    await telegram.waitForMessage(chat, 'I have taken 3 turns');
    expect(model.requests.filter(({ lastUserText }) => lastUserText === 'for ever')).toHaveLength(3);
  });
});

describe('standing permissions', () => {
  let setting: TelegramSetting;

  beforeAll(async () => {
    setting = await TelegramSetting.start();
  });

  afterAll(() => setting.dispose());

  function answering(word: string, command: string): void {
    setting.model
      .onUser(new RegExp(`${word}$`), shellCall(command))
      .onRequest(
        ({ lastUserText, lastResults }) => lastUserText.endsWith(word) && lastResults.length > 0,
        `Ran ${word}.`,
      );
  }

  test('15 minutes of a tool ask no more for any of its calls, are listed, survive a restart, and end when revoked', async () => {
    const { telegram } = setting;
    const chat = setting.newOwner();
    answering('one', 'echo 1');
    answering('two', 'echo 2');
    const card = await setting.askFor(chat, 'one');
    telegram.press(chat, card.id, '15 min');
    await telegram.waitForMessage(chat, 'Ran one.');
    await setting.shows(chat, card.id, 'as is every later call of shell here for a while');
    await setting.restart();
    telegram.say(chat, 'two');
    await telegram.waitForMessage(chat, 'Ran two.');
    telegram.say(chat, '/grants');
    const { text } = await telegram.waitForMessage(chat, 'Standing permissions here');
    const [, id] = /([a-z0-9]{6}): every call of shell/.exec(text) ?? [];
    telegram.say(chat, `/revoke ${id}`);
    await telegram.waitForMessage(chat, 'Revoked.');
    await setting.askFor(chat, 'two');
  });

  test('Always asks no more for exactly this call, and goes on asking for every other', async () => {
    const { telegram } = setting;
    const chat = setting.newOwner();
    answering('three', 'echo 3');
    answering('four', 'echo 4');
    const card = await setting.askFor(chat, 'three');
    telegram.press(chat, card.id, 'Always');
    await telegram.waitForMessage(chat, 'Ran three.');
    telegram.say(chat, '/new');
    await telegram.waitForMessage(chat, 'A new conversation');
    telegram.say(chat, 'three');
    await telegram.waitFor(() => setting.said(chat).filter((text) => text === 'Ran three.').length === 2);
    await setting.askFor(chat, 'four');
    telegram.say(chat, '/grants');
    await telegram.waitForMessage(chat, /always run echo 3 for/);
    telegram.say(chat, '/revoke all');
    await telegram.waitForMessage(chat, 'Revoked.');
  });
});
