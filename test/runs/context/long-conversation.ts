import { expect } from 'vitest';
import { llmOnly } from '../../../src/tools/output.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { SeededRandom } from '../../support/random.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { askedOf, asksForSummary, summariesOf, tokensOf, tooLong } from './narrow-window.ts';

/** Lets the model answer so many times, with calls and words of all lengths, in a window of 32,000 tokens that it keeps to. */
export async function converse(turns: number, seed: number) {
  const random = new SeededRandom(seed);
  const look = new RecordingTool('look', 'memory', () => llmOnly('result '.repeat(random.integer(0, 1500))));
  const agent = { burst_ms: 0, context_tokens: 32_000, max_turns: 10_000, max_repeats: 0 };
  const config = { agent, tools: { only: ['look'], rate_limits: {} } };
  const { setting, model, channel } = await daemonSetting({ config, tools: [look.registration] });
  const figures = { turns: 0, summaries: 0, refused: 0, notices: 0, longest: 0 };
  let isLeft = 0;
  model.otherwise((request) => {
    const size = tokensOf(request);
    figures.longest = Math.max(figures.longest, size);
    if (size > 32_000) {
      // It is made again, smaller.
      figures.refused += 1;
      throw tooLong();
    }
    if (asksForSummary(request)) return 'summary '.repeat(random.integer(5, 300));
    figures.turns += 1;
    expect(JSON.stringify(request.messages)).toContain(`said-${said};`);
    if (isLeft > 0) {
      isLeft -= 1;
      return [call('look', { what: 'thing '.repeat(random.integer(1, 200)) })];
    }
    return `answered ${said}; ${'and more '.repeat(random.integer(0, 300))}`;
  });
  let said = 0;
  while (figures.turns < turns) {
    said += 1;
    isLeft = random.integer(0, 6);
    await channel.say(`said-${said}; ${'words '.repeat(random.integer(1, 600))}`);
    await channel.sees(`answered ${said};`);
    await channel.whenIdle();
    figures.summaries += summariesOf(setting).length;
    expect(askedOf(setting).length).toBeGreaterThan(0);
    figures.notices += channel.screen.filter(({ kind }) => kind === 'notice').length;
    for (const list of [model.requests, model.timed]) list.length = 0;
    channel.clear();
  }
  return figures;
}
