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

/**
 * What every channel promises: the adapter alone, with a host that writes down what it is told. Tests of what the platform
 * cannot do are not registered.
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
}
