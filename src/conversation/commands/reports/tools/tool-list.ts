import { type ApprovalSettings, modePermits, policyReason } from '../../../../approval/verdict.ts';
import { escapeMarkdown, inlineCode } from '../../../../lib/plain-text.ts';
import type { Language } from '../../../../lib/words.ts';
import { type RegisteredTool, sourceIn } from '../../../../tools/registry.ts';
import type { ToolRunner } from '../../../../tools/runner.ts';
import { toolCategories } from '../../../../tools/tool.ts';
import { toolListWords } from './words.ts';

interface ToolListParts {
  /** The rules of approval there. */
  readonly settings: ApprovalSettings;
  readonly language: Language;
  readonly runner: Pick<ToolRunner, 'statisticsOf'>;
}

/** The tools by what they do, or by who brings them: a line each, with a sign at those that ask. `/tools` */
export function toolGroups(tools: readonly RegisteredTool[], { settings, language }: ToolListParts): string {
  const words = toolListWords[language];
  const usable = tools
    .filter(({ category }) => modePermits(settings.mode, category))
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  const groups = [...Map.groupBy(usable, (tool) => groupOf(tool, language))];
  const lines = groups.slice(0, mostGroups).map(([group, members]) => {
    const shown = members.slice(0, mostOfGroup);
    return words.toolGroup({
      group,
      tools: shown.map((tool) => words.toolName({ name: inlineCode(tool.name), asks: doesAsk(tool, settings) })),
      more: members.length - shown.length,
    });
  });
  const more = groups.slice(mostGroups).reduce((total, [, members]) => total + members.length, 0);
  return words.toolsByGroup({ lines, more, off: tools.length - usable.length });
}

/** What fits on a phone. */
const mostGroups = 14;
const mostOfGroup = 12;

/** Own tools come first, in the order of categories. */
function placeOf({ source, category }: RegisteredTool): number {
  return isOwn(source) ? toolCategories.indexOf(category) : toolCategories.length;
}

function isOwn({ type }: RegisteredTool['source']): boolean {
  return type === 'builtin' || type === 'delegate';
}

function groupOf({ source, category }: RegisteredTool, language: Language): string {
  if (isOwn(source)) return toolListWords[language].toolGroups[category];
  return escapeMarkdown(sourceIn(language, source));
}

function doesAsk({ name, category }: RegisteredTool, settings: ApprovalSettings): boolean {
  return policyReason(settings, name, category) !== undefined || category === 'destructive';
}

/** The tools one by one: by their source, with whether they ask and how they have done. `/tools all` */
export function toolList(tools: readonly RegisteredTool[], parts: ToolListParts): string {
  const sources = Map.groupBy(tools, ({ source }) => sourceIn(parts.language, source));
  const lines = [...sources].flatMap(([source, all]) => sourceLines(source, all, parts));
  return toolListWords[parts.language].toolsHere({ lines });
}

/** The tools of one source: all of them, or the first of very many. */
function sourceLines(source: string, tools: readonly RegisteredTool[], parts: ToolListParts): readonly string[] {
  const lines = tools.slice(0, mostOfSource).map((tool) => toolLine(tool, parts));
  const count = tools.length - lines.length;
  if (count === 0) return lines;
  return [...lines, toolListWords[parts.language].moreTools({ count, source: escapeMarkdown(source) })];
}

/** More fill the chat, and are found by asking for them. */
const mostOfSource = 60;

function toolLine(tool: RegisteredTool, { settings, language, runner }: ToolListParts): string {
  const { name, category, source } = tool;
  const asks = doesAsk(tool, settings);
  const used = runner.statisticsOf(name);
  return toolListWords[language].toolLine({
    name: inlineCode(name),
    source: escapeMarkdown(sourceIn(language, source)),
    category,
    permission: modePermits(settings.mode, category) ? (asks ? 'asks' : 'never') : 'off',
    used: used && { ...used, average: Math.round(used.averageDuration) },
  });
}
