import { expect, test } from 'vitest';
import { daemonWords } from '../../src/daemon/words.ts';
import { modelErrorFor } from '../../src/models/fault-table.ts';
import { modelWords } from '../../src/models/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';

const unreachable = {
  modelKey: 'main',
  modelName: 'm',
  baseUrl: 'http://127.0.0.1:9/v1',
  serverKind: 'compatible',
  secrets: [],
} as const;

test('a fault of the model is told in the language of the person who waits', async () => {
  const { channel, model } = await daemonSetting({ config: { agent: { wait_for_model_secs: 0 } } });
  const refuse = () => {
    throw modelErrorFor({ status: 401, message: 'no' }, unreachable);
  };
  await channel.ask('/language zh', /^从现在起/);
  model.next(refuse);
  await channel.ask('今天天气怎么样', `⚠️ ${modelWords.zh.keyRefused(unreachable).replaceAll('_', '\\_')}`);
  await channel.ask('/language en', /^I speak/);
  model.next(refuse);
  await channel.ask('What is the weather like?', `⚠️ ${modelWords.en.keyRefused(unreachable).replaceAll('_', '\\_')}`);
});

test('owners are told of the config file in their language', async () => {
  const { setting, channel } = await daemonSetting();
  await channel.ask('/language zh', /^从现在起/);
  setting.configFault('x.json:1:1');
  await channel.sees('⚠️ x.json:1:1');
  setting.configFault(undefined);
  await channel.sees(daemonWords.zh.configInOrder);
  expect(channel.screen.map(({ text }) => text)).not.toContain(daemonWords.en.configInOrder);
});
