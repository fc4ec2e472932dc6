import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { argumentParts, wishFor } from '../../src/tools/own-wish.ts';
import type { CallFacets, ToolCategory } from '../../src/tools/tool.ts';

const text = { type: 'string' };
const parameters: JsonObject = {
  type: 'object',
  properties: {
    to: text,
    amount: { anyOf: [{ type: 'number' }, { type: 'null' }], default: null },
    note: text,
    urgent: { type: 'boolean' },
    silent: { type: 'boolean', default: false },
    mode: { enum: ['r', 'rw'] },
    extra: { $ref: '#/$defs/extra' },
  },
  $defs: { extra: { type: 'object', properties: { title: text, who: { type: 'array', items: text } } } },
};

interface Asked {
  readonly facets?: CallFacets;
  readonly category?: ToolCategory;
  readonly toolName?: string;
}

function wish(
  args: JsonObject,
  messages: readonly string[],
  { facets = {}, category = 'network_write', toolName = 'pay' }: Asked = {},
) {
  return wishFor({ toolName, category, arguments: args, parameters, facets }, messages, () => false);
}

const own = { strange: [], isAskedFor: true };

describe('a call is the wish of the person', () => {
  test.each<[string, JsonObject, string]>([
    ['whose message asks for it and holds all of it', { to: 'Bob', amount: 5 }, 'pay 5 to Bob'],
    ['where the model words a text', { to: 'Bob', note: 'with thanks' }, 'pay Bob'],
    ['where a value is the default', { to: 'Bob', silent: false, amount: null }, 'pay Bob'],
    ['where a flag is named', { to: 'Bob', urgent: true }, 'pay Bob, it is urgent'],
    ['where a choice is short for what they say', { to: 'Bob', mode: 'r' }, 'pay Bob in read mode'],
    ['where what is inside was said', { extra: { title: 'x y', who: ['Bob'] } }, 'pay Bob'],
    ['where an unknown key was said', { to: 'Bob', rush_hour: 5 }, 'pay Bob 5 in the rush hour'],
  ])('%s', (_when, args, message) => {
    expect(wish(args, [message])).toEqual(own);
  });

  test.each<[string, JsonObject, readonly string[]]>([
    ['a value', { to: 'Bob', extra: { who: ['Eve'] } }, ['Eve']],
    ['a number', { to: 'Bob', amount: 7 }, ['7']],
    ['a flag', { to: 'Bob', urgent: true }, ['urgent: true']],
    ['a flag that is off', { to: 'Bob', urgent: false }, ['urgent: false']],
    ['a choice', { to: 'Bob', mode: 'rw' }, ['rw']],
    ['a key', { to: 'Bob', eve: 'Bob' }, ['eve']],
    ['a number in a text', { to: 'Bob', note: 'to 1234' }, ['1234']],
  ])('not with %s that they have not said', (_what, args, strange) => {
    expect(wish(args, ['pay Bob in read mode'])).toEqual({ strange, isAskedFor: true });
  });

  test('not where values and deed are of different messages', () => {
    expect(wish({ to: 'Bob', amount: 5 }, ['pay Bob 7', 'how much is it?'])?.strange).toEqual(['5']);
    expect(wish({ to: 'Bob' }, ['pay Eve', 'who is Bob?'])).toEqual({ strange: [], isAskedFor: false });
    expect(wish({ to: 'Bob' }, ['who is Bob?'])).toEqual({ strange: [], isAskedFor: false });
  });

  test('not where nothing of it was said, or none of it has to be', () => {
    expect(wish({ note: 'hello' }, ['pay Bob'])).toBeUndefined();
    expect(wish({}, ['pay'])).toBeUndefined();
    expect(wish({ note: 'hello Bob' }, ['pay with "hello Bob"'])).toEqual(own);
  });

  test('to read without asking for it, from all messages', () => {
    const reading = { category: 'network_read', toolName: 'look' } as const;
    expect(wish({ to: 'Bob', amount: 5 }, ['who is Bob?', 'is it 5?'], reading)).toEqual(own);
    expect(wish({ to: 'Bob', amount: 6 }, ['who is Bob?', 'is it 5?'], reading)?.strange).toEqual(['6']);
  });

  test('as the operator says', () => {
    expect(wish({ to: 'Bob' }, ['do it for Bob'], { facets: { ownWords: true } })).toEqual(own);
    expect(wish({ to: 'Bob' }, ['who is Bob?'], { facets: { ownWords: true } })?.isAskedFor).toBe(false);
    expect(wish({ to: 'Bob' }, ['pay Bob'], { facets: { ownWords: false } })).toBeUndefined();
    expect(wish({ to: 'x y', note: 'z' }, ['pay'], { facets: { freeText: ['to'] } })?.strange).toEqual(['z']);
  });

  test('with all that the tool says it sends, to the letter', () => {
    const facets = { sends: ['https://x.example/a', 'Soup {}'], deed: 'http-post' };
    expect(wish({}, ['post Soup {} to https://x.example/a'], { facets })).toEqual(own);
    expect(wish({}, ['post soup {} to https://x.example/a'], { facets })?.strange).toEqual(['Soup {}']);
    expect(wish({}, ['what does Soup {} at https://x.example/a say?'], { facets })?.isAskedFor).toBe(false);
  });

  test('with values from elsewhere where somebody vouches for them, but for what a text says', () => {
    const call = { toolName: 'pay', category: 'network_write', parameters, facets: {} } as const;
    const vouched = (args: JsonObject) => wishFor({ ...call, arguments: args }, ['pay Bob'], () => true);
    expect(vouched({ to: 'FR22' })).toEqual(own);
    expect(vouched({ to: 'Bob', note: 'the code is 4711' })?.strange).toEqual(['4711']);
    expect(vouched({ to: 'Bob', urgent: true })?.strange).toEqual(['urgent: true']);
    const facets = { sends: ['what was read'] };
    expect(wishFor({ ...call, arguments: {}, facets }, ['pay Bob'], () => true)?.strange).toEqual(['what was read']);
  });

  test('not by a target of one or two characters, which is in any text', () => {
    expect(wish({ to: '7' }, ['pay 7'], { facets: { targets: ['7'] } })?.strange).toEqual(['7']);
  });
});

test('a text that the schema limits is none that the model words', () => {
  const limited = {
    type: 'object',
    properties: { note: { ...text, enum: ['a'] }, text: { ...text, format: 'uri' }, body: text },
  };
  const parts = argumentParts({ arguments: { note: 'a', text: 'b', body: 'c' }, parameters: limited, facets: {} });
  expect(parts.map(({ isFree }) => isFree)).toEqual([false, false, true]);
});
