import { describe } from 'vitest';
import { adapterEvents } from './adapter-events.ts';
import { adapterFaults } from './adapter-faults.ts';
import { adapterLifecycle } from './adapter-lifecycle.ts';
import { adapterMessages } from './adapter-messages.ts';
import { adapterPeople } from './adapter-people.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonAnswers } from './daemon-answers.ts';
import { daemonApprovals } from './daemon-approvals.ts';
import { daemonRestarts } from './daemon-restarts.ts';

/**
 * What every channel promises: first the adapter alone, with a host that writes down what it is told, then the whole
 * daemon with this channel. Tests of what the platform cannot do are not registered.
 */
export function channelContract(name: string, setting: ChannelSetting): void {
  describe(`${name}: the adapter`, () => {
    adapterLifecycle(setting);
    adapterEvents(setting);
    adapterPeople(setting);
    adapterMessages(setting);
    adapterFaults(setting);
  });
  describe(`${name}: Keyturn`, () => {
    daemonAnswers(setting);
    daemonApprovals(setting);
    daemonRestarts(setting);
  });
}
