import { describe, expect, test } from 'vitest';
import type { Button } from '../../src/contract.ts';
import { folded, unfold } from '../../src/lib/folds.ts';
import { messageWords } from '../../src/words/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { type DeliverySettingOptions, deliverySetting } from '../support/delivery-setting.ts';

const seeFile = messageWords.en.seeFile;
const buttons: Button[][] = [[{ actionId: 'x', label: 'X', shortcut: 'x', style: 'plain' }]];
/** Needs ten messages or so. */
const text = Array.from({ length: 60 }, (_, index) => `This is the sentence with the number ${index}.`).join(' ');

/** A channel that shows up to 300 characters, and 3 messages of a text. */
function longSetting({ capabilities, settings, ...options }: DeliverySettingOptions = {}) {
  return deliverySetting({
    ...options,
    capabilities: { maxLength: 300, maxFileBytes: 1_000_000, ...capabilities },
    settings: { maxMessages: 3, ...settings },
  });
}

type Setting = Awaited<ReturnType<typeof longSetting>>;

function textsOf({ channel }: Setting): readonly string[] {
  return channel.screen.filter(({ file }) => file === undefined).map((shown) => shown.text);
}

function filesOf({ channel }: Setting) {
  return channel.screen.flatMap(({ file }) => file ?? []);
}

describe('a text that needs too many messages', () => {
  test('is sent as its beginning, which says where the rest is, and whole as a file behind it', async () => {
    const setting = await longSetting();
    await setting.sayAtRest(text, undefined, { kind: 'reply' });
    const [first = '', second = '', ...more] = textsOf(setting);
    expect(more).toEqual([]);
    expect(second.endsWith(`.\n\n${seeFile}`)).toBe(true);
    const beginning = `${first} ${second.slice(0, -seeFile.length).trimEnd()}`;
    expect(beginning).toMatch(/number \d+\.$/);
    expect(text.startsWith(beginning)).toBe(true);
    expect(setting.channel.screen.map(({ file }) => file !== undefined)).toEqual([false, false, true]);
    expect(filesOf(setting)).toEqual([
      { name: expect.stringMatching(/^reply-2023-11-1[45]-\d{4}\.md$/), mediaType: 'text/markdown', content: text },
    ]);
    expect(await setting.store.files.owners()).toEqual([]);
  });

  test('and just fits into them is sent as it is', async () => {
    const setting = await longSetting({ settings: { maxMessages: 10 } });
    const fits = text.slice(0, 2700);
    await setting.sayAtRest(fits);
    expect(filesOf(setting)).toEqual([]);
    expect(textsOf(setting).join(' ')).toBe(fits);
  });

  test('is sent as a file alone where one message is all', async () => {
    const setting = await longSetting({ settings: { maxMessages: 1 } });
    await setting.sayAtRest(text);
    expect(setting.channel.screen.map(({ text: shown, file }) => [shown, file?.content])).toEqual([[seeFile, text]]);
  });

  test.each([
    ['takes no files', { maxFileBytes: 0 }],
    ['takes no file of that size', { maxFileBytes: 1000 }],
    ['takes so little text that nothing could be said of a file', { maxLength: 100 }],
  ])('is sent in as many as it needs where the channel %s', async (_what, capabilities) => {
    const setting = await longSetting({ capabilities });
    await setting.sayAtRest(text);
    expect(filesOf(setting)).toEqual([]);
    expect(textsOf(setting).join(' ')).toBe(text);
  });

  test('is sent in as many as it needs where the file is refused', async () => {
    const setting = await longSetting();
    setting.channel.failNext({ type: 'permanent' }, { withFile: true });
    await setting.sayAtRest(text);
    // The end of the beginning says what is not so; the text stands whole without it.
    const whole = textsOf(setting).filter((shown) => !shown.includes(seeFile));
    expect(whole.join(' ')).toBe(text);
    expect(textsOf(setting)).toHaveLength(whole.length + 1);
  });

  test('is sent in as many as it needs where the file cannot be made', async () => {
    const setting = await longSetting();
    setting.store.files.keepText = () => Promise.reject(new Error('EACCES: permission denied'));
    await setting.sayAtRest(text);
    expect(textsOf(setting).join(' ')).toBe(text);
  });

  test('keeps what a card is about above its buttons, and says at its end how to decide', async () => {
    const setting = await longSetting({ settings: { maxMessages: 4 } });
    await setting.sayAtRest(`${text}\n\nOr type /approve.`, undefined, { kind: 'card', buttons });
    const { screen } = setting.channel;
    expect(screen.map(({ file, buttons: found }) => [file !== undefined, found.length])).toEqual([
      [false, 0],
      [false, 0],
      [true, 0],
      [false, 1],
    ]);
    expect(screen[0]?.text).toContain('number 0.');
    expect(screen[1]?.text).toContain(seeFile);
    expect(screen[2]?.file).toMatchObject({
      name: expect.stringMatching(/^card-/),
      content: `${text}\n\nOr type /approve.`,
    });
    expect(screen[3]?.text).toMatch(/Or type \/approve\.$/);
  });

  test('of a card that the platform takes no file of is readable in full above its buttons', async () => {
    const setting = await longSetting();
    setting.channel.failNext({ type: 'permanent' }, { withFile: true });
    await setting.sayAtRest(text, undefined, { kind: 'card', buttons });
    const { screen } = setting.channel;
    expect(
      textsOf(setting)
        .filter((shown) => !shown.includes(seeFile))
        .join(' '),
    ).toBe(text);
    expect(screen.findIndex((shown) => shown.buttons.length > 0)).toBe(screen.length - 1);
  });

  test.each([1, 2, 3])(
    'is gone on with by the next process, with at most one part twice, when it dies at part %i',
    async (part) => {
      const whole = await longSetting();
      await whole.sayAtRest(text);
      const contents = (setting: Setting) => setting.channel.screen.map((shown) => shown.file?.content ?? shown.text);

      const setting = await longSetting();
      const release = setting.channel.hold();
      await setting.say(text);
      const dead = setting.diesAfter(part);
      release();
      await dead;
      await setting.whenIdle();
      expect(contents(setting)).toEqual([...contents(whole).slice(0, part), ...contents(whole).slice(part - 1)]);
    },
  );
});

test('a reply that was shown while it was written ends in the file too, which is sent again if it has to be', async () => {
  const { channel, model, clock } = await daemonSetting({
    config: { delivery: { max_messages: 3 } },
    channel: { streams: true, capabilities: { maxLength: 300, maxFileBytes: 1_000_000 } },
  });
  model.next(text);
  channel.failNext({ type: 'transient' }, { withFile: true });
  await channel.say('tell me all');
  await clock.passes(500);
  await channel.whenIdle();
  expect(channel.screen.map(({ kind, file }) => [kind, file?.content])).toEqual([
    ['reply', undefined],
    ['reply', undefined],
    ['reply', text],
  ]);
});

describe('a card that folds more than a message takes', () => {
  const outside = ['May I run it?', 'Until 21:16.'];
  const card = [outside[0], folded('All of it', `\`\`\`\n${text}\n\`\`\``), folded('More', 'short'), outside[1]].join(
    '\n\n',
  );

  test.each([
    ['file', { maxFileBytes: 1_000_000 }, seeFile],
    ['word', { maxFileBytes: 0 }, messageWords.en.cutHere],
  ])('is one message in which only that is cut, with a %s for the rest', async (what, capabilities, note) => {
    const setting = await longSetting({ capabilities: { folds: true, ...capabilities } });
    await setting.sayAtRest(card, undefined, { kind: 'card', buttons });
    const [shown = '', ...more] = textsOf(setting);
    expect(more).toEqual([]);
    expect(filesOf(setting).map(({ content }) => content)).toEqual(what === 'file' ? [card] : []);
    expect(setting.channel.screen.at(-1)?.buttons).toHaveLength(1);
    expect(unfold(shown).shown).toBe(outside.join('\n\n'));
    const { details = '' } = unfold(shown);
    expect(details).toContain('number 0.');
    expect(details).toContain(`\n\`\`\`\n\n${note}`);
    expect(details).toContain('**More**\n\nshort');
    expect(shown.length).toBeGreaterThan(250);
  });

  test('is sent in as many messages as it needs if what it does not fold is too long', async () => {
    const setting = await longSetting({ capabilities: { folds: true }, settings: { maxMessages: 20 } });
    const long = text.slice(0, 500);
    await setting.sayAtRest(`${long}\n\n${folded('All', text)}`, undefined, { kind: 'card', buttons });
    expect(textsOf(setting).join(' ').replaceAll('\n', ' ')).toContain(long.slice(0, 250));
    expect(textsOf(setting).filter((shown) => unfold(shown).details !== undefined).length).toBeGreaterThan(1);
  });
});
