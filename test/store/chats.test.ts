import { expect, test } from 'vitest';
import { type Conversation, conversationId } from '../../src/contract.ts';
import { createMovedChats } from '../../src/conversation/access/access.ts';
import { newStore, originOf, said } from '../support/store-setting.ts';

const team: Conversation = { channel: 'test', chatId: 'team', kind: 'group' };
const other: Conversation = { ...team, chatId: 'other' };

test('a chat that was given other ids is known by those that were its own, and by those of no other chat', async () => {
  const { store } = await newStore();
  for (const chat of [team, other]) await store.inbox.accept(said(originOf('ada', chat), 'hello'));
  const move = (from: Conversation, chatId: string) =>
    store.inbox.move({ from, conversationId: conversationId(from), chatId, notice: undefined, at: 0 });
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
