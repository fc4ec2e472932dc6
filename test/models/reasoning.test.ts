import { describe, expect, test } from 'vitest';
import type { ModelProvider, ReasoningEffort } from '../../src/models/language-model.ts';
import { request, sentFor } from './ask.ts';

/** What the provider is sent by a model of this name that is to think so hard. */
async function sentBy(provider: ModelProvider, name: string, reasoning?: ReasoningEffort): Promise<unknown> {
  const [body] = await sentFor({ provider, name, ...(reasoning && { reasoning }) }, request('hello'));
  return body;
}

describe('how hard a model thinks', () => {
  test.each([
    ['openai_compatible', 'qwen3', 'none', { reasoning_effort: 'none' }],
    ['openai_compatible', 'qwen3', 'high', { reasoning_effort: 'high' }],
    ['openai', 'gpt-5', 'low', { reasoning: { effort: 'low' } }],
    ['openai', 'gpt-5', 'high', { reasoning: { effort: 'high' } }],
    ['anthropic', 'claude-sonnet-4-5', 'none', { thinking: { type: 'disabled' } }],
    [
      'anthropic',
      'claude-sonnet-4-5',
      'medium',
      { thinking: { type: 'enabled', budget_tokens: expect.any(Number) }, max_tokens: expect.any(Number) },
    ],
    [
      'google',
      'gemini-2.5-pro',
      'low',
      { generationConfig: { thinkingConfig: { thinkingBudget: expect.any(Number) } } },
    ],
    ['google', 'gemini-3-pro-preview', 'high', { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } }],
  ] as const)('%s (%s): %s is said in its own words', async (provider, name, reasoning, body) => {
    expect(await sentBy(provider, name, reasoning)).toMatchObject(body);
  });

  test.each([
    ['openai_compatible', 'qwen3'],
    ['openai', 'gpt-5'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['google', 'gemini-2.5-pro'],
  ] as const)('%s: nothing is said of it where the config does not', async (provider, name) => {
    expect(JSON.stringify(await sentBy(provider, name))).not.toMatch(/effort|thinking/i);
  });
});
