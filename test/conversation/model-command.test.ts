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
    await channel.say('/model');
    await channel.sees('- scripted: **used here**, default\n- local (qwen3)\n');
    await channel.say('/model local');
    await channel.sees('From now on local (qwen3) answers here.');
    await channel.say('/model');
    await channel.sees('- scripted: default\n- local (qwen3): **used here**\n');
  });

  test('says so where there is nothing to choose', async () => {
    const { channel } = await daemonSetting();
    await channel.say('/model');
    await channel.sees('The config has no other.');
  });

  test('chooses for the conversation, and for no other', async () => {
    const { setting, local } = await withLocal();
    const { channel, model } = setting;
    await channel.say('/model LOCAL');
    await channel.sees('From now on local');
    await channel.say('who are you?');
    await channel.sees('said by the local one');
    await channel.say('and here?', { in: group });
    await channel.sees('echo: [Ada] and here?', 'test:team');
    expect([local.requests.length, model.requests.length]).toEqual([1, 1]);
    await channel.say('/status');
    expect((await channel.sees('is up for')).text).toContain('Model: local (qwen3)');
    await channel.say('/status', { in: group });
    expect((await channel.sees('is up for', 'test:team')).text).toContain('Model: scripted');
  });

  test('is remembered over a restart and by a new conversation, until somebody chooses the default', async () => {
    const { setting, local } = await withLocal();
    const { channel } = setting;
    await channel.say('/model local');
    await channel.sees('From now on local');
    await setting.restart();
    await channel.say('/new');
    await channel.sees('A new conversation');
    await channel.say('who are you?');
    await channel.sees('said by the local one');
    await channel.say('/model default');
    await channel.sees('From now on scripted answers here.');
    await channel.say('and now?');
    await channel.sees('echo: and now?');
    expect(local.requests).toHaveLength(1);
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('with a name that there is not says which there are, or which was meant', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.say('/model lcoal');
    await channel.sees('There is no model `lcoal`. Do you mean `local`?');
    await channel.say('/model something-else');
    await channel.sees('There is no model `something-else`. There are: `scripted`, `local`.');
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('that is delivered twice acts once', async () => {
    const { setting } = await withLocal();
    const { channel } = setting;
    await channel.say('/model local', { key: 'k1' });
    await channel.sees('From now on local');
    await channel.say('/model default');
    await channel.sees('From now on scripted');
    await channel.say('/model local', { key: 'k1' });
    await channel.whenIdle();
    expect(setting.rows('SELECT model FROM conversations')).toEqual([{ model: null }]);
  });

  test('may be used in a group by those who may use commands there', async () => {
    const groups = { team: { allow_from: ['*'], commands_from: ['owner'] } };
    const { setting, local } = await withLocal({ config: { channels: { test: { groups } } } });
    const { channel } = setting;
    await channel.say('/model local', { by: 'eve', in: group });
    await channel.say('hello', { by: 'eve', in: group });
    await channel.sees('echo: [Eve] hello', 'test:team');
    expect(local.requests).toEqual([]);
    await channel.say('/model local', { in: group });
    await channel.sees('From now on local', 'test:team');
    await channel.say('hello again', { by: 'eve', in: group });
    await channel.sees('said by the local one', 'test:team');
  });
});

test('a message that is being answered is answered by the model that it was given to', async () => {
  const { setting, local } = await withLocal();
  const { channel, model } = setting;
  const { promise, resolve } = Promise.withResolvers<string>();
  model.next(() => promise);
  await channel.say('slowly');
  await model.asked(1);
  await channel.say('/model local');
  await channel.sees('From now on local');
  resolve('said by the first one');
  await channel.sees('said by the first one');
  await channel.say('and now?');
  await channel.sees('said by the local one');
  expect([model.requests.length, local.requests.length]).toEqual([1, 1]);
});

test('a model that the config does not have any more is replaced by the default', async () => {
  const { setting, others } = await withLocal();
  const { channel } = setting;
  await channel.say('/model local');
  await channel.sees('From now on local');
  await setting.stop();
  delete others.local;
  await setting.start();
  await channel.say('who are you?');
  await channel.sees('echo: who are you?');
  await channel.say('/model');
  await channel.sees('- scripted: **used here**, default');
});
