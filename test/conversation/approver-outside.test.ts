import { describe, expect, test } from 'vitest';
import { deploySetting } from '../engine/deploy-setting.ts';
import { group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { call } from '../support/scripted-model.ts';

const carls = direct('test', 'carl');

/** A card for Carl, who decides and may not talk, in a place where they can read it. */
async function cardForCarl(place: 'test:carl' | 'test:team') {
  const config = { approval: { approvers: ['test:carl'], forward_to: [place] } };
  const { setting, model, channel, deploy } = await deploySetting({ config });
  // The places become known: Ada talks in the group, and Carl is refused in their chat.
  await channel.say('hello', { in: group });
  await channel.ask('hello', 'private assistant', { by: 'carl', at: 'test:carl' });
  await channel.sees(/^echo: /, 'test:team');
  model.next([call('deploy', { what: 'site' })]);
  await channel.cardFor('deploy the site', { at: place });
  const [approval] = setting.rows('SELECT id FROM approvals');
  return { setting, model, channel, deploy, id: String(approval?.id) };
}

describe.each([
  { place: 'test:carl', conversation: carls },
  { place: 'test:team', conversation: group },
] as const)('an approver who may not talk, in $place', ({ place, conversation }) => {
  const deed = { by: 'carl', in: conversation };

  test('types /approve, and the call runs', async () => {
    const { channel, deploy, id } = await cardForCarl(place);
    await channel.ask(`/approve ${id}`, /^✅ Approved by `test:carl`/, { ...deed, at: place });
    await deploy.ran(1);
    expect(deploy.executed).toEqual(['site']);
  });

  test('types /deny, and the model reads their reason', async () => {
    const { setting, channel, deploy, id } = await cardForCarl(place);
    await channel.askAtRest(`/deny ${id} too risky`, '(too risky)', { ...deed, at: place });
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'denied' }]);
    expect(deploy.executed).toEqual([]);
  });

  test('is not heard otherwise', async () => {
    const { setting, model, channel } = await cardForCarl(place);
    const [asked, shown] = [model.requests.length, channel.screen.length];
    for (const text of ['list the files', '/new', '/stop', '/status', '/grants', '/claim k3f9abcd']) {
      await channel.say(text, deed);
    }
    await channel.whenIdle(conversation);
    expect(model.requests).toHaveLength(asked);
    expect(channel.screen).toHaveLength(shown);
    expect(setting.rows(`SELECT key FROM inbox WHERE principal = 'test:carl'`)).toEqual([]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });

  test('is no approver as a machine, nor where the message is not for Keyturn', async () => {
    const { setting, channel, id } = await cardForCarl(place);
    await channel.say(`/approve ${id}`, { ...deed, isPerson: false });
    await channel.say(`/approve ${id}`, { ...deed, addressed: false });
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
  });

  test('and a stranger cannot do what they can', async () => {
    const { setting, channel, id } = await cardForCarl(place);
    await channel.say(`/approve ${id}`, { by: 'eve', in: conversation });
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    expect(setting.rows(`SELECT key FROM inbox WHERE principal = 'test:eve'`)).toEqual([]);
  });
});
