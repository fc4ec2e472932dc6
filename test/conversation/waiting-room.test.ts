import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { listWords, statusWords } from '../../src/conversation/commands/reports/words.ts';
import { commandWords } from '../../src/conversation/commands/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { type DaemonSetting, daemonSetting, group } from '../support/daemon-setting.ts';
import { buttonOf, type Shown } from '../support/platform-traffic.ts';
import { anything, saying } from '../support/saying.ts';
import { call } from '../support/scripted-model.ts';

const words = statusWords.en;
const numbered = (label: string, number: number): string => `${label} ${number}`;

/** Ada has allowed a command for good, and another one waits for her. */
async function withWaiting(options: Parameters<typeof daemonSetting>[0] = {}): Promise<DaemonSetting> {
  const { setting, channel, model } = await daemonSetting(options);
  model.next([call('shell', { command: 'echo one' })], 'did one', [call('shell', { command: 'rm a' })]);
  await channel.pressToSee(buttonOf(await channel.cardFor('one'), 'Always'), 'did one');
  await channel.cardFor('remove it');
  await channel.whenIdle();
  return setting;
}

function statusOf({ channel }: DaemonSetting): Promise<Shown> {
  return channel.ask('/status', 'is up for', { at: 'test:ada' });
}

function now({ channel }: DaemonSetting, { ref }: Shown): Shown | undefined {
  return channel.screen.find((shown) => shown.ref === ref);
}

function labels(shown: Shown | undefined): readonly string[] {
  return (shown?.buttons ?? []).flat().map(({ label }) => label);
}

describe('/status', () => {
  test('is a line of health, what waits and what is allowed, each with its button, and the rest behind one', async () => {
    const setting = await withWaiting();
    const status = await statusOf(setting);
    const [health, waiting, ...rest] = status.text.split('\n\n');
    expect(health).toMatch(/^\*\*Keyturn\*\* .*scripted.*test\.$/);
    expect(waiting).toMatch(
      saying(words.waiting({ lines: [`1. 🔑 run \`rm a\`${anything}`, '2. ✅ Allowed: always run'] })),
    );
    expect(rest).toEqual([]);
    expect(labels(status)).toEqual([
      numbered(words.buttonShow, 1),
      numbered(listWords.en.buttonRevokeOne, 2),
      words.buttonDetails,
    ]);
    await setting.channel.press(buttonOf(status, words.buttonDetails));
    await setting.channel.whenIdle();
    expect(now(setting, status)?.text).toContain('Mode: assistant');
    await setting.channel.press(buttonOf(now(setting, status) ?? status, commandWords.en.buttonBack));
    await setting.channel.whenIdle();
    expect(now(setting, status)?.text).not.toContain('Mode: assistant');
  });

  test('shows a card at the bottom again, where it is decided; the one before says so', async () => {
    const setting = await withWaiting();
    const { channel, model } = setting;
    const before = await channel.card();
    const status = await statusOf(setting);
    const { notice } = await channel.press(buttonOf(status, numbered(words.buttonShow, 1)));
    expect(notice).toBe(words.shownAgain);
    await channel.whenIdle();
    expect(now(setting, before)?.text).toMatch(saying(approvalWords.en.askedAgain(anything)));
    expect(labels(now(setting, before))).toEqual([]);
    const card = await channel.card();
    expect(card.text).toBe(before.text);
    expect(channel.screen.at(-1)?.ref).toBe(card.ref);
    await setting.restart();
    model.next('removed');
    await channel.pressToSee(card, 'removed');
    expect(setting.rows(`SELECT state FROM approvals WHERE state = 'pending'`)).toEqual([]);
  });

  test('ends a permission by a press, and lists what is left', async () => {
    const setting = await withWaiting();
    const { channel } = setting;
    const status = await statusOf(setting);
    const button = buttonOf(status, numbered(listWords.en.buttonRevokeOne, 2));
    expect(await channel.press(button)).toEqual({ notice: commandWords.en.revoked({ count: 1 }) });
    await channel.whenIdle();
    expect(labels(now(setting, status))).toEqual([numbered(words.buttonShow, 1), words.buttonDetails]);
    expect(await channel.press(button)).toEqual({ notice: commandWords.en.noSuchGrant });
  });

  test('tells others only what is theirs, and shows them no card of others', async () => {
    const setting = await withWaiting({ allowFrom: ['bob'] });
    const { channel } = setting;
    const id = String(setting.rows(`SELECT id FROM approvals WHERE state = 'pending'`)[0]?.id);
    const { text } = await channel.ask('/status', 'is up for', { by: 'bob', at: 'test:bob' });
    expect(text).toContain(words.waiting({ lines: [] }));
    const before = channel.textsIn('test:ada').length;
    await channel.press(`cmd:status ${id}`, { by: 'bob' });
    await channel.sees(words.noSuchCard, 'test:bob');
    expect((await channel.press(`cmd:status ${id}`, { by: 'eve' })).notice).toBe(engineWords.en.toastOnlyPeopleHere);
    expect(channel.textsIn('test:ada')).toHaveLength(before);
  });

  test('shows an approver a card that waits in a group, there', async () => {
    const config = { channels: { test: { groups: { team: { allow_from: ['*'] } } } } };
    const setting = await withWaiting({ config });
    const { channel, model } = setting;
    model.next([call('shell', { command: 'rm b' })]);
    await channel.say('remove it', { in: group });
    const card = await channel.card('test:team');
    await channel.whenIdle(group);
    const id = String(setting.rows(`SELECT id FROM approvals WHERE conversation_id = 'test:team'`)[0]?.id);
    await channel.ask(`/status ${id}`, words.shownAgainIn({ places: ['`test:team`'] }), { at: 'test:ada' });
    await channel.whenIdle(group);
    expect((await channel.card('test:team')).ref).not.toBe(card.ref);
  });
});

describe('the waiting room of a channel with a page of its own', () => {
  test('has the matters of /status with their buttons, for those who may talk', async () => {
    const setting = await withWaiting();
    const host = setting.channel.sessions.hosts.at(-1);
    const room = async (id: string) => host?.waitingRoom?.({ id, name: id, isPerson: true });
    const entries = (await room('ada')) ?? [];
    expect(entries.map(({ id }) => id.split(':')[0])).toEqual(['card', 'grant']);
    const [card, grant] = entries.map(({ buttons }) => buttons.map(({ label }) => label));
    expect([card, grant]).toEqual([[words.buttonShow], [listWords.en.buttonRevokeOne]]);
    expect(await room('eve')).toEqual([]);

    const revoke = entries[1]?.buttons[0]?.actionId ?? '';
    expect(await setting.channel.press(revoke)).toEqual({ notice: undefined });
    await setting.channel.sees(commandWords.en.revoked({ count: 1 }));
    expect((await room('ada'))?.length).toBe(1);
  });
});

test('/approve without an id, where several wait, shows each card again by a button', async () => {
  const { channel, model } = await daemonSetting();
  model.next([call('shell', { command: 'rm a' })]);
  const first = await channel.cardFor('remove a');
  await channel.say('/new');
  await channel.whenIdle();
  model.next([call('shell', { command: 'rm b' }), call('write_file', { path: 'c', content: 'c' })]);
  await channel.say('remove b');
  await channel.whenIdle();
  expect(first.kind).toBe('card');
  const list = await channel.ask('/approve', saying(engineWords.en.whichOne));
  expect(labels(list)).toEqual([numbered(words.buttonShow, 1), numbered(words.buttonShow, 2)]);
});
