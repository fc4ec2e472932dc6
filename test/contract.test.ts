import { describe, expect, test } from 'vitest';
import { ChannelError, type Conversation, conversationId } from '../src/contract.ts';

function idOf(conversation: Omit<Conversation, 'channel' | 'kind'>): string {
  return conversationId({ channel: 'test', kind: 'group', ...conversation });
}

describe('the spelling of a conversation', () => {
  test('says the channel, the chat and the thread', () => {
    expect(idOf({ chatId: '-1001' })).toBe('test:-1001');
    expect(idOf({ chatId: '-1001', threadId: '7' })).toBe('test:-1001:#7');
    expect(idOf({ tenant: 'T', chatId: 'C', threadId: '7' })).toBe('test:T:C:#7');
  });

  test('is another one for every other conversation, whatever its ids are made of', () => {
    const conversations = [
      { chatId: 'T' },
      { chatId: 'T', threadId: '5' },
      { chatId: 'T', threadId: '#5' },
      { tenant: 'T', chatId: '5' },
      { tenant: 'T', chatId: '#5' },
      { tenant: 'T', chatId: '%235' },
      { chatId: 'T:5' },
      { chatId: 'T:#5' },
      { chatId: 'T:%235' },
      { tenant: 'T', chatId: '5', threadId: '5' },
      { tenant: 'T:5', chatId: '5' },
    ];
    expect(new Set(conversations.map(idOf)).size).toBe(conversations.length);
  });

  test('is there even where an id is half a character', () => {
    expect(idOf({ tenant: '\ud83d', chatId: 'a\udc00', threadId: '\ud83d\ud83d' })).toMatch(/^test:/);
  });
});

describe('an error of a channel', () => {
  const fault = { type: 'ambiguous' } as const;

  test('is one as well if another copy of the class made it', () => {
    const copy = Object.assign(new Error('lost'), { name: 'ChannelError', fault });
    expect(copy).toBeInstanceOf(ChannelError);
    expect(new ChannelError(fault, 'lost')).toBeInstanceOf(ChannelError);
  });

  test('is no other error, and nothing that only looks like one', () => {
    const others = [
      new Error('lost'),
      Object.assign(new Error('lost'), { fault }),
      { name: 'ChannelError', fault },
      null,
    ];
    for (const other of others) expect(other).not.toBeInstanceOf(ChannelError);
  });
});
