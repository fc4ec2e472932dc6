import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { approvalWords } from '../../src/approval/words.ts';
import type { Conversation } from '../../src/contract.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { registrationOf } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/tool.ts';
import { type DaemonSetting, type DaemonSettingOptions, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import type { ManualClock } from '../support/manual-clock.ts';
import type { Shown } from '../support/platform-traffic.ts';
import { anyTime, anything, saidLike } from '../support/said.ts';
import { stubOf } from '../support/said-stubs.ts';
import { call, wordsOf } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';
import { deploySetting } from './deploy-setting.ts';

const adas = 'test:ada';
const bobs = 'test:bob';
const friends = 'test:fred';
const both = ['test:ada', 'test:bob'];
const bobAlone = { owners: ['test:bob'] };
const halfTime = 900_000;
const forwarded = saidLike(approvalWords.en.forwarded(anything));
const passedOn = saidLike(approvalWords.en.passedOn('deploy site'));
const unattended = saidLike(approvalWords.en.unattended({ what: 'deploy site', ...anyTime }));
const blocked = { fault: { type: 'permanent' }, of: 'send', lasts: true } as const;

/** Where cards stand that can be decided. What else could not be shown may wait beside them, with buttons of its own. */
function pressable(channel: TestChannel): readonly string[] {
  return channel.screen
    .filter(
      ({ kind, buttons }) => kind === 'card' && buttons.flat().some(({ actionId }) => !actionId.startsWith('stub:')),
    )
    .map(({ conversationId }) => conversationId);
}

/** Ada and Bob have talked in their own chats, and may have the same rights. A call waits for one of them. */
async function asked(
  options: DaemonSettingOptions & { readonly by?: string; readonly in?: Conversation; readonly at?: string } = {},
) {
  const { by = 'ada', in: conversation = direct('test', by), at, ...rest } = options;
  const around = await deploySetting({ allowFrom: ['bob', 'fred'], config: { owners: both }, ...rest });
  const { channel, model } = around;
  for (const person of ['ada', 'bob']) {
    await channel.say('hello', { by: person });
    await channel.whenIdle(direct('test', person));
  }
  model.next([call('deploy', { what: 'site' })], 'deployed');
  const card = await channel.cardFor('deploy the site', { by, in: conversation, at });
  await channel.whenIdle(conversation);
  return { ...around, card };
}

/** Resolves with the card that stands there. */
async function standing(channel: TestChannel, conversationId: string): Promise<Shown> {
  await channel.sees('Deploy site', conversationId);
  return channel.card(conversationId);
}

/** Resolves when cards stand in just these conversations. */
async function standsIn(channel: TestChannel, ...conversationIds: readonly string[]): Promise<Shown> {
  await channel.changes.waitFor(
    () => pressable(channel).toSorted().join() === conversationIds.toSorted().join() || undefined,
    {
      what: `cards in ${conversationIds.join(', ')}`,
      describe: () => channel.screen.map(({ conversationId, text }) => `[${conversationId}] ${text}`).join('\n'),
    },
  );
  return channel.card(conversationIds[0]);
}

const decisions = (setting: DaemonSetting) =>
  setting.rows(`SELECT actor FROM audit WHERE kind = 'approval-decided'`).map(({ actor }) => actor);

describe('a card whose approver is an owner no more', () => {
  test('is offered to the one who is left, ends where it stood, and is decided once', async () => {
    const { setting, channel, deploy, card } = await asked();
    await setting.edit(bobAlone);
    const offered = await standsIn(channel, bobs);
    expect(offered.text).toMatch(
      /^↪️ Asked in `test:ada` at .*\n\n🔑 \*\*Deploy site\?\*\*\n`test:\w+` \(`\w+`\) asked.*expires .*"what": "site"/s,
    );
    expect(channel.screen.find(({ ref }) => ref === card.ref)?.text).toMatch(forwarded);
    expect(await channel.press(card, { by: 'ada' })).toEqual({ notice: expect.stringContaining('may not decide') });
    await channel.press(offered, { by: 'bob' });
    await deploy.ran(1);
    await channel.sees(/^✅ .* allowed it/, adas);
    await channel.sees(/^✅ .* allowed it/, bobs);
    await channel.press(offered, { by: 'bob' });
    expect(deploy.executed).toHaveLength(1);
    expect(decisions(setting)).toEqual(['test:bob']);
  });

  test('is offered to the one who is left, also if that came about while the card was written', async () => {
    let meanwhile = async (): Promise<void> => {};
    const publish = defineTool({
      name: 'publish',
      category: 'shell',
      description: 'Publishes.',
      input: z.object({}),
      describeCall: () => 'publish',
      preview: async () => {
        await meanwhile();
        return undefined;
      },
      execute: async () => llmOnly('published'),
    });
    const { setting, channel, model, clock } = await deploySetting({
      config: { owners: both },
      allowFrom: ['bob'],
      tools: [registrationOf(publish)],
    });
    for (const person of ['ada', 'bob']) {
      await channel.say('hello', { by: person });
      await channel.whenIdle(direct('test', person));
    }
    meanwhile = async () => {
      meanwhile = async () => {};
      await setting.edit(bobAlone);
      clock.advance(1000);
    };
    model.next([call('publish', {})], 'published');
    await channel.say('publish it', { by: 'ada' });
    expect((await standsIn(channel, bobs)).text).toContain('Publish?');
  });

  test('says nothing more to them of what was asked by somebody else', async () => {
    const { setting, channel, deploy } = await asked({ by: 'fred', config: { owners: ['test:ada'] } });
    expect(pressable(channel)).toEqual([adas]);
    await setting.edit(bobAlone);
    const offered = await standsIn(channel, bobs);
    await channel.sees(passedOn, adas);
    await channel.press(offered, { by: 'bob' });
    await deploy.ran(1);
    await channel.sees(/^✅ .* allowed it/, friends);
    await channel.whenIdle(direct('test', 'ada'));
    expect(channel.textsIn(adas).filter((text) => text.includes('allowed it'))).toEqual([]);
  });

  test('and was deleted there ends without a word', async () => {
    const { setting, channel, card } = await asked({ by: 'fred', config: { owners: ['test:ada'] } });
    channel.delete(card.ref);
    await setting.edit(bobAlone);
    await standsIn(channel, bobs);
    await waitUntil(() => setting.rows(`SELECT 1 FROM outbox WHERE state = 'queued'`).length === 0);
    expect(channel.textsIn(adas)).toEqual(['echo: hello']);
  });

  test('whose chat refuses the edit and all else ends without a word, when it is back, too', async () => {
    const { setting, channel } = await asked({ by: 'fred', config: { owners: ['test:ada'] } });
    channel.failNext({ type: 'permanent' }, { lasts: true, in: adas });
    await setting.edit(bobAlone);
    await standing(channel, bobs);
    await waitUntil(() => setting.rows(`SELECT 1 FROM outbox WHERE state = 'queued'`).length === 0);
    channel.recover();
    await channel.say('hello', { by: 'ada' });
    await channel.whenIdle(direct('test', 'ada'));
    expect(channel.textsIn(adas).filter((text) => passedOn.test(text))).toEqual([]);
    expect(setting.rows(stubsOf('No longer asked'))).toEqual([]);
  });

  test('leaves the group where they were asked', async () => {
    const { setting, channel } = await asked({ in: group });
    await setting.edit(bobAlone);
    await standsIn(channel, bobs);
    await channel.sees(forwarded, 'test:team');
  });

  test('is found by the next process, if the last one ended before it was offered', async () => {
    const { setting, channel } = await asked();
    await setting.restart(bobAlone);
    await standsIn(channel, bobs);
    await setting.restart(bobAlone);
    await channel.whenIdle(direct('test', 'bob'));
    expect(pressable(channel)).toEqual([bobs]);
  });

  test('is offered though it had not been shown yet', async () => {
    const { setting, channel, model } = await deploySetting({ allowFrom: ['fred'], config: { owners: both } });
    await channel.sayAtRest('hello');
    await channel.say('hello', { by: 'bob' });
    await channel.whenIdle(direct('test', 'bob'));
    model.next([call('deploy', { what: 'site' })]);
    channel.failNext({ type: 'transient' }, { of: 'send', says: 'Deploy site' });
    await channel.say('deploy the site');
    await waitUntil(() => setting.rows('SELECT 1 FROM outbox WHERE failures = 1').length === 1);
    await setting.edit(bobAlone);
    await standsIn(channel, bobs);
  });
});

test('a question stays with the one who was asked', async () => {
  const { setting, channel, model } = await deploySetting({ allowFrom: ['bob'], config: { owners: both } });
  await channel.say('hello', { by: 'bob' });
  await channel.whenIdle(direct('test', 'bob'));
  model.next([call('ask', { question: 'Which disk?', options: ['one', 'two'] })]);
  await channel.cardFor('format a disk', { by: 'bob', at: bobs });
  await setting.edit({ owners: ['test:ada'] });
  await channel.say('hello');
  await channel.whenIdle();
  expect(pressable(channel)).toEqual([bobs]);
});

test('a card in a channel that is no longer in the config is offered elsewhere', async () => {
  const other = { name: 'other' };
  const setup = { owners: ['other:zoe', 'test:bob'] };
  const { setting, channel, model } = await deploySetting({ moreChannels: [other], config: setup });
  const [, more] = setting.channels;
  await channel.say('hello', { by: 'bob' });
  await channel.whenIdle(direct('test', 'bob'));
  model.next([call('deploy', { what: 'site' })]);
  await more?.say('deploy', { by: 'zoe', in: direct('other', 'zoe') });
  await more?.card();
  await setting.edit({ ...setup, channels: { other: { enabled: false } } }, { gone: ['other'] });
  await standsIn(channel, bobs);
});

describe('somebody who may decide from now on', () => {
  test('gets what waits for others in their own chats', async () => {
    const { setting, channel } = await asked({ by: 'fred', config: { owners: ['test:ada'] } });
    await setting.edit({ owners: both });
    await standsIn(channel, adas, bobs);
  });

  test('and never wrote before gets it with their first words, and once', async () => {
    const { setting, channel } = await asked({ by: 'fred', config: { owners: ['test:ada'] } });
    await setting.edit({ owners: ['test:ada', 'test:zoe'] });
    await channel.say('/status', { by: 'zoe' });
    await standsIn(channel, adas, 'test:zoe');
    await channel.say('hello', { by: 'zoe' });
    await channel.whenIdle(direct('test', 'zoe'));
    expect(pressable(channel)).toHaveLength(2);
  });

  test('reads in /status what is asked in chats of others, but not in a group', async () => {
    const { setting, channel } = await asked();
    const places = ['`test:ada`'];
    const line = statusWords.en.waitingLine({
      what: 'deploy site',
      until: anything,
      conversationIds: places,
    });
    await channel.ask('/status', saidLike(line), { by: 'bob' });
    await setting.edit({ owners: ['test:ada'] });
    channel.clear();
    const status = await channel.ask('/status', 'is up for', { by: 'bob' });
    expect(status.text).not.toContain('deploy site');
  });
});

describe('with nobody left who may decide', () => {
  const nobody = { owners: ['test:zoe'] };

  test('the one who asked is told once, and the card waits for the next approver', async () => {
    const { setting, channel, deploy, card } = await asked();
    await setting.edit(nobody);
    await channel.sees(unattended, adas);
    await setting.restart(nobody);
    await setting.edit({ ...nobody, agent: { instructions: 'Be brief.' } });
    await channel.whenIdle();
    expect(channel.textsIn(adas).filter((text) => unattended.test(text))).toHaveLength(1);
    await channel.press(card, { by: 'ada' });
    await setting.edit(bobAlone);
    await channel.press(await standsIn(channel, bobs), { by: 'bob' });
    await deploy.ran(1);
    expect(decisions(setting)).toEqual(['test:bob']);
  });

  test('it counts again where it stands, once its approver is one again', async () => {
    const { setting, channel, deploy, card } = await asked();
    await setting.edit(nobody);
    await channel.sees(unattended, adas);
    await setting.edit({ owners: ['test:ada'] });
    await waitUntil(() => setting.rows(`SELECT 1 FROM approvals WHERE places = '["test:ada"]'`).length === 1);
    await channel.press(card, { by: 'ada' });
    await deploy.ran(1);
  });

  test('it ends when its time is over', async () => {
    const { setting, channel, clock, deploy } = await asked();
    await setting.edit(nobody);
    await channel.sees(unattended, adas);
    clock.advance(2 * halfTime);
    await channel.sees(approvalWords.en.expired('deploy site'), adas);
    expect(deploy.executed).toEqual([]);
  });
});

describe('a chat that takes nothing any more', () => {
  test('has its open cards offered to the others, as soon as something is refused there', async () => {
    const { channel, clock, deploy } = await asked();
    channel.failNext(blocked.fault, { ...blocked, in: adas });
    clock.advance(halfTime);
    const offered = await standsIn(channel, adas, bobs).then(() => channel.card(bobs));
    await channel.press(offered, { by: 'bob' });
    await deploy.ran(1);
  });

  test('and refuses the card itself has it offered to others, and to nobody twice', async () => {
    const around = await deploySetting({ allowFrom: ['fred'], config: { owners: both } });
    const { channel, model } = around;
    await channel.sayAtRest('hello');
    channel.failNext(blocked.fault, { ...blocked, in: adas });
    model.next([call('deploy', { what: 'site' })], 'so be it');
    await channel.say('hello', { by: 'bob' });
    await channel.whenIdle(direct('test', 'bob'));
    await channel.say('deploy', { by: 'ada' });
    await standsIn(channel, bobs);
    expect(wordsOf(await model.asked(3))).not.toContain('no chat');
  });

  test('gets them back with the first words of an approver, and each stands there once', async () => {
    const { setting, channel, clock, card } = await asked({ config: { owners: ['test:ada'] } });
    await refuses(channel, clock, adas);
    await waitUntil(() => setting.rows(`SELECT 1 FROM approvals WHERE places = '[]'`).length === 1);
    channel.recover();
    await channel.say('hello', { by: 'ada' });
    await channel.sees(approvalWords.en.askedAgain('deploy site'), adas);
    await standsIn(channel, adas);
    expect(channel.screen.find(({ ref }) => ref === card.ref)?.buttons).toEqual([]);
  });

  test.each(['deleted', 'still there'])('and whose old card is %s reads of it no more than once', async (state) => {
    const { setting, channel, clock, card } = await asked({ config: { owners: ['test:ada'] } });
    await refuses(channel, clock, adas);
    await waitUntil(() => setting.rows(`SELECT 1 FROM approvals WHERE places = '[]'`).length === 1);
    channel.recover();
    if (state === 'deleted') channel.delete(card.ref);
    await channel.say('hello', { by: 'ada' });
    await standsIn(channel, adas);
    await channel.whenIdle(direct('test', 'ada'));
    await waitUntil(() => setting.rows(`SELECT 1 FROM outbox WHERE state = 'queued'`).length === 0);
    const again = channel.textsIn(adas).filter((text) => text.includes('Asked again below'));
    expect(again).toHaveLength(state === 'deleted' ? 0 : 1);
    expect(setting.rows(stubsOf('Asked again'))).toEqual([]);
  });

  test('gets them back in the thread where they were asked, whatever thread of the chat is heard', async () => {
    const thread = { ...direct('test', 'ada'), threadId: '7' };
    const config = { owners: ['test:ada'] };
    const { setting, channel, clock } = await asked({ in: thread, at: 'test:ada:#7', config });
    for (const conversationId of [adas, 'test:ada:#7'])
      channel.failNext(blocked.fault, { ...blocked, in: conversationId });
    clock.advance(halfTime);
    await waitUntil(() => setting.rows(`SELECT 1 FROM approvals WHERE places = '[]'`).length === 1);
    channel.recover();
    await channel.say('hello', { by: 'ada' });
    await channel.sees(approvalWords.en.askedAgain('deploy site'), 'test:ada:#7');
    await standsIn(channel, 'test:ada:#7');
  });

  test('has a card that was parked there offered to the others, too', async () => {
    const { setting, channel, clock, deploy } = await parked('ada');
    await refuses(channel, clock, adas);
    const offered = await standing(channel, bobs);
    expect(setting.rows('SELECT 1 FROM outbox WHERE parked_at IS NOT NULL AND buttons IS NOT NULL')).toEqual([]);
    await channel.press(offered, { by: 'bob' });
    await deploy.ran(1);
  });
});

test('where a card was parked and nobody has seen it, its stub alone says that others decide', async () => {
  const { setting, channel } = await parked('fred');
  channel.recover();
  await setting.edit(bobAlone);
  await standing(channel, bobs);
  await channel.sees(passedOn, adas);
  await channel.whenIdle(direct('test', 'ada'));
  expect(channel.textsIn(adas)).toEqual(['echo: hello', expect.stringMatching(passedOn)]);
});

test('where a card was parked and its owner is none any more, with nobody left, that is told once', async () => {
  const { setting, channel } = await parked('ada');
  channel.recover();
  const nobody = { owners: ['test:zoe'] };
  await setting.edit(nobody);
  await channel.sees(unattended, adas);
  await setting.edit({ ...nobody, agent: { instructions: 'Be brief.' } });
  await setting.restart(nobody);
  await channel.whenIdle(direct('test', 'ada'));
  expect(channel.textsIn(adas).filter((text) => unattended.test(text))).toHaveLength(1);
});

/** The stubs of messages that say this. */
const stubsOf = (words: string): string =>
  `SELECT 1 FROM outbox WHERE stub_of IN (SELECT id FROM outbox WHERE markdown LIKE '%${words}%')`;

/** The chat takes nothing any more, which shows at half time. */
async function refuses(channel: TestChannel, clock: ManualClock, conversationId: string): Promise<void> {
  channel.failNext(blocked.fault, { ...blocked, in: conversationId });
  clock.advance(halfTime);
}

/** Ada's card could not be shown: its stub stands in its place. */
async function parked(by: string) {
  const config = { owners: by === 'ada' ? both : ['test:ada'] };
  const around = await deploySetting({ allowFrom: ['bob', 'fred'], config });
  const { channel, clock, model } = around;
  for (const person of ['ada', 'bob']) {
    await channel.say('hello', { by: person });
    await channel.whenIdle(direct('test', person));
  }
  model.next([call('deploy', { what: 'site' })], 'deployed');
  channel.failNext({ type: 'transient', isBlocked: true }, { says: '**Deploy site?**', lasts: true, in: adas });
  await channel.say('deploy the site', { by });
  for (const pause of [500, 1000, 2000, 4000, 8000]) await clock.passes(pause);
  await channel.sees(stubOf(), adas);
  await waitUntil(() => around.setting.rows('SELECT 1 FROM outbox WHERE parked_at IS NOT NULL').length === 1);
  return around;
}
