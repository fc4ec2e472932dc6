import { describe, expect, test } from 'vitest';
import { lateNote } from '../../src/words/message-parts.ts';
import { deliverySetting } from '../support/delivery-setting.ts';

const minute = 60_000;
const lateAfter = 10 * minute;
const reader = () => ({ timeZone: 'Asia/Shanghai', isNamed: false, language: 'en' }) as const;
/** There. */
const twoOClock = Date.UTC(2026, 2, 4, 6, 2);

function noteAfter(age: number, kind: Parameters<typeof lateNote>[0]['kind'] = 'reply'): string | undefined {
  return lateNote({ kind, createdAt: twoOClock, now: twoOClock + age, lateAfter, reader });
}

describe('a message that is shown late', () => {
  test('says when it was written, and how long ago that was', () => {
    expect(noteAfter(25 * minute)).toBe('*🕓 Late: written at 14:02, 25 min ago.*');
    expect(noteAfter(125 * minute)).toBe('*🕓 Late: written at 14:02, 2 h 5 min ago.*');
  });

  test('says the day too if that is another one', () => {
    expect(noteAfter(20 * 60 * minute)).toBe('*🕓 Late: written on 4 Mar 2026 at 14:02, 20 h ago.*');
  });

  test('says nothing up to the limit', () => {
    expect(noteAfter(lateAfter)).toBeUndefined();
    expect(noteAfter(lateAfter + 1)).toBeDefined();
  });

  test('says nothing if it is of now by itself', () => {
    const kinds = ['reply', 'for_user', 'notice', 'card', 'status'] as const;
    expect(kinds.filter((kind) => noteAfter(25 * minute, kind) !== undefined)).toEqual(['reply', 'for_user', 'notice']);
  });
});

const late = /^\*🕓 Late: written at \d\d:\d\d, \d+ min ago\.\*$/;
const transient = { type: 'transient' } as const;

describe('a delivery that comes late', () => {
  test('says so in front of the text, as of the moment when it is sent', async () => {
    const setting = await deliverySetting();
    setting.channel.failNext(transient);
    await setting.say('hello');
    await setting.clock.waitsFor(500);
    setting.clock.advance(25 * minute);
    await setting.whenIdle();
    const [text = ''] = setting.channel.textsIn('test:ada');
    expect(text.split('\n\n')).toEqual([expect.stringMatching(/written at \d\d:\d\d, 25 min ago/), 'hello']);
  });

  test('says it once, and cuts what follows as it began, however late the rest of it comes', async () => {
    const { channel, clock, say, whenIdle, failsAfter } = await deliverySetting({ capabilities: { maxLength: 300 } });
    const text = Array.from({ length: 60 }, (_, index) => `This is sentence ${index}.`).join(' ');
    channel.failNext(transient);
    await say(text);
    await clock.waitsFor(500);
    failsAfter(2);
    clock.advance(25 * minute);
    await clock.waitsFor(30_000);
    clock.advance(5 * minute);
    await whenIdle();
    const [first = '', second, again, ...rest] = channel.textsIn('test:ada');
    expect(again).toBe(second);
    const [note, beginning] = first.split('\n\n');
    expect(note).toMatch(late);
    expect([beginning, second, ...rest].join(' ')).toBe(text);
  });
});
