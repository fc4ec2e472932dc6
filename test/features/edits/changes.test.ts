import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { settings as slack } from '../../../channels/slack/settings.ts';
import { settings as telegram } from '../../../channels/telegram/settings.ts';
import { changesOf } from '../../../src/features/edits/changes.ts';
import { rightsOf } from '../../../src/features/edits/rights/rights.ts';
import { rightWords } from '../../../src/features/edits/rights/words.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { wholeSchema } from '../../support/whole-schema.ts';

type Words = Readonly<Record<string, unknown>>;

const schema = wholeSchema({ telegram });
const all = wholeSchema({ slack, telegram });
const marks = { widens: '+', narrows: '−', other: '·' };

/** What is said of an edit: `+ owners: words` where it allows more, with `−` where less, with `·` where neither. */
function said(from: Words, to: Words): readonly string[] {
  const edits = changesOf(schema.parse(from), schema.parse(to));
  return edits.map(({ effect, path, words }) => `${marks[effect]} ${path}: ${words('en')}`);
}

/**
 * Each line of the file is two configs; of the lines that follow it, those with `>` are what is said of the way from the first
 * to the second, and those with `<` of the way back.
 */
function edits(): readonly (readonly [string, string, string])[] {
  const text = readFileSync(new URL('./edits.txt', import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split(/\n(?! {4})/)
    .map((block) => {
      const [configs = '', ...words] = block.split('\n    ');
      const [from = '', to = ''] = configs.split(' => ');
      return [from, to, words.join('\n')] as const;
    });
}

/** The places of a JSON Schema below which there are no keys; `*` stands for any name. */
function leavesOf(node: unknown, names: readonly string[]): readonly (readonly string[])[] {
  if (!isJsonObject(node)) return [names];
  const { properties, additionalProperties, items, anyOf, oneOf, allOf } = node;
  const members = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const below = [
    ...(isJsonObject(properties) ? Object.entries(properties) : []),
    ...(isJsonObject(additionalProperties) ? [['*', additionalProperties] as const] : []),
    ...(isJsonObject(items) && isJsonObject(items.properties) ? [['*', items] as const] : []),
  ];
  const found = [
    ...members
      .filter((member) => isJsonObject(member) && (member.properties ?? member.additionalProperties))
      .flatMap((member) => leavesOf(member, names)),
    ...below.flatMap(([name, child]) => leavesOf(child, [...names, name])),
  ];
  return found.length === 0 ? [names] : found;
}

describe('an edit tells', () => {
  test.each(edits())('from %s to %s, both ways', (from, to, words) => {
    const [one, other] = [JSON.parse(from), JSON.parse(to)];
    const there = said(one, other).map((line) => `> ${line}`);
    const back = said(other, one).map((line) => `< ${line}`);
    expect([...there, ...back].join('\n')).toBe(words);
  });

  test.each(edits())('in Chinese from %s to %s, with no English but in code', (from, to) => {
    const [one, other] = [schema.parse(JSON.parse(from)), schema.parse(JSON.parse(to))];
    for (const { words } of [...changesOf(one, other), ...changesOf(other, one)]) {
      const prose = words('zh').replaceAll(/(`+)(?:(?!\1).)*\1/g, '');
      expect(prose).not.toMatch(/[a-z]{2,} [a-z]{2,}/i);
      expect(prose === '' || /\p{Script=Han}/u.test(prose)).toBe(true);
    }
  });

  test('who else a channel serves, and who reaches it', () => {
    const tokens = { bot_token: 'xoxb-1-1-a', app_token: 'xapp-1-1-a' };
    const of = (block: object) => all.parse({ channels: { slack: { enabled: true, ...tokens, ...block } } });
    const to = of({
      groups: { C1: { follow_threads: false } },
      http: { host: '0.0.0.0' },
      more_bot_tokens: ['xoxb-2-2-hidden'],
    });
    const found = changesOf(of({ groups: { C1: {} } }), to).map(
      ({ effect, words }) => `${marks[effect]} ${words('en')}`,
    );
    const ofSlack = { name: '`slack`', place: '`slack`', key: '`more_bot_tokens`' };
    expect(found).toEqual([
      `+ ${rightWords.en.moreWorkspaces(ofSlack)}`,
      `+ ${rightWords.en.channelHost({ ...ofSlack, isMore: true, address: '`0.0.0.0`' })}`,
      `− ${rightWords.en.followsThreads({ ...ofSlack, place: '`slack:C1`', isSo: false })}`,
    ]);
  });

  test('of every key that the config has that it concerns somebody, or it is known to concern nobody', () => {
    const config = schema.parse({});
    const rightAt = rightsOf(config, config);
    const places = leavesOf(z.toJSONSchema(all, { io: 'input', unrepresentable: 'any' }), []);
    const unknown = places.filter((names) =>
      names.every((_, index) => typeof rightAt(names.slice(0, index + 1)) !== 'function'),
    );
    const listed = readFileSync(new URL('./concern-nobody.txt', import.meta.url), 'utf8')
      .trimEnd()
      .split('\n');
    expect([...new Set(unknown.map((names) => names.join('.')))].toSorted()).toEqual(listed);
  });

  test('that a channel from elsewhere comes with everybody, and is gone', () => {
    const line = z.looseObject({ enabled: z.boolean(), allow_from: z.array(z.string()) });
    const without = schema.parse({});
    const plugged = wholeSchema({ telegram, line }).parse({
      channels: { line: { enabled: true, allow_from: ['*'] } },
    });
    expect(changesOf(without, plugged).map(({ words }) => words('en'))).toEqual([
      'the channel `line` is now in the config',
      'the channel `line` is now on',
      'everybody on `line` may now talk to me',
    ]);
    const gone = rightWords.en.channel({ name: '`line`', place: '`line`', key: '`line`', isSo: false });
    expect(changesOf(plugged, without).map(({ words }) => words('en'))).toEqual([gone]);
  });

  test('nothing where nothing differs but the order of people', () => {
    const owners = ['telegram:1', 'telegram:2'];
    expect(said({ owners }, { owners: owners.toReversed() })).toEqual([]);
  });

  test('of no secret what it was or is', () => {
    const withSecrets = (key: string, token: string) => ({
      models: { main: { provider: 'openai', name: 'x', api_key: key } },
      channels: { telegram: { enabled: true, token } },
    });
    expect(said(withSecrets('one', '123456789:AAAAAA'), withSecrets('other', '987654321:BBBBBB'))).toEqual([
      '· models.main.api_key: `models.main.api_key: changed`',
      '· channels.telegram.token: `channels.telegram.token: changed`',
    ]);
  });

  test('at most thirty things, what allows more before the rest, and how many more there are', () => {
    const owners = Array.from({ length: 29 }, (_, index) => `telegram:${index + 1}`);
    const told = said({}, { log: { level: 'debug' }, approval: { timeout_secs: 5, window_secs: 5 }, owners });
    expect(told).toHaveLength(31);
    expect(told[28]).toBe('+ owners: `telegram:29` is now an owner');
    expect(told.slice(29)).toEqual([
      `− approval.timeout_secs: ${rightWords.en.requestWaits({ isMore: false })}: \`approval.timeout_secs: 1800 → 5\``,
      '− : and 2 more',
    ]);
  });
});
