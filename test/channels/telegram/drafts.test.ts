import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiCall } from '../../../packages/fakes/src/telegram/http-door.ts';
import type { Conversation, MessageRef, OutboundMessage, ReplyStream } from '../../../src/contract.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { AdapterSetting, ada, reply, to } from './adapter-setting.ts';

const frameEvery = 300;
const retryEvery = 1_000;
const renewEvery = 20_000;
const patience = 5_000;

let setting: AdapterSetting;
let stream: ReplyStream;

beforeEach(async () => {
  setting = await AdapterSetting.start();
  stream = open(to);
});

afterEach(async () => {
  await stream.cancel();
  await setting.close();
});

function open(conversation: Conversation): ReplyStream {
  const opened = setting.adapter.openStream?.(conversation);
  if (opened === undefined) throw new Error('There is no stream.');
  return opened;
}

const frames = (): readonly ApiCall[] => setting.server.callsOf('sendMessageDraft');
const texts = (): readonly unknown[] => frames().map(({ params }) => params.text);
const messages = (): readonly string[] => setting.server.chat(ada).map(({ text }) => text);
const draft = () => setting.server.draft(ada);

/** Waits until that many frames were asked for, and what comes after the last one waits for its time. */
async function rest(count: number, pause: number): Promise<void> {
  await waitUntil(() => frames().length === count && setting.clock.waits.includes(pause));
}

/** Lets everything that goes on without time passing go on. */
async function settle(): Promise<void> {
  await setting.adapter.showTyping?.(to);
  await setting.adapter.showTyping?.(to);
}

const finish = (...parts: readonly string[]): Promise<readonly string[]> =>
  finishWith(parts.map((part) => reply(part)));

async function finishWith(parts: readonly OutboundMessage[]): Promise<readonly string[]> {
  const refs: string[] = [];
  await stream.finish(parts, async ({ id }) => {
    refs.push(id);
  });
  return refs;
}

describe('a reply that is written', () => {
  test('shows at once, and then the newest text each 300 ms at most', async () => {
    stream.push('**Hello');
    await rest(1, renewEvery);
    stream.push(' the');
    stream.push('re**');
    await settle();
    expect(texts()).toEqual(['**Hello']);
    setting.clock.advance(frameEvery - 1);
    stream.push(', Ada');
    await settle();
    expect(texts()).toEqual(['**Hello']);
    setting.clock.advance(1);
    await rest(2, renewEvery);
    expect(draft()).toMatchObject({ text: 'Hello there, Ada', entities: [{ type: 'bold' }], canStop: true });
  });

  test('is one draft from its first frame to its last, with a number that is not 0', async () => {
    stream.push('one');
    await rest(1, renewEvery);
    setting.clock.advance(frameEvery);
    stream.push(' two');
    await rest(2, renewEvery);
    const ids = new Set(frames().map(({ params }) => params.draft_id));
    expect([...ids]).toEqual([expect.any(Number)]);
    expect(ids).not.toContain(0);

    await stream.cancel();
    stream = open(to);
    stream.push('three');
    await rest(3, renewEvery);
    expect(ids).not.toContain(draft()?.id);
  });

  test('has one frame on its way, and the newest text in the next', async () => {
    setting.server.fault({ method: 'sendMessageDraft', kind: 'hang', times: 1 });
    stream.push('one');
    await waitUntil(() => frames().length === 1);
    stream.push(' two');
    setting.clock.advance(frameEvery);
    stream.push(' three');
    await settle();
    expect(frames()).toHaveLength(1);
    setting.clock.advance(patience - frameEvery);
    await rest(1, retryEvery);
    setting.clock.advance(retryEvery);
    await rest(2, renewEvery);
    expect(texts()).toEqual(['one', 'one two three']);
  });

  test('is shown again each 20 s while nothing is added, since a draft disappears', async () => {
    stream.push('Let me think');
    await rest(1, renewEvery);
    for (const count of [2, 3]) {
      setting.clock.advance(renewEvery - 1);
      await settle();
      expect(frames()).toHaveLength(count - 1);
      setting.clock.advance(1);
      await rest(count, renewEvery);
    }
    expect(draft()?.text).toBe('Let me think');
  });

  test('shows nothing as long as there is nothing', async () => {
    stream.push('');
    await settle();
    setting.clock.advance(renewEvery);
    await settle();
    expect(frames()).toEqual([]);
  });

  test('is not cut where it grows beyond what a message takes', async () => {
    const piece = 'word '.repeat(500);
    for (let count = 1; count <= 5; count += 1) {
      stream.push(piece);
      await rest(count, renewEvery);
      setting.clock.advance(frameEvery);
    }
    expect(frames().every(({ status }) => status === 200)).toBe(true);
  });

  test('goes without formatting if Telegram refuses that', async () => {
    const description = "Bad Request: can't parse entities";
    setting.server.fault({ method: 'sendMessageDraft', kind: 'status', status: 400, description, times: 1 });
    stream.push('**one**');
    await rest(2, renewEvery);
    expect(draft()).toMatchObject({ text: 'one', entities: [] });
  });
});

describe('a finished reply', () => {
  test('is sent as messages, and the draft is gone', async () => {
    stream.push('one');
    await rest(1, renewEvery);
    const refs = await finish('**one**', 'two');
    expect(messages()).toEqual(['one', 'two']);
    expect(refs).toEqual(setting.server.chat(ada).map(({ id }) => String(id)));
    expect(draft()).toBeUndefined();
    setting.clock.advance(renewEvery);
    await settle();
    expect(frames()).toHaveLength(1);
  });

  test('waits for the frame on its way, but not for ever', async () => {
    setting.server.fault({ method: 'sendMessageDraft', kind: 'hang' });
    stream.push('one');
    await waitUntil(() => frames().length === 1);
    const finished = finish('one');
    await settle();
    expect(messages()).toEqual([]);
    setting.clock.advance(patience);
    await finished;
    expect(messages()).toEqual(['one']);
    expect(frames()).toHaveLength(1);
  });

  test('goes on where it was when it failed for now', async () => {
    const isSecond = ({ text }: Readonly<Record<string, unknown>>): boolean => text === 'two';
    setting.server.fault({ method: 'sendMessage', kind: 'status', status: 500, times: 1, when: isSecond });
    setting.server.fault({ method: 'sendMessage', kind: '429', retryAfter: 3, times: 1, when: isSecond });
    expect(await setting.faultOf(finish('one', 'two', 'three'))).toMatchObject({ type: 'transient' });
    expect(await setting.faultOf(finish('one', 'two', 'three'))).toMatchObject({ type: 'rate-limited' });
    expect(await finish('one', 'two', 'three')).toHaveLength(2);
    expect(messages()).toEqual(['one', 'two', 'three']);
  });

  test('is not sent again when only the telling of it has failed', async () => {
    const told: MessageRef[] = [];
    const parts = [reply('one'), reply('two')];
    const failing = stream.finish(parts, () => Promise.reject(new Error('the disk is full')));
    await expect(failing).rejects.toThrow('the disk is full');
    await stream.finish(parts, async (ref) => {
      told.push(ref);
    });
    expect(messages()).toEqual(['one', 'two']);
    expect(told).toHaveLength(2);
  });

  test('whose answer was lost is ambiguous, as with every message', async () => {
    setting.server.fault({ method: 'sendMessage', kind: 'drop-after', times: 1 });
    expect(await setting.faultOf(finish('hello'))).toMatchObject({ type: 'ambiguous' });
  });
});

describe('a reply that is given up', () => {
  test('shows no more frames', async () => {
    stream.push('one');
    await rest(1, renewEvery);
    stream.push(' two');
    await stream.cancel();
    stream.push(' three');
    setting.clock.advance(renewEvery);
    await settle();
    expect(texts()).toEqual(['one']);
    expect(messages()).toEqual([]);
  });

  test('lets the frame on its way end before anything else is sent', async () => {
    setting.server.fault({ method: 'sendMessageDraft', kind: 'hang' });
    stream.push('one');
    await waitUntil(() => frames().length === 1);
    let isOver = false;
    const cancelled = stream.cancel().then(() => {
      isOver = true;
    });
    await settle();
    expect(isOver).toBe(false);
    setting.clock.advance(patience);
    await cancelled;
  });
});

describe('a draft that Telegram does not take', () => {
  test.each([
    { kind: 'status', status: 500 },
    { kind: 'status', status: 404, description: 'Not Found: method not found' },
    { kind: 'html' },
    { kind: 'drop-before' },
    { kind: 'drop-after' },
  ] as const)('three times in a row (%j) is not shown any more, and the reply comes all the same', async (fault) => {
    setting.server.fault({ method: 'sendMessageDraft', ...fault });
    stream.push('one');
    for (const count of [1, 2]) {
      await rest(count, retryEvery);
      setting.clock.advance(retryEvery);
    }
    await waitUntil(() => setting.host.logged.join().includes('a reply is not shown any more before it is finished'));
    stream.push(' two');
    setting.clock.advance(renewEvery);
    await settle();
    expect(frames()).toHaveLength(3);
    await finish('one two');
    expect(messages()).toEqual(['one two']);
  });

  test('for good is not shown again, its reply is shown otherwise, and the next one as well', async () => {
    await stream.cancel();
    let refusals = 0;
    const refused = (): void => {
      refusals += 1;
    };
    const opened = setting.adapter.openStream?.(to, refused);
    if (opened === undefined) throw new Error('There is no stream.');
    stream = opened;
    setting.server.fault({ method: 'sendMessageDraft', kind: 'status', status: 400, description: 'Bad Request: no' });
    stream.push('one');
    await waitUntil(() => refusals === 1);
    stream.push(' two');
    setting.clock.advance(renewEvery);
    await settle();
    expect(frames()).toHaveLength(1);
    await finish('one two');
    expect(messages()).toEqual(['one two']);
    expect(refusals).toBe(1);
    expect(setting.adapter.openStream?.(to, refused)).toBeUndefined();
    expect(setting.adapter.openStream?.({ ...to, chatId: '1002' }, refused)).toBeDefined();
  });

  test('twice only is shown the third time, and may fail twice again', async () => {
    setting.server.fault({ method: 'sendMessageDraft', kind: 'html', times: 2 });
    stream.push('one');
    for (const count of [1, 2]) {
      await rest(count, retryEvery);
      setting.clock.advance(retryEvery);
    }
    await rest(3, renewEvery);
    expect(draft()?.text).toBe('one');

    setting.server.fault({ method: 'sendMessageDraft', kind: 'html', times: 2 });
    stream.push(' two');
    setting.clock.advance(frameEvery);
    for (const count of [4, 5]) {
      await rest(count, retryEvery);
      setting.clock.advance(retryEvery);
    }
    await rest(6, renewEvery);
    expect(draft()?.text).toBe('one two');
  });

  test('because of too many requests waits as long as it is told, however often', async () => {
    setting.server.fault({ method: 'sendMessageDraft', kind: '429', retryAfter: 7, times: 4 });
    stream.push('one');
    for (const count of [1, 2, 3, 4]) {
      await rest(count, 7_000);
      setting.clock.advance(6_999);
      stream.push('.');
      await settle();
      expect(frames()).toHaveLength(count);
      setting.clock.advance(1);
    }
    await rest(5, renewEvery);
    expect(draft()?.text).toBe('one....');
    expect(setting.server.callsOf('editMessageText')).toEqual([]);
  });
});

describe('where there are drafts', () => {
  test('is in direct chats and in their topics, which the draft names', async () => {
    setting.server.say(ada, 'hello', { threadId: 3, isTopic: true });
    const topic = open({ ...to, threadId: '3' });
    topic.push('one');
    await waitUntil(() => frames().at(-1)?.status === 200);
    expect(frames().at(-1)?.params).toMatchObject({ chat_id: ada, message_thread_id: 3, text: 'one' });
    await topic.cancel();
    expect(setting.adapter.openStream?.({ channel: 'telegram', chatId: '-5', kind: 'group' })).toBeUndefined();
  });

  test('is nowhere if the config wants none, and not before it is connected', async () => {
    expect(setting.another({}).openStream?.(to)).toBeUndefined();
    const plain = await AdapterSetting.start({ drafts: false });
    expect(plain.adapter.openStream?.(to)).toBeUndefined();
    await plain.close();
  });

  test('a topic that refuses one gets no other, and the chat beside it does', async () => {
    const refused: string[] = [];
    const topic = setting.adapter.openStream?.({ ...to, threadId: '9' }, () => refused.push('refused'));
    topic?.push('one');
    await waitUntil(() => refused.length === 1);
    await topic?.cancel();
    expect(setting.adapter.openStream?.({ ...to, threadId: '9' })).toBeUndefined();
    await open(to).cancel();
  });

  test('none is shown any more once the channel has stopped, while the reply can be sent', async () => {
    setting.server.fault({ method: 'sendMessageDraft', kind: 'hang', times: 1 });
    stream.push('one');
    await waitUntil(() => frames().length === 1);
    const stopped = setting.adapter.stop();
    await rest(1, retryEvery);
    setting.clock.advance(2_000);
    await stopped;
    await finish('one');
    expect(messages()).toEqual(['one']);
    expect(frames()).toHaveLength(1);
  });
});
