import { describe, expect, test } from 'vitest';
import { peoplePageWords } from '../../../../src/features/page/people/words.ts';
import type { CommandOutcome } from '../../../../src/features/page/wire/command.ts';
import type {
  ListingNames,
  ListingShown,
  PeopleOverview,
  RowShown,
} from '../../../../src/features/page/wire/people.ts';
import { group } from '../../../support/daemon-setting.ts';
import { pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { refused, told } from '../../../support/page/told.ts';
import { useTool } from '../../../support/use-tool.ts';

const bob = { by: 'bob' };

async function people() {
  const setting = await pageSetting({ config: { tools: { schedule: { time_zone: 'UTC' } } } });
  const [owner, friend] = [await setting.browser(), await setting.browser('bob')];
  return { setting, daemon: setting.daemon, channel: setting.daemon.channel, owner, friend };
}

const listed = (who: SignedIn, name: string, query = '') => told<ListingShown>(who.get(`listings/${name}?${query}`));

async function titles(who: SignedIn, name: string, query = ''): Promise<readonly string[]> {
  return (await listed(who, name, query)).rows.map(({ title }) => title);
}

/** Presses the button of a row whose command begins so; a text goes on its line. */
function press(who: SignedIn, row: RowShown | undefined, command: string, text?: string): Promise<CommandOutcome> {
  const act = row?.acts.find(({ line }) => line.startsWith(command));
  if (act === undefined) throw new Error(`no ${command} in ${JSON.stringify(row)}`);
  const line = text === undefined ? act.line : `${act.line} ${text}`;
  return told(who.post('command', { line, ...(act.conversationId && { conversationId: act.conversationId }) }));
}

describe('the lists of a person', () => {
  test('are named, those of owners to owners alone', async () => {
    const { owner, friend } = await people();
    const { names } = await told<ListingNames>(owner.get('listings'));
    expect(names.toSorted()).toEqual(['devices', 'links', 'memories', 'pins', 'schedules', 'trust']);
    expect((await told<ListingNames>(friend.get('listings'))).names).toEqual(names.filter((name) => name !== 'trust'));
    const notThere = { status: 404, error: peoplePageWords.en.noSuchList };
    expect(await refused(friend.get('listings/trust'))).toEqual(notThere);
    expect(await refused(owner.get('listings/__proto__'))).toEqual(notThere);
  });

  test('have what is theirs, and nothing of anybody else, even for an owner; but for the devices', async () => {
    const { daemon, channel, owner, friend } = await people();
    await useTool(daemon, 'memory_store', { text: 'Ada keeps bees.' });
    await useTool(daemon, 'memory_store', { text: 'Bob keeps secrets.' }, bob);
    await useTool(daemon, 'memory_store', { text: 'Bob sings in the team.' }, { ...bob, in: group });
    await useTool(daemon, 'remind', { text: 'feed the bees', in_minutes: 60 });
    await useTool(daemon, 'remind', { text: 'call Eve', in_minutes: 60 }, bob);
    await channel.askAtRest('/pin bees', '1');
    await channel.askAtRest('/pin secrets', '1', { ...bob, at: 'test:bob' });
    expect(await titles(owner, 'memories')).toEqual(['Ada keeps bees.']);
    expect(await titles(friend, 'memories')).toEqual(['Bob sings in the team.', 'Bob keeps secrets.']);
    expect(await titles(owner, 'schedules')).toEqual(['feed the bees']);
    expect(await titles(friend, 'schedules')).toEqual(['call Eve']);
    expect(await titles(owner, 'pins')).toEqual(['bees']);
    expect(await titles(friend, 'pins')).toEqual(['secrets']);
    expect((await listed(friend, 'devices')).rows.map(({ isCurrent }) => isCurrent)).toEqual([true]);
    expect((await listed(owner, 'devices')).rows.map(({ isCurrent }) => isCurrent)).toEqual([true, false]);
    expect((await listed(friend, 'links')).rows.map(({ id }) => id)).toEqual(['test:bob']);
  });

  test('are acted on only by their person', async () => {
    const { daemon, friend } = await people();
    await useTool(daemon, 'memory_store', { text: 'Ada keeps bees.' });
    await useTool(daemon, 'remind', { text: 'feed the bees', in_minutes: 60 });
    const [{ id: memory } = {}] = daemon.all('memories');
    const [{ id: schedule } = {}] = daemon.all('schedules');
    const [{ id: device } = {}] = daemon.rows("SELECT id FROM devices WHERE principal = 'test:ada'");
    for (const line of [
      `memories edit ${memory} gone`,
      `memories forget ${memory}`,
      `schedules edit ${schedule} gone`,
      `schedules time ${schedule} 2030-01-01T10:00`,
      `schedules cancel ${schedule}`,
      `schedules run ${schedule}`,
      `devices revoke ${device}`,
    ])
      await told(friend.post('command', { line }));
    expect(daemon.rows('SELECT text FROM memories')).toEqual([{ text: 'Ada keeps bees.' }]);
    expect(daemon.rows('SELECT text, cron FROM schedules')).toEqual([{ text: 'feed the bees', cron: null }]);
    expect(daemon.rows('SELECT id FROM devices WHERE revoked_at IS NOT NULL')).toEqual([]);
  });

  test('go on where they were cut, and are searched', async () => {
    const { daemon, owner } = await people();
    for (let count = 1; count <= 53; count += 1)
      daemon.tamper(`INSERT INTO memories (id, principal, conversation_id, scope, digest, tags, stored_at, text)
        VALUES ('m${count}', 'test:ada', 'test:ada', 'everywhere', '${count}', '[]', 0, 'number ${count}')`);
    await useTool(daemon, 'memory_store', { text: 'The well is deep.' });
    const first = await listed(owner, 'memories');
    expect([first.rows.length, first.rows[0]?.title, first.rows.at(-1)?.title]).toEqual([
      50,
      'The well is deep.',
      'number 5',
    ]);
    const second = await listed(owner, 'memories', `after=${first.next}`);
    expect([second.rows.map(({ title }) => title), second.next]).toEqual([
      ['number 4', 'number 3', 'number 2', 'number 1'],
      undefined,
    ]);
    expect(await titles(owner, 'memories', 'search=wells')).toEqual(['The well is deep.']);
    expect(await titles(owner, 'memories', 'after=nonsense')).toEqual([]);
  });
});

describe('an entry of a list', () => {
  test('of what is planned gets another text and time, is run, and cancelled', async () => {
    const { daemon, channel, owner } = await people();
    await useTool(daemon, 'remind', { text: 'feed the bees', in_minutes: 60 });
    const row = async () => (await listed(owner, 'schedules')).rows[0];
    const text = 'feed the bees\nand the hens';
    expect((await press(owner, await row(), 'schedules edit', text)).markdown).toContain('and the hens');
    expect((await row())?.text).toBe(text);
    await press(owner, await row(), 'schedules time', '0 9 * * 1-5');
    expect((await row())?.notes).toContain('every weekday at 09:00, UTC');
    expect((await row())?.acts.find(({ line }) => line.startsWith('schedules time'))?.text?.now).toBe('0 9 * * 1-5');
    expect((await press(owner, await row(), 'schedules run')).markdown).toContain('feed the bees');
    await channel.sees('and the hens', 'test:ada');
    expect((await row())?.instants).toHaveLength(3);
    await press(owner, await row(), 'schedules cancel');
    expect(await row()).toBeUndefined();
  });

  test('of what is remembered gets another text, by which it is then found, and is forgotten', async () => {
    const { daemon, owner } = await people();
    await useTool(daemon, 'memory_store', { text: 'Ada keeps bees.', tags: ['animals'] });
    const [row] = (await listed(owner, 'memories')).rows;
    await press(owner, row, 'memories edit', 'Ada keeps goats.');
    expect(await useTool(daemon, 'memory_search', { query: 'goats' })).toContain('Ada keeps goats.');
    expect(await titles(owner, 'memories', 'search=bees')).toEqual([]);
    expect(await titles(owner, 'memories', 'search=animals')).toEqual(['Ada keeps goats.']);
    await press(owner, row, 'memories forget');
    expect(await titles(owner, 'memories')).toEqual([]);
    expect(await useTool(daemon, 'memory_search', { query: 'goats' })).not.toContain('Ada keeps goats.');
  });

  test('of pinned facts is taken away where it is pinned; an owner’s device cuts off any other', async () => {
    const { daemon, channel, owner, friend } = await people();
    await channel.askAtRest('/pin bees', '1');
    await press(owner, (await listed(owner, 'pins')).rows[0], 'unpin');
    expect(await titles(owner, 'pins')).toEqual([]);
    expect(daemon.rows("SELECT pinned FROM conversations WHERE id = 'test:ada'")).toEqual([{ pinned: '[]' }]);
    const other = (await listed(owner, 'devices')).rows.find(({ isCurrent }) => isCurrent !== true);
    await told(owner.post('command', { line: other?.acts[0]?.line ?? '' }));
    expect((await friend.get('me')).status).toBe(401);
  });
});

describe('who may talk', () => {
  test('is told to owners: who asks, who was let in and by whom, who was refused', async () => {
    const { channel, owner } = await people();
    const overview = () => told<PeopleOverview>(owner.get('people/overview'));
    await channel.say('hello', { by: 'eve' });
    await channel.say('hello', { by: 'zoe' });
    await channel.whenIdle();
    const { waiting, owners } = await overview();
    expect(owners).toContain('test:ada');
    expect(waiting.map(({ principal, name }) => ({ principal, name }))).toEqual([
      { principal: 'test:eve', name: 'Eve' },
      { principal: 'test:zoe', name: 'Zoe' },
    ]);
    await told(owner.post('command', { line: 'pair test:eve' }));
    await told(owner.post('command', { line: 'people refuse test:zoe' }));
    const { paired, refused: turnedDown, waiting: left } = await overview();
    expect(paired).toEqual([expect.objectContaining({ principal: 'test:eve', by: expect.stringMatching(/^device:/) })]);
    expect(turnedDown).toEqual([expect.objectContaining({ principal: 'test:zoe', name: 'Zoe' })]);
    expect(left).toEqual([]);
    await channel.ask('hello', 'echo: hello', { by: 'eve', at: 'test:eve' });
    await told(owner.post('command', { line: 'unpair test:eve' }));
    expect((await overview()).paired).toEqual([]);
  });

  test('and how the channels are, with what was wrong last', async () => {
    const { channel, owner } = await people();
    channel.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason: 'the line is cut' });
    const shown = async () =>
      (await told<PeopleOverview>(owner.get('people/overview'))).channels.find(({ name }) => name === 'test');
    expect(await shown()).toMatchObject({ status: 'failing', reason: 'the line is cut' });
    channel.sessions.hosts.at(-1)?.reportHealth({ status: 'connected', account: '@keyturn' });
    expect(await shown()).toMatchObject({
      status: 'connected',
      account: '@keyturn',
      lastFault: { reason: 'the line is cut' },
    });
  });

  test('is not told to others', async () => {
    const { friend } = await people();
    expect((await friend.get('people/overview')).status).toBe(404);
  });
});
