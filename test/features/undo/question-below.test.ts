import { expect, test } from 'vitest';
import { deploySetting } from '../../engine/deploy-setting.ts';
import { call } from '../../support/scripted-model.ts';

test('a plain yes decides no card that the question of /undo stands below', async () => {
  const policy = { policy: 'require_for_tools', require_for: ['deploy'] } as const;
  const { channel, model, setting, clock, deploy } = await deploySetting({ config: { approval: policy } });
  model.next(
    [call('write_file', { path: 'a.txt', content: 'x' })],
    'written',
    [call('deploy', { what: 'site' })],
    'deployed',
  );
  await channel.ask('write', 'written');
  await channel.cardFor('deploy');
  await channel.whenIdle();
  await channel.say('/undo');
  await channel.sees(/a\.txt/);
  await channel.whenIdle();
  clock.advance(5000);
  await channel.say('yes', { sentAt: clock.now() });
  await channel.whenIdle();
  expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  expect(deploy.executed).toEqual([]);
});
