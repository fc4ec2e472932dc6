import { type ListedRun, newestRuns } from '../../../store/run-story.ts';
import { readData, type Shown, shownFor } from '../../read-data.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { countOption } from './count-option.ts';
import { costWords, instantWords, seeWords } from './words.ts';

/** `runs`: the newest ones. */
export async function runs(context: CommandContext): Promise<number> {
  const { asJson, print, option } = context;
  const most = countOption('limit', { usual: 20, most: 1_000 }, context);
  const listed = await readData(context, (sql) => newestRuns(sql, most, option('chat')));
  print(
    asJson ? JSON.stringify({ runs: listed }, undefined, 2) : runsText(listed, await shownFor(context), option('chat')),
  );
  return exitCodes.done;
}

/** For a person: two lines a run. `of`: only those of this conversation were wanted. */
export function runsText(listed: readonly ListedRun[], { now, language, currency }: Shown, of?: string): string {
  const say = seeWords[language];
  if (listed.length === 0) return of === undefined ? say.noRuns : say.noRunsIn({ chat: of });
  return listed
    .flatMap((run) => {
      const { id, conversationId, principal, beganAt, closing, isOpen, isSubRun, models, turns, calls, tokens, cost } =
        run;
      const sums = { turns, calls, tokens, cost: cost === 0 ? undefined : costWords(cost, currency) };
      const title = say.runTitle({
        id,
        end: say.runEnd({ closing, isOpen }),
        conversation: conversationId,
        person: isSubRun ? say.forRun : principal,
      });
      return [`${instantWords(beganAt, now, language)}  ${title}`, `    ${models}  ${say.runLine(sums)}`];
    })
    .join('\n');
}
