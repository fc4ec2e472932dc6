/*
 * The card that asks for calls. First what, in one sentence; then why, in the words of the person; then what is dangerous,
 * the worst first; then what an approver must read to decide: a command, a message, a change. The last line says until when.
 * All else is folded: arguments, rules, files. What others chose is code, one line, or escaped.
 */

import { instantFor } from '../../lib/card-parts.ts';
import { folded } from '../../lib/folds.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  escapeMarkdown,
  fenced,
  inlineCode,
  markdownLine,
  nameCode,
  oneLine,
  personWords,
  reveal,
} from '../../lib/plain-text.ts';
import type { Reader } from '../../lib/time-words.ts';
import { type Language, type Words, wordsIn } from '../../lib/words.ts';
import { sourceIn } from '../../tools/taint-sources.ts';
import type { BoundFile, ToolCategory } from '../../tools/tool.ts';
import type { PermissionApproval } from '../approval.ts';
import { isWholeHash } from '../verdict.ts';
import type { Danger } from './danger.ts';
import { beginningOf, type ShownPart } from './shown-part.ts';
import { cardWords } from './words.ts';

/** A card's content beyond its approval, in the language of the card. */
export interface CardContent {
  readonly description: string;
  readonly displayName: string;
  readonly category: ToolCategory;
  readonly arguments: JsonObject;
  /** The rule by which it is asked for: half a sentence. */
  readonly reason: string;
  /** For whom and why it is done: a line of markdown. */
  readonly why?: string | undefined;
  /** Why the card looks like no other. */
  readonly danger?: Danger | undefined;
  /** What speaks against it, the worst first: short markdown clauses. */
  readonly risks?: readonly string[];
  /** What an approver must read, as markdown: a command, a message, a change. */
  readonly body?: string | undefined;
  /** The files that the approval is bound to. */
  readonly files?: readonly BoundFile[];
  /** The source of its answers, if the first would end a permission for a while. */
  readonly endedBy?: string | undefined;
  /** The name of the conversation that asks, if the card is shown elsewhere. */
  readonly forwardedFrom?: string;
  /** Turns addresses in markdown into plain text, where links are not allowed. */
  readonly withoutLinks?: (markdown: string) => string;
}

/** The limit of the first line, in characters, for several calls together. */
export const longestDescription = 520;

/** More risks are only counted. They stand in the folded part. */
const mostRisks = 3;

/** How much of what must be read is shown: rows, and characters in all. */
const mostShown = { lines: 20, characters: 1500 } as const;

/** The card that asks for one or several calls. All arguments are folded, in full, with hidden characters revealed. */
export function requestCard(
  approval: PermissionApproval,
  reader: Reader,
  content: CardContent,
  ...others: CardContent[]
): string {
  const { language } = reader;
  const words = cardWords[language];
  const asked = { approval, language };
  const all = [content, ...others];
  const shares = all.map(shownPartOf);
  const shown = others.length === 0 ? shownCall(content, shares[0], asked) : shownCalls(all, shares, asked);
  const details = all.flatMap((one, index) => [
    ...(others.length === 0 ? [] : [`**${words.callNumber(index + 1)}**`]),
    ...detailsOfCall(one, { ...asked, isBodyCut: shares[index]?.more !== undefined }),
  ]);
  const { expiresAt, id } = approval;
  const expires = words.expires(instantFor(expiresAt, reader));
  return [...shown, expires, folded(words.everything, [...details, words.typed(id)].join('\n\n'))].join('\n\n');
}

interface Asking {
  readonly approval: PermissionApproval;
  readonly language: Language;
}

function shownPartOf({ body, withoutLinks = asIs }: CardContent): ShownPart | undefined {
  return body === undefined ? undefined : beginningOf(withoutLinks(body), mostShown);
}

const asIs = (markdown: string): string => markdown;

/** The paragraphs that everybody reads. */
function shownCall(content: CardContent, part: ShownPart | undefined, { language }: Asking): readonly string[] {
  const words = cardWords[language];
  const { description, danger, why, withoutLinks = asIs } = content;
  const question = words.question(markdownLine(description, longestDescription));
  const first = danger === undefined ? `🔑 **${question}**` : `⚠️ **${words.danger(danger)}** ${question}`;
  const risks = risksOf(content, language);
  const lines = [first, ...(why === undefined ? [] : [withoutLinks(why)])];
  const isOne = risks.length === 1;
  return [[...lines, ...(isOne ? risks : risks.map((risk) => `- ${risk}`))].join('\n'), ...shownText(part, language)];
}

/** A row a call, with what speaks against it. */
function shownCalls(
  contents: readonly CardContent[],
  parts: readonly (ShownPart | undefined)[],
  { language }: Asking,
): readonly string[] {
  const words = cardWords[language];
  const why = contents.find((one) => one.why !== undefined);
  const title = `🔑 **${words.joint(contents.length)}**`;
  const head = why?.why === undefined ? title : `${title}\n${(why.withoutLinks ?? asIs)(why.why)}`;
  const rows = contents.map((content, index) => {
    const what = words.row(markdownLine(content.description, longestDescription));
    const risks = risksOf(content, language);
    return [[`(${index + 1}) **${what}**`, ...risks].join(' · '), ...shownText(parts[index], language)];
  });
  // Rows without a text of their own stand together.
  const isPlain = rows.every((row) => row.length === 1);
  return [head, ...(isPlain ? [rows.flat().join('\n')] : rows.flat())];
}

function shownText(part: ShownPart | undefined, language: Language): readonly string[] {
  if (part === undefined) return [];
  const { moreLines, moreText } = cardWords[language];
  switch (part.more?.of) {
    case 'lines':
      return [part.markdown, moreLines(part.more.count)];
    case 'characters':
      return [part.markdown, moreText(part.more.count)];
    case undefined:
      return [part.markdown];
  }
}

/** The worst, each on one line, and how many more there are. */
function risksOf({ risks = [], withoutLinks = asIs }: CardContent, language: Language): readonly string[] {
  const told = risks.slice(0, mostRisks).map((risk) => withoutLinks(markdownLine(risk, 300)));
  const more = risks.length - told.length;
  return more > 0 ? [...told, cardWords[language].moreRisks(more)] : told;
}

interface AskingCall extends Asking {
  /** The card does not show all of its text. */
  readonly isBodyCut: boolean;
}

/** What is folded about one call. */
function detailsOfCall(
  { withoutLinks = asIs, ...content }: CardContent,
  { approval, language, isBodyCut }: AskingCall,
): readonly string[] {
  const words = cardWords[language];
  const { displayName, category, reason, forwardedFrom, files = [], risks = [], body } = content;
  const asker = {
    person: personWords({ principal: approval.requester, name: approval.requesterName }),
    conversation: forwardedFrom === undefined ? undefined : nameCode(forwardedFrom),
  };
  const facts = { tool: inlineCode(oneLine(displayName, 80)), category: inlineCode(category), asker };
  const all = risks.map((risk) => `- ${withoutLinks(markdownLine(risk, 300))}`);
  const endedBy = approval.grantable ? content.endedBy : undefined;
  return [
    words.facts({ ...facts, reason: withoutLinks(reason) }),
    ...(risks.length > mostRisks ? [all.join('\n')] : []),
    ...boundTo(approval, files, language).map(withoutLinks),
    ...(endedBy === undefined
      ? []
      : [withoutLinks(words.noWindow(inlineCode(oneLine(sourceIn(language, endedBy), 80))))]),
    // Indented, or a line of it could be taken for the beginning of another block.
    ...(isBodyCut && body !== undefined ? [indented(withoutLinks(body))] : []),
    withoutLinks(argumentsBlock(content.arguments)),
  ];
}

export function argumentsBlock(args: JsonObject): string {
  return fenced(reveal(JSON.stringify(args, null, 2)), 'json');
}

/** A fenced block with its lines moved by two. Other markdown stays as it is. */
function indented(markdown: string): string {
  const lines = markdown.split('\n');
  return lines.map((line, index) => (index === 0 || index === lines.length - 1 ? line : `  ${line}`)).join('\n');
}

/** What must not change for the approval to hold, and whether that is all that runs. */
function boundTo(
  { hash, grantable: isGrantable }: PermissionApproval,
  files: readonly BoundFile[],
  language: Language,
): readonly string[] {
  const words = cardWords[language];
  const told = (note: Words): string => escapeMarkdown(oneLine(wordsIn(language, note), 120));
  const named = files.slice(0, 8).map(({ path, note }) => {
    return words.boundFile({ path: inlineCode(oneLine(path, 80)), note: told(note) });
  });
  const bound = files.length === 0 ? [] : [words.bound({ files: named, more: files.length - named.length })];
  if (isWholeHash(hash)) return bound;
  return [...bound, files.length === 0 ? words.boundToNothing({ isGrantable }) : words.runsMore({ isGrantable })];
}
