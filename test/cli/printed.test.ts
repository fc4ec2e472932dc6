import { expect, test } from 'vitest';
import { columns } from '../../src/cli/columns.ts';
import { listText } from '../../src/cli/commands/see/approvals.ts';
import { peopleText } from '../../src/cli/commands/see/people.ts';
import { storyText } from '../../src/cli/commands/see/runs-show.ts';
import { printed } from '../../src/cli/printed.ts';

/** Clears the screen, by both sets of controls; turns the direction; and writes a line that looks like ours. */
const hostile = 'ada\u001b[2J\u009b2J\u202e\u2066\u2028\r\nowner: telegram:1';
const obeyed = /[[\p{Cc}\p{Bidi_Control}\p{Zl}]--\n]/v;

test('what a terminal would obey is printed as an escape; in JSON it stays the same text', () => {
  expect(printed(hostile)).not.toMatch(obeyed);
  expect(printed('a\u001b\u009b\u202e')).toBe('a\\u001b\\u009b\\u202e');
  const json = printed(JSON.stringify({ name: hostile }, undefined, 2));
  expect(json).not.toMatch(obeyed);
  expect(JSON.parse(json)).toEqual({ name: hostile });
  const plain = '你好　👩‍👩‍👧 é\n  - b';
  expect(printed(plain)).toBe(plain);
});

test('a name of many lines stays on one line of a list', () => {
  expect(columns([[hostile, 'x']])).toHaveLength(1);
  expect(columns([[hostile, 'x']])[0]).not.toMatch(/[\n\r]/);
  const people = { owners: [], paired: [], refused: [], linked: [], waiting: [] };
  const waiting = [{ principal: 'telegram:2', name: hostile, until: 5, at: 1, channel: 'telegram' }];
  expect(peopleText({ ...people, waiting }, 0, 'en').split('\n')).toHaveLength(2);
});

test('nobody forges a line of an approval or a run', () => {
  const approval = {
    id: 'one',
    type: 'question',
    what: hostile,
    requester: 'telegram:2',
    tool: 'shell',
    createdAt: 1,
    expiresAt: undefined,
  } as const;
  const listed = listText([{ ...approval, requesterName: hostile, conversation: hostile }], 0, 'en');
  expect(listed.split('\n')).toHaveLength(3);
  const run = { id: 'r', conversationId: 'test:1', principal: 'test:ada', beganAt: 1, lastAt: 1, turns: 0, calls: 0 };
  const sums = { tokens: 0, cost: 0, models: '', closing: undefined, isOpen: false, isSubRun: false };
  const message = { seq: 1, kind: 'message', at: 1, name: hostile, principal: 'test:eve', text: hostile } as const;
  const story = { run: { ...run, ...sums }, messages: [message], turns: [], calls: [] };
  const text = storyText(story, { language: 'en', now: 2, currency: 'USD' });
  expect(text.split('\n')).toHaveLength(4);
  expect(text).not.toMatch(obeyed);
});
