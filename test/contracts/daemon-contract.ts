/** What the author of a channel can test beyond `@keyturn/sdk/channel-contract`: `keyturn/daemon-contract`. */
import { describe } from 'vitest';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonAnswers } from './daemon-answers.ts';
import { daemonApprovals } from './daemon-approvals.ts';
import { daemonCrowds } from './daemon-crowds.ts';
import { daemonFiles } from './daemon-files.ts';
import { daemonReferences } from './daemon-references.ts';
import { daemonRestarts } from './daemon-restarts.ts';
import { daemonStreams } from './daemon-streams.ts';

/** What the whole daemon promises with this channel. Tests of what the platform cannot do are not registered. */
export function daemonContract(name: string, setting: ChannelSetting): void {
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
