import { describe } from 'vitest';
import { adapterEvents } from './adapter-events.ts';
import { adapterFaults } from './adapter-faults.ts';
import { adapterFiles } from './adapter-files.ts';
import { adapterHeartbeat } from './adapter-heartbeat.ts';
import { adapterLifecycle } from './adapter-lifecycle.ts';
import { adapterMemory } from './adapter-memory.ts';
import { adapterMessages } from './adapter-messages.ts';
import { adapterPeople } from './adapter-people.ts';
import { adapterReferences } from './adapter-references.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonAnswers } from './daemon-answers.ts';
import { daemonApprovals } from './daemon-approvals.ts';
import { daemonCrowds } from './daemon-crowds.ts';
import { daemonFiles } from './daemon-files.ts';
import { daemonReferences } from './daemon-references.ts';
import { daemonRestarts } from './daemon-restarts.ts';
import { daemonStreams } from './daemon-streams.ts';

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
    adapterReferences(setting);
    adapterFiles(setting);
    adapterFaults(setting);
    adapterHeartbeat(setting);
    adapterMemory(setting);
  });
  describe(`${name}: Keyturn`, () => {
    daemonAnswers(setting);
    daemonStreams(setting);
    daemonReferences(setting);
    daemonFiles(setting);
    daemonCrowds(setting);
    daemonApprovals(setting);
    daemonRestarts(setting);
  });
}
