import type { Decided, ListedApproval } from '../../../daemon/local-socket/approvals.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { Language } from '../../../lib/words.ts';
import { askDaemon } from '../../ask-daemon.ts';
import { type CommandContext, exitCodes } from '../command.ts';
import { isOfTool } from '../of-tool.ts';
import { instantWords, seeWords } from './words.ts';

/** `approvals`: what waits for a decision. */
export async function approvals(context: CommandContext): Promise<number> {
  const { asJson, print, language } = context;
  const facts = await askDaemon<{ readonly approvals: readonly ListedApproval[] }>(context, {
    request: 'approvals',
    fields: ['approvals'],
  });
  print(asJson ? JSON.stringify(facts, undefined, 2) : listText(facts.approvals, Date.now(), language));
  return exitCodes.done;
}

/** For a person. */
export function listText(listed: readonly ListedApproval[], now: number, language: Language): string {
  const say = seeWords[language];
  if (listed.length === 0) return say.noApprovals;
  const decidable = listed.find(({ type }) => type !== 'question');
  return [
    ...listed.flatMap(({ id, type, what, requesterName, conversation, expiresAt }) => [
      `${id}  ${lineOf(what)}`,
      `    ${say.approvalLine({
        requester: lineOf(requesterName),
        conversation: lineOf(conversation),
        until: expiresAt === undefined ? undefined : instantWords(expiresAt, now, language),
      })}`,
      ...(type === 'question' ? [`    ${say.isQuestion}`] : []),
    ]),
    ...(decidable === undefined ? [] : ['', say.howToDecide({ id: decidable.id })]),
  ].join('\n');
}

/** Anybody's words: none of them looks like a line of ours. */
function lineOf(words: string): string {
  return oneLine(words, Number.POSITIVE_INFINITY);
}

/** `approvals approve ID`. */
export function approve(context: CommandContext): Promise<number> {
  return decide('approve', context);
}

/** `approvals deny ID [REASON]`. */
export function deny(context: CommandContext): Promise<number> {
  return decide('deny', context);
}

async function decide(verdict: 'approve' | 'deny', context: CommandContext): Promise<number> {
  const { operands, asJson, print, complain, language, program } = context;
  const say = seeWords[language];
  if (isOfTool(program.process.env)) {
    complain(say.fromTool);
    return exitCodes.failed;
  }
  const [id = '', ...reason] = operands;
  const decided = await askDaemon<Decided>(context, {
    request: 'decide',
    params: { id, verdict, reason: reason.join(' ') },
    fields: ['id', 'state', 'what'],
  });
  const { what } = decided;
  print(
    asJson
      ? JSON.stringify(decided, undefined, 2)
      : verdict === 'approve'
        ? say.approved({ what: lineOf(what) })
        : say.denied({ what: lineOf(what) }),
  );
  return exitCodes.done;
}
