import { test } from 'vitest';
import { deploySetting } from '../../engine/deploy-setting.ts';
import { call } from '../../support/scripted-model.ts';
import type { TestChannel } from '../../support/test-channel.ts';

const adas = 'test:ada';
const bobs = 'test:bob';
const both = [adas, bobs];

/** Where cards with buttons stand. */
function pressable(channel: TestChannel): readonly string[] {
  return channel.screen.filter(({ buttons }) => buttons.length > 0).map(({ conversationId }) => conversationId);
}

test.each(['/unlink test:bob', 'people'])(
  'a card whose approver is no longer linked is offered to others: %s',
  async (how) => {
    const isFixed = how === 'people';
    const config = { owners: ['test:ada'], ...(isFixed ? { people: { Ada: both } } : {}) };
    const around = await deploySetting({ allowFrom: ['bob'], config });
    const { setting, channel, model } = around;
    const offer = await channel.ask('/link', /The code: `(\w+)`/);
    const code = /The code: `(\w+)`/.exec(offer.text)?.[1];
    if (!isFixed) await channel.ask(`/link ${code}`, '🔗 Linked: this account', { by: 'bob', at: bobs });
    model.next([call('deploy', { what: 'site' })]);
    await channel.cardFor('deploy the site', { by: 'bob', at: bobs });
    if (isFixed) await setting.edit({ people: {} });
    else await channel.say(how);
    await channel.changes.waitFor(() => pressable(channel).join() === adas || undefined, {
      what: 'a card for Ada alone',
    });
  },
);
