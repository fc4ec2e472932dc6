import { expect, test } from 'vitest';
import { type Conversation, conversationId } from '../../src/contract.ts';
import { createMovedChats } from '../../src/conversation/access/moved-chats.ts';
import { newStore, originOf, rowsOf, said } from '../support/store-setting.ts';

const team: Conversation = { channel: 'test', chatId: 'team', kind: 'group' };
const other: Conversation = { ...team, chatId: 'other' };

test('a chat that was given other ids is known by those that were its own, and by those of no other chat', async () => {
  const { store } = await newStore();
  for (const chat of [team, other]) await store.inbox.accept(said(originOf('ada', chat), 'hello'));
  const move = (from: Conversation, chatId: string) =>
    store.inbox.move({ from, conversationId: conversationId(from), chatId, notices: [], at: 0 });
  await move(team, 'team2');
  await move(team, 'team3');
  await move(other, 'other2');
  // This is no move.
  await move({ ...team, chatId: 'team3' }, 'team3');
  await move(team, 'team');
  expect(await store.inbox.moves()).toHaveLength(3);
  const { formerChats, idOf } = createMovedChats(await store.inbox.moves());
  const former = (chatId: string) => formerChats({ ...team, chatId });
  expect(former('team3')).toEqual(['team', 'team2']);
  expect(former('other2')).toEqual(['other']);
  expect(former('team')).toEqual([]);
  expect(idOf({ ...team, chatId: 'team3' })).toBe('test:team');
});

test('a stranger who is declined is heard, and leaves no work in the conversation', async () => {
  const { store, file } = await newStore();
  const eve = originOf('eve', { channel: 'test', chatId: 'eve', kind: 'direct' });
  const words = { id: 'n1', kind: 'notice', markdown: 'This is a people I know.' } as const;
  expect(await store.inbox.decline(eve, words, 7)).toBe(true);
  expect(await store.inbox.unfinished()).toEqual([]);
  expect(rowsOf(file, 'SELECT id, seen_at, is_open FROM conversations')).toEqual([
    { id: 'test:eve', seen_at: 7, is_open: 0 },
  ]);
  expect(await store.inbox.decline(eve, words, 8)).toBe(false);
});
