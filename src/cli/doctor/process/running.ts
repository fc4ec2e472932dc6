import { differencesOf, isOfNextStart, marked } from '../../../config/differences.ts';
import type { ConfigFacts } from '../../../daemon/local-socket/config-facts.ts';
import type { StatusFacts } from '../../../daemon/local-socket/status-facts.ts';
import { ownVersion } from '../../../lib/own-version.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CheckContext, doubt, fault, type Problem, type Seen, said } from '../check.ts';
import { doctorWords } from '../words.ts';
import { processWords } from './words.ts';

const name = 'process';

/** Whether the daemon of this data folder answers, is of this version, reaches its channels, and holds the config. */
export async function checkRunning(context: CheckContext): Promise<Seen> {
  const { place, isRunning } = context;
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
      problems: [
        ...versionProblems(version),
        ...facts.channels.flatMap(channelProblems),
        ...stateProblems(facts),
        ...(await configProblems(context)),
      ],
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

/** So many that it is no moment's delay. */
const manyWaiting = 20;

function stateProblems({ model, waiting, isUnclaimed }: StatusFacts): readonly Problem[] {
  const problems: Problem[] = [];
  if (model?.fault !== undefined)
    problems.push(
      fault(said((language) => processWords[language].modelSilent, { name: model.name, why: model.fault?.text ?? '' })),
    );
  const count = waiting?.undelivered ?? 0;
  if (count >= manyWaiting) problems.push(fault(said((language) => processWords[language].undelivered, { count })));
  if (isUnclaimed) problems.push(doubt(said((language) => processWords[language].unclaimed, {})));
  return problems;
}

/** Whether the file is what is in force. An older version does not say. */
async function configProblems({ place, loaded }: CheckContext): Promise<readonly Problem[]> {
  const held = await askDaemon<ConfigFacts>({ place, language: 'en' }, { request: 'config', fields: ['config'] }).catch(
    (error: unknown) => {
      if (error instanceof UnansweredError) return undefined;
      throw error;
    },
  );
  if (held === undefined) return [];
  if (loaded === undefined) return [fault(said((language) => processWords[language].olderConfig, {}))];
  const keys = differencesOf(held.config, marked(loaded.config)).map(({ key }) => key);
  if (keys.length === 0) return [];
  return keys.every(isOfNextStart)
    ? [doubt(said((language) => processWords[language].needsRestart, { keys }))]
    : [doubt(said((language) => processWords[language].otherConfig, { keys }))];
}
