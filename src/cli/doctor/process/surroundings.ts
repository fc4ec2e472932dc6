/* What the process lives in: who runs it, its time zone, and what the config names outside of itself. */

import { type Finding, spellPath } from '../../../config/config-error.ts';
import { lookAround, lookAtPorts } from '../../../config/look-around.ts';
import { isTimeZone } from '../../../lib/time-words.ts';
import { wordsIn } from '../../../lib/words.ts';
import { type CheckContext, doubt, fault, type Problem, type Seen, said } from '../check.ts';
import { processWords } from './words.ts';

/** The user and the time zone. */
export async function checkUser({ place, user = process.getuid?.() }: CheckContext): Promise<Seen> {
  const { TZ: zone = '' } = place.env;
  const problems: Problem[] = [];
  if (user === 0) problems.push(doubt(said((language) => processWords[language].asRoot, {})));
  // A path names a file of the system.
  if (zone !== '' && !/^[:/]/.test(zone) && !isTimeZone(zone))
    problems.push(fault(said((language) => processWords[language].unknownZone, { zone })));
  return { name: 'user', state: (language) => processWords[language].userRight, problems };
}

/** The programs, files and ports that the config names. Models, folders and the sandbox have checks of their own. */
export async function checkNamed({ loaded, place, isRunning }: CheckContext): Promise<Seen | undefined> {
  if (loaded === undefined) return undefined;
  const { settingsOfFeatures } = await import('../../../features/index.ts');
  const { config, brought, environment } = loaded;
  const findings = [
    ...(await lookAround(config, { ...environment, PATH: place.env.PATH }, await settingsOfFeatures())),
    ...(await lookAtPorts(config, brought, () => isRunning)),
  ].filter(isOwn);
  return {
    name: 'programs',
    state: (language) => processWords[language].allThere,
    problems: findings.map(namedProblem),
  };
}

function isOwn({ path: [first, second] }: Finding): boolean {
  const hasCheck = ['models', 'data_dir', 'workspace', 'transcription', 'speech'].includes(String(first));
  return !hasCheck && !(first === 'tools' && second === 'shell');
}

function namedProblem({ path, text }: Finding): Problem {
  const key = spellPath(path);
  return fault((language) =>
    said((reader) => processWords[reader].named, { key, fault: wordsIn(language, text) })(language),
  );
}
