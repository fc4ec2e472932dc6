import type { LogLevelFacts } from '../../../daemon/local-socket/log-level.ts';
import { logLevels } from '../../../lib/log.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { UnansweredError } from '../../unanswered-error.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { logLevelWords } from './words.ts';

/** `log-level`: how much the running process logs, until it ends. */
export async function logLevel(context: CommandContext): Promise<number> {
  const { operands, asJson, print, language } = context;
  const [written] = operands;
  const isKnown = written === undefined || written === 'default' || logLevels.some((one) => one === written);
  if (!isKnown)
    throw new UnansweredError(exitCodes.misused, (reader) =>
      logLevelWords[reader].wrongLevel({ written, levels: logLevels }),
    );
  const facts = await askDaemon<LogLevelFacts>(context, {
    request: 'log-level',
    params: written === undefined ? {} : { level: written },
    fields: ['level', 'configured', 'isChosen'],
  });
  const say = logLevelWords[language];
  const words = facts.isChosen ? say.chosen(facts) : say.asConfigured(facts);
  print(asJson ? JSON.stringify(facts, undefined, 2) : words);
  return exitCodes.done;
}
