import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunPage } from '../../../../src/features/page/wire/activity.ts';
import type {
  CallOutput,
  ChatEntry,
  ConversationEntries,
  ConversationList,
  ListedConversation,
} from '../../../../src/features/page/wire/chat.ts';
import type { WaitingRoom } from '../../../../src/features/page/wire/waiting.ts';
import { group } from '../../../support/daemon-setting.ts';
import { DeviceClient } from '../../../support/gateway/device-client.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { type PageSetting, pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { call, held } from '../../../support/scripted-model.ts';
import { png } from '../../../support/test-attachments.ts';

const adasChat = 'test:ada';

async function got<Answer>(browser: SignedIn, path: string): Promise<Answer> {
  const answer = await browser.get(path);
  expect(answer.status, path).toBe(200);
  return JSON.parse(await answer.text());
}

async function list(browser: SignedIn): Promise<readonly ListedConversation[]> {
  return (await got<ConversationList>(browser, 'conversations')).conversations;
}

async function entriesOf(browser: SignedIn, id: string, before?: string): Promise<ConversationEntries> {
  const query = before === undefined ? '' : `?before=${before}`;
  return got(browser, `conversations/${encodeURIComponent(id)}/entries${query}`);
}

/** What stands in the entries, in short. */
const words = (entries: readonly ChatEntry[]): readonly string[] => entries.map(inShort);

function inShort(entry: ChatEntry): string {
  switch (entry.type) {
    case 'person':
      return `${entry.isOwn ? 'own' : entry.name}: ${entry.text}`;
    case 'answer':
    case 'notice':
      return `${entry.type}: ${entry.markdown}`;
    case 'card':
      return `card: ${entry.state}`;
    case 'call':
      return `call: ${entry.name} ${entry.outcome ?? entry.state}`;
  }
}

/** A session of the page, with what is said in it. */
async function say(setting: PageSetting, browser: SignedIn, session: string, ...texts: readonly string[]) {
  setting.daemon.clock.advance(1000);
  const headers = { ...browser.proof, Origin: browser.origin };
  const answer = await fetch(`${browser.origin}/api/ticket`, { method: 'POST', headers });
  const { ticket } = Object(await answer.json());
  const client = new DeviceClient(browser.origin, { query: `session_id=${session}&ticket=${ticket}`, headers });
  onTestFinished(() => client.socket.terminate());
  await client.whenOpen();
  client.send({ type: 'connect', capabilities: ['approvals'] });
  await client.next('connected');
  for (const text of texts) await client.ask(text);
  await setting.daemon.channel.whenIdle();
  return client;
}

describe('the list of conversations', () => {
  test('has those of all channels, the latest first, with what was said last', async () => {
    const setting = await pageSetting();
    await setting.daemon.channel.askAtRest('hello', 'echo: hello');
    const ada = await setting.browser();
    await say(setting, ada, 's1', 'in the page\nsecond line');
    const [latest, former] = await list(ada);
    expect(latest).toMatchObject({
      id: 'device:s1',
      channel: 'device',
      kind: 'direct',
      title: 'in the page',
      sessionId: 's1',
      isRunning: false,
      waiting: 0,
    });
    expect(latest?.lastText).toContain('echo: in the page');
    expect(former).toMatchObject({ id: adasChat, channel: 'test', kind: 'direct' });
    expect(former?.sessionId).toBeUndefined();
  });

  test('has groups for owners alone, and of others nothing', async () => {
    const setting = await pageSetting();
    await setting.daemon.channel.askAtRest('hello', 'echo: hello');
    await setting.daemon.channel.say('from bob', { by: 'bob' });
    await setting.daemon.channel.sees('echo: from bob');
    await setting.daemon.channel.say('to all', { by: 'ada', in: group, addressed: true });
    await setting.daemon.channel.sees(/echo: .*to all/s);
    const [ada, bob] = [await setting.browser('ada'), await setting.browser('bob')];
    expect((await list(ada)).map(({ id }) => id).toSorted()).toEqual([adasChat, 'test:team']);
    expect((await list(bob)).map(({ id }) => id)).toEqual(['test:bob']);
    const hidden = [
      [ada, 'test:bob'],
      [bob, adasChat],
      [bob, 'test:team'],
      [bob, 'test:none'],
    ] as const;
    for (const [who, id] of hidden)
      for (const path of [`conversations/${id}`, `conversations/${id}/entries`, `conversations/${id}/calls/x/output`])
        expect([id, path, (await who.get(path)).status]).toEqual([id, path, 404]);
  });

  test('goes on where it ended', async () => {
    const setting = await pageSetting();
    const ada = await setting.browser();
    for (let number = 0; number < 101; number += 1) {
      setting.daemon.clock.advance(1000);
      await setting.daemon.channel.say(`/help`, {
        in: { channel: 'test', chatId: 'ada', threadId: `${number}`, kind: 'direct' },
      });
    }
    await setting.daemon.channel.whenIdle();
    const first = await got<ConversationList>(ada, 'conversations');
    expect(first.conversations).toHaveLength(100);
    const second = await got<ConversationList>(ada, `conversations?before=${encodeURIComponent(first.before ?? '')}`);
    const ids = [...first.conversations, ...second.conversations].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(second.before).toBeUndefined();
    expect(ids).toHaveLength(102);
    expect((await ada.get('conversations?before=nonsense')).status).toBe(400);
    // The oldest of them is found though it stands on no page that was loaded.
    await say(setting, ada, 's1', 'A trip to Nara');
    setting.daemon.clock.advance(1000);
    for (let number = 0; number < 101; number += 1)
      await setting.daemon.channel.say(`/help`, {
        in: { channel: 'test', chatId: 'ada', threadId: `${number}`, kind: 'direct' },
      });
    await setting.daemon.channel.whenIdle();
    expect((await list(ada)).map(({ id }) => id)).not.toContain('device:s1');
    const named = async (words: string) =>
      (await got<ConversationList>(ada, `conversations?q=${encodeURIComponent(words)}`)).conversations;
    expect((await named(' trip TO ')).map(({ id }) => id)).toEqual(['device:s1']);
    expect(await named('Kyoto')).toEqual([]);
    expect(await named('test')).toHaveLength(100);
  });

  test('keeps the sessions of a browser that has signed out', async () => {
    const setting = await pageSetting();
    const first = await setting.browser();
    await say(setting, first, 's1', 'hello');
    await first.post('signout');
    const second = await setting.browser();
    expect(await list(second)).toMatchObject([{ id: adasChat }, { id: 'device:s1' }]);
    expect(words((await entriesOf(second, 'device:s1')).entries)).toEqual(['own: hello', 'answer: echo: hello']);
  });

  test('shows what is at work, and what waits', async () => {
    const setting = await pageSetting({ tools: [unlock] });
    const ada = await setting.browser();
    setting.daemon.model.next([call('unlock', { door: 'front' })]);
    await setting.daemon.channel.cardFor('let me in');
    expect(await list(ada)).toMatchObject([{ id: adasChat, isRunning: true, waiting: 1 }]);
  });
});

describe('a conversation', () => {
  test('has messages, commands, notices, calls, cards and answers in their order', async () => {
    const setting = await pageSetting({ tools: [unlock] });
    const { channel, model, clock } = setting.daemon;
    const ada = await setting.browser();
    const later = (text: string) => () => {
      clock.advance(1000);
      return text;
    };
    model.next([{ type: 'text', text: 'One moment.' }, call('unlock', { door: 'front' })], later('It is open.'));
    clock.advance(1000);
    const card = await channel.cardFor('let me in');
    const asking = (await entriesOf(ada, adasChat)).entries;
    expect(words(asking).slice(-4)).toEqual([
      'own: let me in',
      'answer: One moment.',
      'call: unlock awaiting',
      'card: pending',
    ]);
    await channel.press(card);
    await channel.sees('It is open.');
    await channel.whenIdle();
    const { entries, before } = await entriesOf(ada, adasChat);
    expect(before).toBeUndefined();
    expect(words(entries).slice(-5)).toEqual([
      'own: let me in',
      'answer: One moment.',
      'call: unlock success',
      'card: approved',
      'answer: It is open.',
    ]);
    expect(words(entries)[0]).toBe('own: /web');
    expect(entries.find(({ type }) => type === 'call')).toMatchObject({
      arguments: { door: 'front' },
      category: 'hardware',
      output: 'front is open',
      isCut: false,
      approval: { state: 'approved', decidedBy: adasChat },
    });
  });

  test('is read from its end, a page at a time, with nothing twice and nothing left out', async () => {
    const setting = await pageSetting();
    const { channel, clock } = setting.daemon;
    const ada = await setting.browser();
    const said = Array.from({ length: 75 }, (_, number) => `message ${number}.`);
    for (const [number, text] of said.entries()) {
      // The clock is set back once.
      if (number === 40) clock.advance(-30_000);
      clock.advance(1000);
      await channel.ask(text, `echo: ${text}`);
    }
    await channel.whenIdle();
    const all: ChatEntry[] = [];
    let before: string | undefined;
    do {
      const page = await entriesOf(ada, adasChat, before);
      all.unshift(...page.entries);
      before = page.before;
    } while (before !== undefined);
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const kind of ['person', 'answer'] as const) {
      const texts = all.flatMap((entry) => {
        if (entry.type === 'person' && kind === 'person') return entry.isCommand ? [] : [entry.text];
        return entry.type === 'answer' && kind === 'answer' ? [entry.markdown.replace('echo: ', '')] : [];
      });
      expect(texts).toEqual(said);
    }
    for (const place of ['nonsense', '....', '1.2.3.4', '-1....0'])
      expect((await ada.get(`conversations/${adasChat}/entries?before=${place}`)).status).toBe(400);
  });

  test('has all that came of a call on demand, and its beginning else', async () => {
    const setting = await pageSetting({ files: { 'long.txt': 'word '.repeat(2_000) } });
    const { channel, model } = setting.daemon;
    const ada = await setting.browser();
    model.next([call('read_file', { path: 'long.txt' })], 'Read.');
    await channel.askAtRest('read it', 'Read.');
    const entry = (await entriesOf(ada, adasChat)).entries.find(({ type }) => type === 'call');
    if (entry?.type !== 'call') throw new Error('there is no call');
    expect(entry).toMatchObject({ isCut: true });
    expect(entry.output).toHaveLength(2_000);
    const path = `conversations/${adasChat}/calls/${entry.callId}/output`;
    const { output } = await got<CallOutput>(ada, path);
    expect(output.length).toBeGreaterThan(9_000);
    expect(output.startsWith(entry.output ?? 'nothing')).toBe(true);
    expect((await (await setting.browser('bob')).get(path)).status).toBe(404);
    expect((await ada.get(`conversations/test:ada/calls/none/output`)).status).toBe(404);
  });

  test('of this page gets another title, others do not', async () => {
    const setting = await pageSetting();
    const ada = await setting.browser();
    await say(setting, ada, 's1', 'hello');
    const answer = await ada.post('conversations/device:s1/title', { title: '  Trip to\nNara ' });
    expect(await answer.json()).toMatchObject({ title: expect.stringContaining('Trip to') });
    await say(setting, ada, 's1', 'and more');
    expect((await list(ada))[0]).toMatchObject({ id: 'device:s1', title: expect.stringContaining('Nara') });
    for (const title of ['', ' ', 'x'.repeat(81), 7, undefined])
      expect((await ada.post('conversations/device:s1/title', title === undefined ? {} : { title })).status).toBe(400);
    expect((await ada.post(`conversations/${adasChat}/title`, { title: 'Mine' })).status).toBe(403);
    const bob = await setting.browser('bob');
    expect((await bob.post('conversations/device:s1/title', { title: 'Mine' })).status).toBe(404);
  });

  test('has the same name on its cards and in the activity, for those who may read it', async () => {
    const setting = await pageSetting({ tools: [unlock] });
    const ada = await setting.browser();
    const client = await say(setting, ada, 's1', 'the doors of the shed');
    setting.daemon.model.next([call('unlock', { door: 'front' })]);
    client.send({ type: 'message', content: 'open it' });
    const place = { channel: 'device', title: 'the doors of the shed' };
    await expect
      .poll(async () => (await got<WaitingRoom>(ada, 'waiting')).cards)
      .toMatchObject([{ conversation: place }]);
    const { runs } = await got<RunPage>(ada, 'runs');
    expect(runs[0]?.place).toMatchObject(place);
  });

  test('has the pictures that were sent there, for those who may read it, if they are pictures', async () => {
    const setting = await pageSetting();
    const ada = await setting.browser();
    const client = await say(setting, ada, 's1');
    const image = { type: 'image', media_type: 'image/png', name: 'a.png' };
    const page = Buffer.from('<html><script>alert(1)</script></html>').toString('base64');
    client.send({
      type: 'message',
      content: 'look',
      attachments: [
        { ...image, data: png.toString('base64') },
        { ...image, data: page },
        { type: 'file', name: 'c.txt', data: page },
      ],
    });
    await client.next('done');
    const [said] = (await entriesOf(ada, 'device:s1')).entries;
    if (said?.type !== 'person') throw new Error('nothing was said');
    const [one = '', two = '', three] = said.files.map(({ picture }) => picture);
    const shown = await ada.get(one);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(png.equals(Buffer.from(await shown.arrayBuffer()))).toBe(true);
    expect([(await ada.get(two)).status, three]).toEqual([404, undefined]);
    expect((await (await setting.browser('bob')).get(one)).status).toBe(404);
    for (const other of ['9/0', '1/9', 'x/0', '1/../0']) {
      const path = `conversations/device:s1/pictures/${other}`;
      expect([other, (await ada.get(path)).status]).toEqual([other, 404]);
    }
    expect((await ada.get(one.replace('device%3As1', adasChat))).status).toBe(404);
  });

  test('does not show what is still being written, nor what was taken back', async () => {
    const setting = await pageSetting();
    const { channel, model } = setting.daemon;
    const ada = await setting.browser();
    const answer = held('the rest');
    model.next({ early: 'I begin', rest: answer.script });
    const client = await say(setting, ada, 's1');
    client.send({ type: 'message', content: 'hi' });
    await client.next('chunk');
    expect(words((await entriesOf(ada, 'device:s1')).entries)).toEqual(['own: hi']);
    answer.release();
    await client.next('done');
    expect(words((await entriesOf(ada, 'device:s1')).entries)).toEqual(['own: hi', 'answer: I beginthe rest']);
    await channel.whenIdle();
  });
});
