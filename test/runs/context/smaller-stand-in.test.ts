import { expect, test } from 'vitest';
import { silentLog } from '../../../src/lib/log.ts';
import { createFailover } from '../../../src/models/failover.ts';
import { ModelError } from '../../../src/models/language-model.ts';
import { daemonSetting } from '../../support/daemon-setting.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { ScriptedModel, type ScriptedRequest, wordsOf } from '../../support/scripted-model.ts';
import { asksForSummary, narrow, tokensOf } from './narrow-window.ts';

/** A conversation of about so many tokens with a large model, in whose place a small one answers when it is down. */
async function withSmallStandIn(messages: number) {
  const [large, small] = [new ScriptedModel('large'), new ScriptedModel('small')];
  const clock = new ManualClock();
  const main = createFailover(clock, silentLog)({ name: 'main', model: large }, [{ name: 'small', model: small }]);
  const agent = { burst_ms: 0, context_tokens: 100_000, summaries: false };
  const setting = await daemonSetting({ config: { agent, tools: { only: [] } }, moreModels: { main } });
  await setting.channel.say('/model main');
  large.otherwise((request) => `large heard ${wordsOf(request).slice(-4)}`);
  narrow({ model: small }, 6000);
  for (let count = 0; count < messages; count += 1)
    await heard(setting, `${'word '.repeat(1000)}${1000 + count}`, 'large');
  return { setting, large, small, clock };
}

async function heard(
  { channel }: Awaited<ReturnType<typeof daemonSetting>>,
  words: string,
  by: 'large' | 'heard',
): Promise<void> {
  await channel.say(words);
  await channel.sees(by === 'large' ? `large heard ${words.slice(-4)}` : new RegExp(`^heard .*${words.slice(-4)}$`));
  await channel.whenIdle();
}

test('a model with a smaller window stands in, and the first one reads as much as ever when it is back', async () => {
  const { setting, large, small, clock } = await withSmallStandIn(20);
  let isDown = true;
  large.otherwise((request) => {
    if (isDown) throw new ModelError('transient', 'It is overloaded.');
    return `large heard ${wordsOf(request).slice(-4)}`;
  });
  await heard(setting, 'and now 2000', 'heard');
  await heard(setting, 'and then 2001', 'heard');
  expect(small.requests.filter((request) => tokensOf(request) <= 6000)).toHaveLength(2);
  isDown = false;
  clock.advance(3_600_000);
  await heard(setting, 'and at last 2002', 'large');
  expect(wordsOf(last(large.requests))).toContain('word 1000');
});

test('tools that fill the window which a model turns out to have are told in short', async () => {
  const config = { agent: { burst_ms: 0, context_tokens: 100_000 } };
  const { model, channel } = await daemonSetting({ config });
  await channel.ask('hello', 'echo: hello');
  const whole = tokensOf(last(model.requests));
  narrow({ model }, Math.floor(whole * 0.9));
  await channel.ask('are you there?', 'heard e you there?');
  const told = model.requests.filter((request) => !asksForSummary(request));
  expect(JSON.stringify(last(told).tools).length).toBeLessThan(JSON.stringify(told[0]?.tools).length);
});

function last(requests: readonly ScriptedRequest[]): ScriptedRequest {
  const request = requests.at(-1);
  if (request === undefined) throw new Error('nothing was asked');
  return request;
}
