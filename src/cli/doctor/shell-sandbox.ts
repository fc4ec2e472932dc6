import { programOnPath } from '../../lib/programs.ts';
import { wordsIn } from '../../lib/words.ts';
import { findShell } from '../../tools/guard/process/command-shell.ts';
import { trySandbox } from '../../tools/guard/process/sandbox-trial.ts';
import { type CheckContext, doubt, fault, type Problem, type Seen, said } from './check.ts';
import { doctorWords } from './words.ts';

const name = 'sandbox';

/** Whether commands are kept in bounds here. Runs one that does nothing. */
export async function checkSandbox({ loaded }: CheckContext): Promise<Seen | undefined> {
  if (loaded?.config.tools.shell.enabled !== true) return undefined;
  const { environment, config } = loaded;
  const { sandbox, allowed_domains } = config.tools.shell;
  const seen = { name, state: (language: 'en' | 'zh') => doctorWords[language].sandboxHolds };
  if (sandbox === 'off')
    return { ...seen, problems: [doubt(said((language) => doctorWords[language].sandboxOff, {}))] };
  const shell = await findShell(environment.PATH);
  const state = await trySandbox({ environment, needsNetwork: allowed_domains.length > 0, shell });
  if (state.holds) return { ...seen, problems: [] };
  const { reason } = state;
  const needsSocat = allowed_domains.length > 0;
  const isMissing = ['bwrap', ...(needsSocat ? ['socat'] : [])].some(
    (program) => programOnPath(program, environment.PATH) === undefined,
  );
  const isRequired = sandbox === 'required';
  const words: Problem['words'] = (language) =>
    said((reader) => doctorWords[reader].sandboxFails, { reason: wordsIn(language, reason), isMissing, isRequired })(
      language,
    );
  return { ...seen, problems: [isRequired ? fault(words) : doubt(words)] };
}
