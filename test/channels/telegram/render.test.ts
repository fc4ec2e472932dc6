import { describe, expect, test } from 'vitest';
import { renderNotice } from '../../../channels/telegram/render.ts';

describe('a notice', () => {
  test('that is short stays as it is', () => {
    expect(renderNotice('x'.repeat(200))).toBe('x'.repeat(200));
  });

  test('that is long is cut to 200 units, between characters', () => {
    expect(renderNotice('x'.repeat(300))).toHaveLength(200);
    expect(renderNotice('😀'.repeat(150))).toBe(`${'😀'.repeat(99)}…`);
    expect(renderNotice(`x${'😀'.repeat(150)}`).isWellFormed()).toBe(true);
  });
});
