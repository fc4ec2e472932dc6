import { expect, test } from 'vitest';
import { ReadingTurns } from '../../src/engine/reading-turns.ts';

/** Events of a conversation, read and then stored. */
function intake() {
  const turns = new ReadingTurns(async () => {});
  const stored: string[] = [];
  const take = async (
    name: string,
    read: Promise<unknown> = Promise.resolve(),
    conversationId = 'c',
  ): Promise<void> => {
    await turns.inTurn(conversationId, async () => void (await read));
    stored.push(name);
  };
  return { turns, stored, take };
}

test('events are stored in the order in which they came, however long each is read', async () => {
  const { turns, stored, take } = intake();
  const slow = Promise.withResolvers<void>();
  const taken = [take('first', slow.promise), take('second'), turns.turn('c').then(() => stored.push('third'))];
  await take('elsewhere', undefined, 'd');
  expect(stored).toEqual(['elsewhere']);
  slow.resolve();
  await Promise.all([...taken, take('fourth')]);
  expect(stored).toEqual(['elsewhere', 'first', 'second', 'third', 'fourth']);
});

test('one that cannot be read does not keep up those behind it', async () => {
  const { stored, take } = intake();
  const failing = take('first', Promise.reject(new Error('no disk')));
  const behind = take('second');
  await expect(failing).rejects.toThrow('no disk');
  await behind;
  expect(stored).toEqual(['second']);
});

test('what may concern any conversation comes after all that came before, also if that reads twice', async () => {
  const { turns, stored, take } = intake();
  const slow = Promise.withResolvers<void>();
  const twice = turns.inTurn('c', () => slow.promise).then(() => take('message'));
  const deletion = turns.all().then(() => stored.push('deletion'));
  slow.resolve();
  await Promise.all([twice, deletion]);
  expect(stored).toEqual(['message', 'deletion']);
});
