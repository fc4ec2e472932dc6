import { describe, expect, it } from 'vitest';
import { folded, timeElement, unfold } from '../../src/lib/folds.ts';

describe('a folded block', () => {
  it('is taken out of a text, with its title', () => {
    const text = ['May I?', folded('Everything', '```json\n{\n\n}\n```'), 'Until 21:16.'].join('\n\n');
    expect(unfold(text)).toEqual({
      shown: 'May I?\n\nUntil 21:16.',
      details: '**Everything**\n\n```json\n{\n\n}\n```',
    });
  });

  it('is not what code shows, nor another quotation', () => {
    const text = '```\n> [!details]- x\n```\n\n> a quotation\n> [!details]- y';
    const { shown, details } = unfold(text.replace('\n> [!details]- y', ''));
    expect({ shown, details }).toEqual({ shown: text.replace('\n> [!details]- y', ''), details: undefined });
  });
});

describe('an instant', () => {
  it('keeps its words for those who have no element for it', () => {
    expect(timeElement(0, '00:00 UTC')).toBe('<time datetime="1970-01-01T00:00:00.000Z">00:00 UTC</time>');
  });
});
