import { describe, expect, test } from 'vitest';
import { type Conversation, conversationId, type OutboundMessage } from '../../src/contract.ts';
import { newId } from '../../src/lib/ids.ts';
import { deliverySetting, home } from '../support/delivery-setting.ts';
import { originOf, said } from '../support/store-setting.ts';
import { isThorough } from '../support/thorough.ts';
import { waitUntil } from '../support/wait-for.ts';

const pace = { direct: 1000, group: 3000, burst: 5, total: 40 };

type Setting = Awaited<ReturnType<typeof deliverySetting>>;

/** A platform that refuses a second message within a second in one chat, and more than thirty a second in all. */
function makeStrict({ channel, clock }: Setting, every = 1000) {
  const last = new Map<string, number>();
  const times: number[] = [];
  const send = channel.send.bind(channel);
  let refusals = 0;
  channel.send = (to: Conversation, message: OutboundMessage) => {
    const now = clock.now();
    const isTooMany = times.filter((at) => at > now - 1000).length >= 30;
    if (isTooMany || now - (last.get(to.chatId) ?? 0) < every) {
      refusals += 1;
      channel.failNext({ type: 'rate-limited', retryAfter: 1000 }, { in: conversationId(to) });
    } else {
      last.set(to.chatId, now);
      times.push(now);
    }
    return send(to, message);
  };
  return { refusals: () => refusals };
}

async function backlogSetting({ chats, each, kind }: { chats: number; each: number; kind: Conversation['kind'] }) {
  const setting = await deliverySetting({ capabilities: { sendPace: pace }, settings: { lateAfter: 1e9 } });
  const { store, clock } = setting;
  const conversations = Array.from(
    { length: chats },
    (_, index): Conversation => ({ ...home, chatId: `chat${index}`, kind }),
  );
  for (const conversation of conversations) await store.inbox.accept(said(originOf('ada', conversation), 'hello'));
  for (let count = 0; count < each; count += 1)
    for (const conversation of conversations) {
      const message = { id: newId(20), kind: 'notice', markdown: `notice ${count}` } as const;
      await store.outbox.say(conversationId(conversation), message, clock.now());
    }
  clock.advance(60_000);
  return { ...setting, setting, conversations, begin: () => setting.restart() };
}

/** Lets time pass, a little at a time, until this holds. Gives how much has passed, in ms. */
async function passesUntil({ clock }: Setting, look: () => boolean): Promise<number> {
  const from = clock.now();
  await waitUntil(look, { meanwhile: () => clock.advance(20) });
  return clock.now() - from;
}

describe('what has waited through an outage', () => {
  // In the long run 1,200 messages: at 25 a second, they take 48 s.
  const each = isThorough ? 30 : 6;
  test.each([
    ['of all chats together', 40, each, each * 1_600],
    ['of each chat', 4, 6, 5_000],
  ])('is sent without one refusal, in its order, at nearly the pace %s', async (_what, chats, each, least) => {
    const it = await backlogSetting({ chats, each, kind: 'direct' });
    const { refusals } = makeStrict(it);
    await it.begin();
    const took = await passesUntil(it, () => it.channel.screen.length === chats * each);
    expect(refusals()).toBe(0);
    expect(took).toBeLessThan(least * 1.7);
    const notices = Array.from({ length: each }, (_, count) => `notice ${count}`);
    for (const conversation of it.conversations)
      expect(it.channel.textsIn(conversationId(conversation))).toEqual(notices);
  });

  test('is sent more slowly to a group', async () => {
    const it = await backlogSetting({ chats: 1, each: 4, kind: 'group' });
    const { refusals } = makeStrict(it, 3000);
    await it.begin();
    const took = await passesUntil(it, () => it.channel.screen.length === 4);
    expect(refusals()).toBe(0);
    expect(took).toBeGreaterThanOrEqual(9000);
  });

  test('is overtaken by a new answer, there and elsewhere', async () => {
    const it = await backlogSetting({ chats: 40, each: 6, kind: 'direct' });
    await it.begin();
    await passesUntil(it, () => it.channel.screen.length > 60);
    const [conversation = home] = it.conversations;
    for (const to of [conversation, home]) {
      await it.say('the answer', to, { kind: 'reply' });
      const took = await passesUntil(it, () => it.channel.textsIn(conversationId(to)).includes('the answer'));
      expect(took).toBeLessThan(1000);
    }
    expect(it.channel.screen.length).toBeLessThan(200);
    await passesUntil(it, () => it.channel.screen.length === 242);
  });

  test('keeps its order among all that waits in a chat, however long that takes', async () => {
    const it = await deliverySetting({ capabilities: { sendPace: pace }, settings: { lateAfter: 1e9 } });
    const release = it.channel.hold();
    const texts = Array.from({ length: 10 }, (_, index) => `${index}`);
    await it.stop();
    for (const text of texts) await it.say(text, home, { kind: text === '8' ? 'reply' : 'notice' });
    it.clock.advance(60_000);
    release();
    await it.restart();
    await passesUntil(it, () => it.channel.screen.length === 10);
    expect(it.channel.textsIn('test:ada')).toEqual(texts);
  });
});

describe('what was just written', () => {
  test('is sent at once: answers always, notices as many as the platform takes at once', async () => {
    const { channel, clock, say, whenIdle } = await deliverySetting({ capabilities: { sendPace: pace } });
    for (let count = 0; count < 8; count += 1) await say(`answer ${count}`, home, { kind: 'reply' });
    await whenIdle();
    expect(channel.screen).toHaveLength(8);
    clock.advance(60_000);
    for (let count = 0; count < 7; count += 1) await say(`notice ${count}`);
    await channel.sees('notice 4');
    expect(channel.screen).toHaveLength(13);
    await clock.passes(1000);
    await channel.sees('notice 5');
    await clock.passes(1000);
    await whenIdle();
    expect(channel.screen).toHaveLength(15);
  });

  test('waits as long as anything where the platform has refused', async () => {
    const it = await deliverySetting({ capabilities: { sendPace: pace } });
    it.channel.failNext({ type: 'rate-limited', retryAfter: 1000 });
    for (let count = 0; count < 4; count += 1) await it.say(`notice ${count}`);
    await it.clock.passes(1000);
    const { refusals } = makeStrict(it);
    await passesUntil(it, () => it.channel.screen.length === 4);
    expect(refusals()).toBe(0);
  });

  test('is not sent if it is over before its turn comes', async () => {
    const it = await backlogSetting({ chats: 1, each: 4, kind: 'direct' });
    await it.begin();
    await it.channel.sees('notice 0', 'test:chat0');
    await waitUntil(() => it.clock.waits.length > 0);
    // As `/drop` does, or a decision about a card.
    const [next] = it.rows(`SELECT id, revision FROM outbox WHERE markdown = 'notice 1'`);
    await it.setting.store.outbox.abandon(String(next?.id), Number(next?.revision));
    await passesUntil(it, () => it.channel.textsIn('test:chat0').includes('notice 3'));
    expect(it.channel.textsIn('test:chat0')).toEqual(['notice 0', 'notice 2', 'notice 3']);
  });

  test('is not held up by a stop, and nothing is lost', async () => {
    const it = await backlogSetting({ chats: 2, each: 3, kind: 'direct' });
    await it.begin();
    await it.channel.sees('notice 0', 'test:chat1');
    await it.stop();
    expect(it.rows(`SELECT count(*) AS count FROM outbox WHERE state = 'queued'`)).toEqual([{ count: 4 }]);
  });
});
