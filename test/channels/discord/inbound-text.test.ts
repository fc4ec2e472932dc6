import { expect, test } from 'vitest';
import { Directory } from '../../../channels/discord/directory.ts';
import { type Names, readAddressing } from '../../../channels/discord/parse.ts';

const names: Names = {
  user: (id) => (id === '5' ? 'Ada' : undefined),
  role: (id) => (id === '6' ? 'cooks' : undefined),
  channel: (id) => (id === '8' ? 'kitchen' : undefined),
};
const isCall = (kind: '@' | '&', id: string): boolean => id === (kind === '@' ? '1' : '2');

function read(text: string): string {
  return readAddressing(text, isCall, names).text;
}

function calls(text: string): boolean {
  return readAddressing(text, isCall, names).calls;
}

test('a mention of us calls us, by the id of the bot or of its role', () => {
  expect(['<@1> hi', 'hi <@!1>', 'so <@&2>, hi'].map(calls)).toEqual([true, true, true]);
  expect(['@everyone hi', '<@5> hi', '<@&6> hi', '<@2> hi', '<@&1> hi'].map(calls)).toEqual(Array(5).fill(false));
});

test('a mention in code calls nobody', () => {
  expect(['`<@1>`', '```\n<@1>\n```'].map(calls)).toEqual([false, false]);
  expect(read('write `<@1>`')).toBe('write `<@1>`');
});

test('the mention that only calls is left out, at the beginning and at the end', () => {
  expect(['<@1> hi', '<@!1>, hi', '  <@1>: hi ', 'hi <@1>', '<@&2> hi', '<@1> <@1> hi'].map(read)).toEqual(
    Array(6).fill('hi'),
  );
});

test('within a sentence a mention stays, and what is nothing but a mention is not empty', () => {
  expect(read('<@1>hi')).toBe('<@1>hi');
  expect(read('ask <@1> again')).toBe('ask <@1> again');
  expect(read('<@1>')).toBe('<@1>');
});

test('whom and what a text mentions is called by name', () => {
  expect(read('<@5> of <@&6> in <#8>')).toBe('@Ada of @cooks in #kitchen');
  expect(read('<@9> of <@&9> in <#9>')).toBe('<@9> of <@&9> in <#9>');
  expect(read('<:wave:12> <a:dance:13> </help:14> <id:customize>')).toBe(':wave: :dance: /help <id:customize>');
});

test('channels and roles are called as Discord calls them last', () => {
  const directory = new Directory();
  const [guild_id, chat] = ['900000000000000001', '900000000000000002'];
  const role = (name: string) => ({ guild_id, role: { id: '900000000000000003', name } });
  directory.note('GUILD_CREATE', { id: guild_id, channels: [{ id: chat, type: 0, name: 'kitchen' }] });
  directory.note('GUILD_ROLE_CREATE', role('cook'));
  expect(directory.channelName(chat)).toBe('kitchen');
  expect(directory.roleName(guild_id, role('').role.id)).toBe('cook');
  directory.note('GUILD_ROLE_UPDATE', role('chef'));
  directory.note('CHANNEL_UPDATE', { id: chat, type: 0, name: 'bar', guild_id });
  expect(directory.channelName(chat)).toBe('bar');
  expect(directory.roleName(guild_id, role('').role.id)).toBe('chef');
});

test('a time is read as a date', () => {
  expect(read('at <t:1618953630:R> or <t:0>')).toBe('at 2021-04-20T21:20:30Z or 1970-01-01T00:00:00Z');
  expect(read('<t:9999999999999>')).toBe('<t:9999999999999>');
});
