import { describe, expect, test } from 'vitest';
import { type DaemonSetting, type DaemonSettingOptions, daemonSetting, group } from '../support/daemon-setting.ts';
import { ScriptedModel } from '../support/scripted-model.ts';

interface Setting {
  readonly setting: DaemonSetting;
  readonly local: ScriptedModel;
  /** What the daemon can choose from beside its default, from its next start on. */
  readonly others: Record<string, ScriptedModel>;
}

/** A daemon with a second model, which says that it is that. */
async function withLocal(options: DaemonSettingOptions = {}): Promise<Setting> {
  const local = new ScriptedModel('local (qwen3)');
  local.otherwise(() => 'said by the local one');
  const others: Record<string, ScriptedModel> = { local };
  return { setting: await daemonSetting({ ...options, moreModels: others }), local, others };
}

describe('/model', () => {
  test('alone lists the models, and says which is used here and which is the default', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model', '- scripted: **used here**, default\n- local (qwen3)\n');
    await channel.ask('/model local', 'From now on local (qwen3) answers here.');
    await channel.ask('/model', '- scripted: default\n- local (qwen3): **used here**\n');
  });

  test('says so where there is nothing to choose', async () => {
    const { channel } = await daemonSetting();
    await channel.ask('/model', 'The config has no other.');
  });

  test('chooses for the conversation, and for no other', async () => {
    const { setting, local } = await withLocal();
    const { channel, model } = setting;
    await channel.ask('/model LOCAL', 'From now on local');
    await channel.ask('who are you?', 'said by the local one');
    await channel.ask('and here?', 'echo: [Ada] and here?', { in: group, at: 'test:team' });
    expect([local.requests.length, model.requests.length]).toEqual([1, 1]);
    expect((await channel.ask('/status', 'is up for')).text).toContain('Model: local (qwen3)');
    await channel.say('/status', { in: group });
    expect((await channel.sees('is up for', 'test:team')).text).toContain('Model: scripted');
  });

  test('is remembered over a restart and by a new conversation, until somebody chooses the default', async () => {
    const { setting, local } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model local', 'From now on local');
    await setting.restart();
    await channel.ask('/new', 'A new conversation');
    await channel.ask('who are you?', 'said by the local one');
    await channel.ask('/model default', 'From now on scripted answers here.');
    await channel.ask('and now?', 'echo: and now?');
    expect(local.requests).toHaveLength(1);
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('with a name that there is not says which there are, or which was meant', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model lcoal', 'There is no model `lcoal`. Do you mean `local`?');
    await channel.ask('/model something-else', 'There is no model `something-else`. There are: `scripted`, `local`.');
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('that is delivered twice acts once', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.ask('/model local', 'From now on local', { key: 'k1' });
    await channel.ask('/model default', 'From now on scripted');
    await channel.sayAtRest('/model local', { key: 'k1' });
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('may be used in a group by those who may use commands there', async () => {
    const groups = { team: { allow_from: ['*'], commands_from: ['owner'] } };
    const { setting, local } = await withLocal({ config: { channels: { test: { groups } } } });
    const { channel } = setting;
    await channel.say('/model local', { by: 'eve', in: group });
    await channel.ask('hello', 'echo: [Eve] hello', { by: 'eve', in: group, at: 'test:team' });
    expect(local.requests).toEqual([]);
    await channel.ask('/model local', 'From now on local', { in: group, at: 'test:team' });
    await channel.ask('hello again', 'said by the local one', { by: 'eve', in: group, at: 'test:team' });
  });
});

test('a message that is being answered is answered by the model that it was given to', async () => {
  const { setting, local } = await withLocal();
  const { channel, model } = setting;
  const { promise, resolve } = Promise.withResolvers<string>();
  model.next(() => promise);
  await channel.say('slowly');
  await model.asked(1);
  await channel.ask('/model local', 'From now on local');
  resolve('said by the first one');
  await channel.sees('said by the first one');
  await channel.ask('and now?', 'said by the local one');
  expect([model.requests.length, local.requests.length]).toEqual([1, 1]);
});

test('a model that the config does not have any more is replaced by the default', async () => {
  const { setting, others } = await withLocal();
  const { channel } = setting;
  await channel.ask('/model local', 'From now on local');
  await setting.stop();
  delete others.local;
  await setting.start();
  await channel.ask('who are you?', 'echo: who are you?');
  await channel.ask('/model', '- scripted: **used here**, default');
});
