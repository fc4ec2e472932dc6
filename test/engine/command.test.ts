import { expect, test } from 'vitest';
import { firstWord, parseCommand } from '../../src/engine/message.ts';

test.each([
  ['/stop', 'stop', ''],
  ['  /Stop \n', 'stop', ''],
  ['/deny k3f9  too\nrisky ', 'deny', 'k3f9  too\nrisky'],
  ['/a_1\targument', 'a_1', 'argument'],
])('%j is the command %s with %j', (text, name, argument) => {
  expect(parseCommand(text)).toEqual({ name, argument });
});

test.each([
  '',
  '/',
  '//',
  '/ stop',
  'stop',
  'please /stop',
  '/etc/hosts',
  '/1st',
  '/stop!',
  '/stop@bot',
  `/${'x'.repeat(33)}`,
  '／stop',
])('%j is none', (text) => expect(parseCommand(text)).toBeUndefined());

test('the first word is split off', () => {
  expect(firstWord('k3f9 too risky')).toEqual({ word: 'k3f9', rest: 'too risky' });
  expect(firstWord('k3f9')).toEqual({ word: 'k3f9', rest: '' });
  expect(firstWord('')).toEqual({ word: '', rest: '' });
});
