import { describe, expect, test } from 'vitest';
import { type OfferRules, offeredIn } from '../../src/tools/offer.ts';
import { scopeIn } from './setting.ts';

const shell = { name: 'shell', category: 'shell' } as const;
const readFile = { name: 'read_file', category: 'filesystem_read' } as const;
const writeFile = { name: 'write_file', category: 'filesystem_write' } as const;

const inTeam = {
  ...scopeIn('/w'),
  channel: 'slack',
  tenant: 'T1',
  chatId: 'C1',
  threadId: '7',
  conversationId: 'slack:T1:C1:#7',
};

function rules(everywhere: Partial<OfferRules['everywhere']>, places: OfferRules['places'] = {}): OfferRules {
  return { everywhere: { disabled: [], only: ['*'], ...everywhere }, places };
}

describe('what is offered', () => {
  test.each([
    ['all, without rules', rules({}), [true, true, true]],
    ['but a name', rules({ disabled: ['shell'] }), [false, true, true]],
    ['but a pattern', rules({ disabled: ['*_file'] }), [true, false, false]],
    ['but a category', rules({ disabled: ['category:filesystem_write'] }), [true, true, false]],
    ['nothing else than a category', rules({ only: ['category:filesystem_read'] }), [false, true, false]],
    [
      'nothing else than these, but for what is off',
      rules({ only: ['*_file'], disabled: ['write_file'] }),
      [false, true, false],
    ],
    ['nothing, where nothing is listed', rules({ only: [] }), [false, false, false]],
  ])('%s', (_what, offers, expected) => {
    expect([shell, readFile, writeFile].map(offeredIn(offers, inTeam))).toEqual(expected);
  });

  test.each(['slack', 'slack:T1', 'slack:T1/C1', 'slack:C1', 'slack:T1:C1:#7'])(
    'less in %s, and elsewhere as ever',
    (place) => {
      const offers = rules({}, { [place]: { disabled: ['shell'], only: ['*'] } });
      expect(offeredIn(offers, inTeam)(shell)).toBe(false);
      expect(
        offeredIn(offers, {
          ...inTeam,
          channel: 'telegram',
          conversationId: 'telegram:C2',
          chatId: 'C2',
          tenant: 'T2',
        })(shell),
      ).toBe(true);
    },
  );

  test('a place never gets more than what is offered everywhere', () => {
    const offers = rules({ disabled: ['shell'] }, { slack: { disabled: [], only: ['*'] } });
    expect(offeredIn(offers, inTeam)(shell)).toBe(false);
  });

  test.each(['__proto__', 'constructor'])('a chat called %s has no rules of its own', (chatId) => {
    expect(offeredIn(rules({}), { ...inTeam, channel: chatId })(shell)).toBe(true);
  });
});
