import type { StatusFacts } from '../../daemon/local-socket/status-facts.ts';
import { ownVersion } from '../../lib/own-version.ts';
import { askDaemon } from '../ask-daemon.ts';
import { UnansweredError } from '../unanswered-error.ts';
import { type CheckContext, doubt, fault, type Problem, type Seen, said } from './check.ts';
import { doctorWords } from './words.ts';

const name = 'process';

/** Whether the daemon of this data folder answers, is of this version, and reaches its channels. */
export async function checkRunning({ place, isRunning }: CheckContext): Promise<Seen> {
  if (!isRunning) return { name, state: (language) => doctorWords[language].notRunning, problems: [] };
  try {
    const facts = await askDaemon<StatusFacts>(
      { place, language: 'en' },
      { request: 'status', fields: ['version', 'channels'] },
    );
    const { version, pid } = facts;
    return {
      name,
      state: (language) => doctorWords[language].running({ version, pid }),
      problems: [...versionProblems(version), ...facts.channels.flatMap(channelProblems)],
    };
  } catch (error) {
    if (!(error instanceof UnansweredError)) throw error;
    const words = said((language) => doctorWords[language].socketFails, { why: error.message });
    return { name, state: (language) => doctorWords[language].fault, problems: [fault(words)] };
  }
}

function versionProblems(running: string): readonly Problem[] {
  const own = ownVersion();
  return running === own ? [] : [doubt(said((language) => doctorWords[language].otherVersion, { running, own }))];
}

function channelProblems({ name: platform, status, reason }: StatusFacts['channels'][number]): readonly Problem[] {
  if (status !== 'failing' && status !== 'dead') return [];
  return [fault(said((language) => doctorWords[language].channelFails, { platform, why: reason ?? status }))];
}
