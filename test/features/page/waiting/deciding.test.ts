import { expect, test } from 'vitest';
import { waitingWords } from '../../../../src/features/page/waiting/words.ts';
import type { CommandOutcome } from '../../../../src/features/page/wire/command.ts';
import type {
  DecideAnswer,
  DecidedList,
  GrantList,
  Standing,
  WaitingCard,
  WaitingCount,
  WaitingRoom,
} from '../../../../src/features/page/wire/waiting.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { type PageSetting, pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { call } from '../../../support/scripted-model.ts';

async function read<Answer>(response: Promise<Response>): Promise<Answer> {
  const answer = await response;
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text());
}

const room = (browser: SignedIn) => read<WaitingRoom>(browser.get('waiting'));

/** The one card that waits. */
async function onlyCard(browser: SignedIn): Promise<WaitingCard> {
  const { cards } = await room(browser);
  const [card] = cards;
  if (card === undefined || cards.length > 1) throw new Error(`not one card: ${JSON.stringify(cards)}`);
  return card;
}

const decide = (browser: SignedIn, { id }: { id: string }, choice: string, text?: string) =>
  read<DecideAnswer>(browser.post('decide', { id, choice, ...(text === undefined ? {} : { text }) }));

const press = (browser: SignedIn, card: WaitingCard, verb: string, text?: string) =>
  decide(browser, card, `ap:${card.id}:${verb}`, text);

/** Bob is a friend, whose call an owner has to allow. Ada has a chat. */
async function asked({ by = 'ada' } = {}): Promise<{ setting: PageSetting; owner: SignedIn; friend: SignedIn }> {
  const setting = await pageSetting({ tools: [unlock] });
  const { channel, model } = setting.daemon;
  const [owner, friend] = [await setting.browser('ada'), await setting.browser('bob')];
  await channel.ask('hello', 'echo: hello', { by });
  model.next([call('unlock', { door: `fr\u202eont${'x'.repeat(3000)}` })], 'Done.');
  channel.clear();
  await channel.say('open the front door', { by });
  await channel.card();
  return { setting, owner, friend };
}

test('a card has all that is needed to decide, and is allowed as by a press on it', async () => {
  const { setting, owner } = await asked({ by: 'bob' });
  const card = await onlyCard(owner);
  expect(card).toMatchObject({
    kind: 'call',
    tool: 'unlock',
    category: 'hardware',
    description: expect.stringContaining('unlock the'),
    requester: { principal: 'test:bob', isReader: false },
    conversation: { channel: 'test', kind: 'direct' },
    isDangerous: false,
    takesText: false,
  });
  expect(card.reason).toContain('hardware');
  expect(card.notes.join()).toContain('open the front door');
  expect(card.calls.map((one) => one.arguments)).toEqual([{ door: `fr\\u202eont${'x'.repeat(3000)}` }]);
  expect(card.choices.map(({ id }) => id.split(':').at(-1))).not.toContain('v');
  expect(card.expiresAt).toBe(card.createdAt + 1_800_000);
  expect(await read<WaitingCount>(owner.get('waiting/count'))).toEqual({ count: 1, dangerous: 0 });

  expect(await press(owner, card, 'a')).toMatchObject({ isDone: true, state: 'approved', by: { isReader: true } });
  await setting.daemon.channel.sees('Done.');
  expect((await room(owner)).cards).toEqual([]);
  const [noted] = setting.daemon.rows(`SELECT actor FROM audit WHERE kind = 'approval-decided'`);
  expect(noted?.actor).toMatch(/^device:/);
});

test('who may not decide it sees no card, cannot ask for it, and decides nothing', async () => {
  const { setting, owner, friend } = await asked({ by: 'bob' });
  const card = await onlyCard(owner);
  expect((await room(friend)).cards).toEqual([]);
  expect((await friend.get(`waiting/${card.id}`)).status).toBe(404);
  expect(await press(friend, card, 'a')).toMatchObject({ isDone: false, words: expect.stringContaining('approver') });
  expect((await onlyCard(owner)).id).toBe(card.id);
  expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'approval-decided'`)).toEqual([]);
});

test('a friend learns nothing of what an owner was asked', async () => {
  const { owner, friend } = await asked();
  const card = await onlyCard(owner);
  expect((await room(friend)).cards).toEqual([]);
  await press(owner, card, 'w');
  expect(await read<Standing>(friend.get(`decided/${card.id}`))).toEqual({ state: 'unknown' });
  expect((await read<DecidedList>(friend.get('decided'))).entries).toEqual([]);
  expect((await read<GrantList>(friend.get('grants'))).grants).toEqual([]);
});

test('a denial with a reason is read by the model, and stands among what was decided', async () => {
  const { setting, owner, friend } = await asked({ by: 'bob' });
  const card = await onlyCard(owner);
  expect(await press(owner, card, 'r', 'it is late')).toMatchObject({ isDone: true, state: 'denied' });
  await setting.daemon.channel.sees('Done.');
  expect(JSON.stringify(setting.daemon.model.last.messages)).toContain('it is late');
  for (const browser of [owner, friend]) {
    const { entries } = await read<DecidedList>(browser.get('decided'));
    expect(entries).toEqual([
      expect.objectContaining({
        id: card.id,
        state: 'denied',
        tool: 'unlock',
        cause: 'open the front door',
        by: expect.objectContaining({ name: expect.stringContaining('Ada'), isReader: browser === owner }),
        outcomes: [expect.objectContaining({ tool: 'unlock', outcome: 'denied' })],
      }),
    ]);
  }
});

test('one decision counts: the second browser is told how it stands, and who decided', async () => {
  const { setting, owner } = await asked();
  const other = await setting.browser('ada');
  const card = await onlyCard(owner);
  const answers = await Promise.all([press(owner, card, 'a'), press(other, card, 'd')]);
  expect(answers.map(({ isDone }) => isDone).toSorted()).toEqual([false, true]);
  expect(new Set(answers.map(({ state }) => state)).size).toBe(1);
  expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'approval-decided'`)).toHaveLength(1);
});

test('what was decided in the chat meanwhile is decided', async () => {
  const { setting, owner } = await asked();
  const card = await onlyCard(owner);
  const { channel } = setting.daemon;
  await channel.press(await channel.card());
  await channel.sees('Done.');
  expect(await press(owner, card, 'd')).toMatchObject({
    isDone: false,
    state: 'approved',
    by: { principal: 'test:ada', isReader: true },
  });
  expect(await read<Standing>(owner.get(`decided/${card.id}`))).toMatchObject({ state: 'approved' });
});

test('what has expired says so', async () => {
  const { setting, owner } = await asked();
  const card = await onlyCard(owner);
  setting.daemon.clock.advance(1_800_001);
  expect(await press(owner, card, 'a')).toMatchObject({ isDone: false, state: 'expired' });
  expect((await room(owner)).cards).toEqual([]);
  const { entries } = await read<DecidedList>(owner.get('decided?state=expired'));
  expect(entries.map(({ id, by }) => [id, by])).toEqual([[card.id, undefined]]);
});

test('a press that was not stored when the process was killed can be made again', async () => {
  const { setting, owner } = await asked();
  const card = await onlyCard(owner);
  const pressed = press(owner, card, 'a').catch(() => undefined);
  await setting.daemon.dies();
  await pressed;
  await setting.daemon.start();
  const again = await setting.browser('ada');
  const { cards } = await room(again);
  if (cards.length > 0) expect(await press(again, card, 'a')).toMatchObject({ state: 'approved' });
  await setting.daemon.channel.sees('Done.');
  expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'approval-decided'`)).toHaveLength(1);
});

test('a question is answered by its person alone, by an option or in words', async () => {
  const setting = await pageSetting();
  const { channel, model } = setting.daemon;
  const [owner, friend] = [await setting.browser('ada'), await setting.browser('bob')];
  for (const [choice, text, read] of [
    ['', 'Milk, please', 'Milk, please'],
    ['1', '', 'Coffee'],
  ] as const) {
    model.next([call('ask', { question: 'Tea or *coffee*?', options: ['Tea', 'Coffee'] })], `Fine, ${read}.`);
    await channel.say('a drink', { by: 'bob' });
    await channel.sees('Tea or');
    expect((await room(owner)).cards).toEqual([]);
    const card = await onlyCard(friend);
    expect(card).toMatchObject({ kind: 'question', description: 'Tea or *coffee*?', takesText: true, calls: [] });
    const chosen = choice === '' ? 'text' : `as:${card.id}:${choice}`;
    expect(await decide(owner, card, chosen, text)).toMatchObject({ isDone: false });
    expect(await decide(friend, card, chosen, text)).toMatchObject({ isDone: true, state: 'answered' });
    await channel.sees(`Fine, ${read}.`);
    expect(JSON.stringify(model.last.messages)).toContain(read);
  }
});

test('a choice that the card does not have is refused, and changes nothing', async () => {
  const { owner } = await asked();
  const card = await onlyCard(owner);
  const bodies: readonly JsonObject[] = [
    {},
    { id: card.id, choice: 'ap:other:a' },
    { id: card.id, choice: `ap:${card.id}:v` },
    { id: card.id, choice: 'yes' },
    { id: card.id, choice: `ap:${card.id}:r`, text: 'x'.repeat(5000) },
  ];
  for (const body of bodies) {
    const answer = await owner.post('decide', body);
    expect([answer.status, await answer.json()]).toEqual([400, { error: waitingWords.en.wrongDecision }]);
  }
  expect((await onlyCard(owner)).id).toBe(card.id);
});

test('a permission is listed for who gave it and ends where they look at it, whatever chat it is of', async () => {
  const { setting, owner, friend } = await asked({ by: 'bob' });
  await press(owner, await onlyCard(owner), 'w');
  await setting.daemon.channel.sees('Done.');
  const { grants } = await read<GrantList>(owner.get('grants'));
  expect(grants).toEqual([expect.objectContaining({ kind: 'window', tool: 'unlock', uses: 0 })]);
  const ids = grants.map(({ id }) => id);
  expect((await read<GrantList>(friend.get('grants'))).grants.map(({ id }) => id)).toEqual(ids);
  const third = await setting.browser('ada');
  expect(await read(third.post('grants/revoke', { ids }))).toEqual({ count: 1 });
  expect(await read(third.post('grants/revoke', { ids }))).toEqual({ count: 0 });
  expect((await read<GrantList>(owner.get('grants'))).grants).toEqual([]);
  expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'grant-revoked'`)).toHaveLength(1);
});

test('of two browsers that end a permission at the same time, one does', async () => {
  const { setting, owner, friend } = await asked({ by: 'bob' });
  await press(owner, await onlyCard(owner), 'w');
  await setting.daemon.channel.sees('Done.');
  const { grants } = await read<GrantList>(owner.get('grants'));
  const ids = grants.map(({ id }) => id);
  const answers = await Promise.all(
    [owner, friend].map((browser) => read<{ count: number }>(browser.post('grants/revoke', { ids }))),
  );
  expect(answers.map(({ count }) => count).toSorted()).toEqual([0, 1]);
  expect(setting.daemon.rows(`SELECT * FROM audit WHERE kind = 'grant-revoked'`)).toHaveLength(1);
});

test('a file that will be written is shown as it is and as it would be', async () => {
  const setting = await pageSetting({
    files: { 'notes.txt': 'one\ntwo\n' },
    config: { approval: { policy: 'always_require' } },
  });
  const { channel, model } = setting.daemon;
  const owner = await setting.browser('ada');
  model.next([call('edit_file', { path: 'notes.txt', old_text: 'two', new_text: 'zw\u200bei' })], 'Done.');
  await channel.say('translate it');
  await channel.card();
  const { files } = await onlyCard(owner);
  expect(files).toEqual([{ path: 'notes.txt', before: 'one\ntwo\n', after: 'one\nzw\\u200bei\n', isCut: false }]);
});

test('whether their own run may go on is decided by its person, whichever of their accounts began it', async () => {
  const setting = await pageSetting({ config: { agent: { max_turns: 1 } }, tools: [unlock] });
  const { channel, model } = setting.daemon;
  const [friend, stranger] = [await setting.browser('bob'), await setting.browser('ada')];
  model.next([call('no_such_tool', {})], 'All done.');
  await channel.say('look around', { by: 'bob' });
  await channel.sees('May I');
  const card = await onlyCard(friend);
  expect(card).toMatchObject({ kind: 'extension', calls: [], requester: { isReader: true } });
  expect(card.choices.map(({ isYes }) => isYes)).toEqual([true, false]);
  expect((await onlyCard(stranger)).id).toBe(card.id);
  expect(await press(friend, card, 'a')).toMatchObject({ isDone: true, state: 'approved' });
  await channel.sees('All done.');
});

test('who may decide and is no owner is shown the change as on the card, and not the whole file of somebody else', async () => {
  const setting = await pageSetting({
    files: { 'notes.txt': 'one\ntwo\n' },
    config: { approval: { policy: 'always_require', approvers: ['test:bob'] } },
  });
  const { channel, model } = setting.daemon;
  const friend = await setting.browser('bob');
  await channel.ask('hello', 'echo: hello', { by: 'bob' });
  model.next([call('edit_file', { path: 'notes.txt', old_text: 'two', new_text: 'zwei' })], 'Done.');
  await channel.say('translate it', { by: 'ada' });
  await channel.card();
  const { files, body } = await onlyCard(friend);
  expect(files).toEqual([]);
  expect(body).toContain('+zwei');
});

test('a rule that a card offers is asked about by its command, and then allowed with the card', async () => {
  const setting = await pageSetting({ config: { approval: { policy: 'always_require' } } });
  const { channel, model } = setting.daemon;
  const owner = await setting.browser('ada');
  const offered = async (number: number): Promise<WaitingCard> => {
    model.next([call('write_file', { path: `notes/${number}.md`, content: `${number}` })], `Wrote ${number}.`);
    await channel.say('write it');
    await channel.card();
    const card = await onlyCard(owner);
    if (card.offer !== undefined || number > 20) return card;
    await press(owner, card, 'a');
    await channel.sees(`Wrote ${number}.`);
    return offered(number + 1);
  };
  const { id, offer } = await offered(1);
  expect(offer).toMatchObject({ line: expect.stringContaining(id), conversationId: 'test:ada' });
  const give = (line: string) =>
    read<CommandOutcome>(owner.post('command', { line, conversationId: offer?.conversationId ?? '' }));
  const [allow] = (await give(offer?.line ?? '')).buttons;
  await give(allow?.line ?? '');
  expect((await room(owner)).cards).toEqual([]);
  expect((await read<GrantList>(owner.get('grants'))).grants).toMatchObject([{ kind: 'rule', tool: 'write_file' }]);
});
