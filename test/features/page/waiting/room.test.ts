import { expect, test } from 'vitest';
import { z } from 'zod';
import { commandWords } from '../../../../src/conversation/commands/words.ts';
import type { RunPage, Timeline } from '../../../../src/features/page/wire/activity.ts';
import type { CommandOutcome } from '../../../../src/features/page/wire/command.ts';
import type { DecidedList, WaitingCount, WaitingRoom } from '../../../../src/features/page/wire/waiting.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { llmOnly } from '../../../../src/tools/output.ts';
import { registrationOf } from '../../../../src/tools/registry.ts';
import { defineTool } from '../../../../src/tools/tool.ts';
import { DeviceClient } from '../../../support/gateway/device-client.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { pageSetting, paired, SignedIn } from '../../../support/page/page-setting.ts';
import { call, held } from '../../../support/scripted-model.ts';
import { waitUntil } from '../../../support/wait-for.ts';

async function read<Answer>(response: Promise<Response>): Promise<Answer> {
  const answer = await response;
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text());
}

const room = (browser: SignedIn) => read<WaitingRoom>(browser.get('waiting'));

const wipe = registrationOf(
  defineTool({
    name: 'wipe',
    category: 'destructive',
    description: 'Wipes a disk.',
    input: z.object({ disk: z.string() }),
    describeCall: ({ disk }) => `wipe ${disk}`,
    execute: async () => llmOnly('gone'),
  }),
);

test('an answer on a device waits for who opens its conversation, over a restart: it is no message that did not arrive', async () => {
  const setting = await pageSetting({ config: { gateway: { enabled: true } } });
  const { daemon } = setting;
  const { token } = await paired(setting);
  const client = new DeviceClient(daemon.gatewayAddress, { token });
  await client.greet();
  const answer = held('It is done.');
  daemon.model.next(answer.script);
  client.send({ type: 'message', content: 'do it' });
  await daemon.model.asked(1);
  client.socket.terminate();
  const browser = await setting.browser();
  answer.release();
  const waiting = `SELECT failing_since FROM outbox WHERE conversation_id LIKE 'device:%' AND kind = 'reply' AND state = 'queued'`;
  await waitUntil(() => daemon.rows(waiting)[0]);
  await daemon.restart();
  expect(daemon.rows(waiting)).toEqual([{ failing_since: expect.any(Number) }]);
  const after = new SignedIn(daemon.gatewayAddress, browser);
  expect((await room(after)).undelivered).toEqual([]);
  const { runs } = await read<RunPage>(after.get('runs?channel=device'));
  const { deliveries } = await read<Timeline>(after.get(`runs/${runs[0]?.id}`));
  expect(deliveries.map(({ kind, state }) => [kind, state])).toEqual([['reply', 'awaited']]);
});

test.each(['ada', 'bob'])('a message that was not delivered to Bob is sent again by %s', async (by) => {
  const setting = await pageSetting();
  const { channel } = setting.daemon;
  const browser = await setting.browser(by);
  channel.failNext({ type: 'permanent' }, { says: 'echo: lost', lasts: true });
  await channel.say('lost', { by: 'bob' });
  await channel.sees('the platform is permanent');
  await expect.poll(async () => (await room(browser)).undelivered.map(({ fate }) => fate)).toEqual(['asks']);
  const [entry] = (await room(browser)).undelivered;
  expect(entry).toMatchObject({ conversation: { channel: 'test' }, reason: 'the platform is permanent' });
  channel.recover();
  const wish: JsonObject = { line: `retry ${entry?.id}` };
  const there = by === 'ada' ? wish : { ...wish, conversationId: entry?.conversation.id ?? '' };
  const told = await read<CommandOutcome>(browser.post('command', there));
  expect(told.markdown).toBe(commandWords.en.triedAgain);
  await channel.sees('echo: lost');
  await expect.poll(async () => (await room(browser)).undelivered).toEqual([]);
});

test('a friend learns of no message that others were not sent', async () => {
  const setting = await pageSetting();
  const { channel } = setting.daemon;
  const friend = await setting.browser('bob');
  channel.failNext({ type: 'permanent' }, { says: 'echo: lost', lasts: true });
  await channel.say('lost', { by: 'ada' });
  await channel.sees('the platform is permanent');
  expect((await room(friend)).undelivered).toEqual([]);
});

test('strangers who ask are told to owners alone', async () => {
  const setting = await pageSetting();
  const [owner, friend] = [await setting.browser('ada'), await setting.browser('bob')];
  await setting.daemon.channel.say('let me in', { by: 'eve' });
  await setting.daemon.channel.whenIdle();
  expect((await room(owner)).matters).toEqual([
    expect.objectContaining({ id: 'strangers', buttons: [expect.objectContaining({ line: 'people' })] }),
  ]);
  expect((await room(friend)).matters).toEqual([]);
  expect(await read<WaitingCount>(owner.get('waiting/count'))).toEqual({ count: 1, dangerous: 0 });
});

test('several calls on one card are told each, and what may do harm is named as such', async () => {
  const setting = await pageSetting({ tools: [wipe, unlock] });
  const owner = await setting.browser('ada');
  const { channel, model } = setting.daemon;
  model.next([call('wipe', { disk: 'a' }), call('wipe', { disk: 'b' })], 'Done.');
  await channel.say('wipe them');
  await channel.card();
  const { cards } = await room(owner);
  expect(cards.flatMap(({ calls }) => calls.map((one) => one.arguments.disk)).toSorted()).toEqual(['a', 'b']);
  expect(cards.every(({ isDangerous, danger }) => isDangerous && danger !== '')).toBe(true);
  for (const { choices } of cards) expect(choices[0]).toMatchObject({ isYes: false });
  expect((await read<WaitingCount>(owner.get('waiting/count'))).dangerous).toBe(cards.length);
});

test('what was decided is told a page at a time, each once, and found by its words', async () => {
  const setting = await pageSetting({ tools: [unlock] });
  const owner = await setting.browser('ada');
  const { channel, model } = setting.daemon;
  model.next([call('unlock', { door: 'front' })], 'Done.');
  await channel.say('open it');
  await channel.press(await channel.card());
  await channel.sees('Done.');
  const [first] = (await read<DecidedList>(owner.get('decided'))).entries;
  await setting.daemon.stop();
  setting.daemon.tamper(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 130)
    INSERT INTO approvals (id, call_id, conversation_id, requester, requester_name, tool_name, description, hash, grantable, state, places, created_at, expires_at, decided_by, decided_at)
    SELECT 'made' || n, call_id, conversation_id, requester, requester_name, iif(n = 7, 'seventh', tool_name), description, hash, grantable, state, places, created_at, expires_at, decided_by, decided_at - n / 2
    FROM approvals, numbers WHERE id = '${first?.id}'`);
  await setting.daemon.start();
  const again = await setting.browser('ada');
  const ids: string[] = [];
  for (let before = ''; ; ) {
    const { entries, next } = await read<DecidedList>(again.get(`decided?before=${before}`));
    ids.push(...entries.map(({ id }) => id));
    if (next === undefined) break;
    before = next;
  }
  expect(ids).toHaveLength(131);
  expect(new Set(ids).size).toBe(131);
  const found = await read<DecidedList>(again.get('decided?text=SEVENTH'));
  expect(found.entries.map(({ id }) => id)).toEqual(['made7']);
  expect((await read<DecidedList>(again.get('decided?state=denied'))).entries).toEqual([]);
});
