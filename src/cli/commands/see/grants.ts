import { oneLine, unmarked } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { grantsStanding, type StandingGrant } from '../../../store/overview.ts';
import { readData } from '../../read-data.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { instantWords, seeWords } from './words.ts';

const mostListed = 500;
const longestText = 200;

/** `grants`: the saved permissions that hold. */
export async function grants(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const now = Date.now();
  const listed = await readData(context, (sql) => grantsStanding(sql, now, mostListed));
  print(asJson ? JSON.stringify({ grants: listed }, undefined, 2) : grantsText(listed, now, language));
  return exitCodes.done;
}

/** For a person: two lines each. */
export function grantsText(listed: readonly StandingGrant[], now: number, language: Language): string {
  const say = seeWords[language];
  if (listed.length === 0) return say.noGrants;
  return [
    ...listed.flatMap(({ id, toolName, description, expiresAt, requester, grantedBy, conversationId }) => {
      const scope =
        expiresAt === undefined ? say.grantAlways : say.grantWindow({ until: instantWords(expiresAt, now, language) });
      const given = say.grantLine({ person: requester, by: grantedBy, conversation: conversationId });
      return [`${id}  ${toolName}: ${oneLine(unmarked(description), longestText)}`, `    ${scope}; ${given}`];
    }),
    '',
    say.howToRevoke,
  ].join('\n');
}
