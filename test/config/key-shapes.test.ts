import { expect, test } from 'vitest';
import { makerOf } from '../../src/config/key-shapes.ts';

test.each([
  ['sk-ant-api03-abc', 'Anthropic'],
  ['sk-or-v1-abc', 'OpenRouter'],
  ['sk-proj-abc', 'OpenAI'],
  ['sk-svcacct-abc', 'OpenAI'],
  ['AIzaSyabc', 'Google'],
  ['gsk_abc', 'Groq'],
  ['xai-abc', 'xAI'],
  // OpenAI's of before, DeepSeek's, and others'.
  ['sk-abc', undefined],
  ['ghp_abc', undefined],
])('the key %s is that of %s', (key, title) => {
  expect(makerOf(key)?.title).toBe(title);
});
