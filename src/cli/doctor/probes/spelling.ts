/* Whether a model copies what it was given: small ones change paths and code, which then name something else. */

import { isJsonObject, type JsonValue, own } from '../../../lib/json.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { ask, callOf, type Finding, type Probe, type ProbeContext, pick, saidIn } from './probe.ts';
import { probeWords } from './words.ts';

export const spellingProbe: Probe = {
  name: 'spelling',
  longest: 120,
  cost: { input: 400, output: 150 },
  run: probeSpelling,
};

/** The tool that gets the copy. */
export const notingTool = 'note_line';

/** With two backslashes, two kinds of quotes, and Chinese. */
const code = `if (rows[i]?.name !== 'a\\\\b' && /^\\d{2,}$/.test(key)) total += rows[i].prices["单价"] * 1.05;`;

const signs = 'abcdefghijkmnopqrstuvwxyz23456789';
const lengthOfWord = 24;

/** A path that nobody has seen before: with Chinese, spaces, a quote, and a long word. */
function newPath(random: () => number): string {
  const word = Array.from({ length: lengthOfWord }, () => pick([...signs], random)).join('');
  return `/home/陈静/工作 文件/it's the 第3季度 报告-${word}.md`;
}

async function probeSpelling(context: ProbeContext): Promise<Finding> {
  const path = newPath(context.random);
  const answer = await ask(
    context.model,
    {
      system: 'You are tested. Copy exactly what you are given, sign for sign, and say nothing else.',
      messages: [
        {
          role: 'user',
          text: `Call the tool ${notingTool} with this path and this line of code, both copied exactly.\n\nThe path:\n${path}\n\nThe line of code:\n${code}`,
        },
      ],
      tools: [
        {
          name: notingTool,
          description: 'Notes a line of code of a file.',
          parameters: {
            type: 'object',
            properties: { path: { type: 'string' }, code: { type: 'string' } },
            required: ['path', 'code'],
            additionalProperties: false,
          },
        },
      ],
    },
    context,
  );
  const { usage } = answer;
  const call = callOf(answer, notingTool);
  if (call === undefined) {
    const said = oneLine(saidIn(answer), longestShown);
    return { outcome: 'not', says: (language) => probeWords[language].notCopied({ said }), usage };
  }
  const changed = [
    differenceOf(path, argumentOf(call.arguments, 'path')),
    differenceOf(code, argumentOf(call.arguments, 'code')),
  ].filter((one) => one !== undefined);
  if (changed.length === 0) return { outcome: 'ok', says: (language) => probeWords[language].copied, usage };
  return { outcome: 'not', says: (language) => probeWords[language].garbled({ changed }), usage };
}

function argumentOf(given: JsonValue, name: string): string {
  const value = isJsonObject(given) ? own(given, name) : undefined;
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What should have come, and what came, from shortly before they differ. */
export interface Difference {
  readonly given: string;
  readonly came: string;
}

/** Undefined if nothing differs. */
export function differenceOf(given: string, came: string): Difference | undefined {
  if (given === came) return undefined;
  const [one, other] = [Array.from(given), Array.from(came)];
  const at = one.findIndex((sign, index) => sign !== other[index]);
  const from = Math.max(0, (at < 0 ? one.length : at) - signsBefore);
  return { given: excerpt(one, from), came: excerpt(other, from) };
}

/** Hidden characters are shown by their numbers. */
function excerpt(text: readonly string[], from: number): string {
  const part = text.slice(from, from + signsShown).join('');
  return `${from > 0 ? '…' : ''}${oneLine(part, Number.POSITIVE_INFINITY)}${text.length > from + signsShown ? '…' : ''}`;
}

const signsBefore = 8;
const signsShown = 32;
const longestShown = 200;
