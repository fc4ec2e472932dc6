import type { FeatureCore } from '../../feature-points.ts';
import type { JsonObject } from '../../lib/json.ts';
import { isJsonObject } from '../../lib/json.ts';
import { inlineCode, markdownLine, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import type { Described, LoggedCall } from './tables.ts';

/** What came of a call, as people are told. */
export type Fate =
  | 'waiting'
  | 'running'
  | 'done'
  | 'allowed'
  | 'failed'
  | 'refused'
  | 'denied'
  | 'expired'
  | 'stopped'
  | 'cutOff';

export function fateOf({
  state,
  outcome,
  approvalState,
}: Pick<LoggedCall, 'state' | 'outcome' | 'approvalState'>): Fate {
  if (state !== 'done') return approvalState === 'pending' ? 'waiting' : 'running';
  switch (outcome) {
    case 'error':
      return 'failed';
    case 'refused':
      return 'refused';
    case 'denied':
      return 'denied';
    case 'expired':
      return 'expired';
    case 'cancelled':
      return 'stopped';
    case 'unknown':
      return 'cutOff';
    default:
      return approvalState === 'approved' ? 'allowed' : 'done';
  }
}

/** So much of a call's id is shown, and found again by `/why`. */
export const shownIdLength = 6;

/** Who reads it. */
export interface CallReader {
  readonly language: Language;
  /** Others read it, too: nothing is said of a call but what its card has said to them. */
  readonly isGroup: boolean;
}

const longestWhat = 160;

/** What a call does, in one line of markdown: in the words of its card, or else its tool and what its arguments tell. */
export function whatWords(
  { name, described }: { readonly name: string; readonly described: Described | undefined },
  { language, isGroup }: CallReader,
  { redact }: Pick<FeatureCore, 'redact'>,
): string {
  const { description, otherwise, isJoint = false } = described ?? {};
  const tool = inlineCode(oneLine(name, 64));
  const onCard = otherwise?.[language] ?? description;
  if (onCard !== undefined && !isJoint) return markdownLine(redact(onCard), longestWhat);
  if (isGroup) return tool;
  const told = toldIn(argumentsIn(described?.arguments));
  // Secrets are removed before it is cut. As code, it shows itself only.
  return told === undefined ? tool : `${tool} ${inlineCode(oneLine(redact(told), longestTold))}`;
}

const longestTold = 100;

/** Arguments that say what a call is about, the most telling first. What is written there, as content, is not told. */
const telling = [
  'path',
  'file',
  'command',
  'url',
  'uri',
  'to',
  'recipient',
  'channel',
  'title',
  'subject',
  'query',
  'name',
  'id',
];

function toldIn(args: JsonObject): string | undefined {
  const values = telling.map((key) => args[key]);
  return values.find((value) => typeof value === 'string' && value.trim() !== '')?.toString();
}

/** Of a call that was never valid, anything may be there. */
function argumentsIn(stored: string | undefined): JsonObject {
  const parsed: unknown = stored === undefined ? {} : JSON.parse(stored);
  return isJsonObject(parsed) ? parsed : {};
}
