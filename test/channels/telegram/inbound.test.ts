import { describe, expect, test } from 'vitest';
import { createAlbums } from '../../../channels/telegram/update-store.ts';
import type { PersonFile } from '../../../packages/fakes/src/telegram/people.ts';
import type { InboundEvent, InboundMessage } from '../../../src/contract.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { connected, openBench, pass } from './bench.ts';
import { message } from './parsed.ts';

const ada = 42;
const group = -1_001_000_000_042;
const caption = '@keyturn_test_bot what are these?';

function photos(...names: readonly string[]): readonly PersonFile[] {
  return names.map((name) => ({ type: 'photo', bytes: Buffer.from(name) }));
}

function messages(events: readonly InboundEvent[]): readonly InboundMessage[] {
  return events.filter((event) => event.type === 'message');
}

describe('an album', () => {
  test.each([0, 1, 2])('in a group is for the bot if the caption of item %i says so', async (captionAt) => {
    const { server, host, connect } = await openBench();
    server.people.sendAlbum(group, photos('a', 'b', 'c'), { caption, captionAt });
    await connect();
    const addressed = () => messages(host.received).filter((event) => event.addressed);
    await waitUntil(() => addressed().length >= 3);
    // Those before the caption come again: as they were, they were left alone.
    const pieces = [...new Map(addressed().map((event) => [event.key, event])).values()];
    expect(pieces.map(({ isPiece }) => isPiece)).toEqual([true, true, true]);
    expect(pieces.map(({ text }) => text !== '')).toEqual([0, 1, 2].map((index) => index === captionAt));
    expect(new Set(pieces.map(({ attachments }) => attachments?.[0]?.handle)).size).toBe(3);
  });

  test('in a group is not for the bot if nothing says so, even beside one that is', async () => {
    const { server, host, connect } = await openBench();
    server.people.sendAlbum(group, photos('a', 'b'));
    server.people.sendAlbum(group, photos('c', 'd'), { caption });
    await connect();
    await waitUntil(() => host.received.length === 4);
    expect(messages(host.received).map(({ addressed }) => addressed)).toEqual([false, false, true, true]);
  });

  test('that replies to the bot is for it, and is a piece in a direct chat too', async () => {
    const { server, host, connect } = await openBench();
    const adapter = await connect();
    server.addChat(ada);
    server.people.sendAlbum(ada, photos('a', 'b'));
    await waitUntil(() => host.received.length === 2);
    expect(messages(host.received).map(({ addressed, isPiece }) => [addressed, isPiece])).toEqual([
      [true, true],
      [true, true],
    ]);
    await adapter.stop();
  });

  test('that comes in several batches is for the bot as a whole', async () => {
    const { server, clock, host, connect } = await openBench();
    await connect({ poll_grace_secs: 300 });
    await connected(host);
    const send = async (name: string, more: object = {}): Promise<void> => {
      const before = server.confirmedOffset;
      const content = { media_group_id: '77', photo: [{ file_id: name, file_unique_id: name, width: 1, height: 1 }] };
      server.people.show(group, content, more);
      await waitUntil(() => server.confirmedOffset > before);
    };
    await send('a');
    expect(messages(host.received).map(({ addressed }) => addressed)).toEqual([false]);
    // The first comes again: as it was, it was left alone.
    await send('b', { caption });
    await send('c');
    const addressed = messages(host.received).filter((event) => event.addressed);
    const handles = addressed.map(({ attachments }) => attachments?.[0]?.handle);
    expect(handles.slice(0, 2)).toEqual(['a', 'b']);
    expect(handles.at(-1)).toBe('c');
    expect(new Set(addressed.map(({ key }) => key)).size).toBe(3);

    clock.advance(60_000);
    await send('d');
    expect(messages(host.received).at(-1)?.addressed).toBe(false);
  });
});

describe('a group that becomes a supergroup', () => {
  const old = -500;

  test('is told of before anything is confirmed, and what follows waits for that', async () => {
    const { server, host, connect } = await openBench();
    const stored = Promise.withResolvers<void>();
    host.storeMove = () => stored.promise;
    server.say(old, 'before');
    const [first] = server.people.migrate(old, group);
    const last = server.say(group, 'after');
    await connect();
    await waitUntil(() => host.moves.length === 1);
    expect(host.words).toEqual(['before']);
    expect(server.confirmedOffset).toBeLessThanOrEqual(first?.update_id ?? 0);
    stored.resolve();
    await waitUntil(() => server.confirmedOffset > last.update_id);
    const move = { from: { channel: 'telegram', chatId: String(old), kind: 'group' }, chatId: String(group) };
    expect(host.moves).toEqual([move, move]);
    expect(host.words).toEqual(['before', 'after']);
  });

  test('is told of again if that could not be stored', async () => {
    const { server, clock, host, connect } = await openBench();
    let failures = 1;
    host.storeMove = async () => {
      if (failures-- > 0) throw new Error('disk full');
    };
    server.say(old, 'before');
    server.people.migrate(old, group);
    const last = server.say(group, 'after');
    await connect();
    await pass(clock, 250);
    await waitUntil(() => server.confirmedOffset > last.update_id);
    expect(host.moves).toHaveLength(3);
    expect(host.words).toEqual(['before', 'after']);
  });
});

function piece(id: number, addressed = false): InboundMessage {
  return { ...message({ message_id: id, text: 'x' }), addressed };
}

test('of albums without number, only the newest hundred are remembered', () => {
  const albums = createAlbums(new ManualClock());
  for (let number = 0; number < 120; number += 1) albums.pieces(`album ${number}`, piece(1, true));
  expect(albums.pieces('album 119', piece(2))).toMatchObject([{ addressed: true }]);
  expect(albums.pieces('album 0', piece(2))).toMatchObject([{ addressed: false }]);
});

test('of an album without end, ten items are brought again, each once', () => {
  const albums = createAlbums(new ManualClock());
  for (const round of [1, 2]) {
    for (let id = 1; id <= 30; id += 1) expect(albums.pieces('a', piece(id * round))).toHaveLength(1);
  }
  const pieces = albums.pieces('a', piece(99, true));
  expect(new Set(pieces.map(({ key }) => key)).size).toBe(11);
  expect(pieces).toHaveLength(11);
});
